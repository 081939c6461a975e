/** `skill_file`: files of a skill and of its runs, in parts that fit. */

import type { Refusal, Result } from "../../base/refusal.ts";
import type { Skill } from "../../catalog/types.ts";
import { badArgument } from "../arguments.ts";
import type { Engine } from "../engine_types.ts";
import { type Answer, refused, text } from "../errors.ts";
import { ANSWER_CHARS, boundedText, encodedLength } from "../fit.ts";
import { openTarget } from "../file_targets.ts";
import { type FilePart, type PartRequest, readPart } from "../file_parts.ts";
import {
  DEFAULT_READ,
  type FileArguments,
  FileInput,
} from "../schemas/inputs.ts";
import type { FileEntry, FileIndex } from "../schemas/text_shapes.ts";
import {
  defineTool,
  largeResults,
  reads,
  STRANGERS,
  type Tool,
  type ToolContext,
} from "../tool.ts";

/** Bytes of one file in one call. */
const MAX_ENTRY = 1_048_576;
/** Encoded characters that the index may take of one entry. */
const ENTRY_ROOM = 400;
/** Longest usable path, and a little more to show what was wrong with it. */
const MAX_PATH = 1100;

/** The tool. */
export const skillFile: Tool = defineTool({
  name: "skill_file",
  description: `\
Reads one to eight files of a skill, or files that a run left behind \
(out:<id>). Give path or paths, spelled as skill_load lists them.

The first content block is JSON about the files in the order asked, one failing \
alone; block is the index of the content block with that file's text. Long \
files are cut: pass nextOffset as offset to read on. Binary files are described \
only, unless base64 is true. ${STRANGERS}`,
  input: FileInput,
  annotations: reads("Read a skill's files"),
  meta: largeResults,
  runs: false,
  answer,
});

async function answer(
  { engine }: ToolContext,
  args: FileArguments,
): Promise<Answer> {
  const paths = askedPaths(args);
  if (!paths.ok) return refused(paths);
  const found = await engine.catalog.find(args.name, { alias: true });
  if (!found.ok) return refused(found);
  return await readAll(engine, found.value, paths.value, args);
}

function askedPaths(args: FileArguments): Result<readonly string[]> {
  if (args.path !== undefined && args.paths !== undefined) {
    return badArgument("path", "path and paths", "one of the two");
  }
  const paths = args.paths ??
    (args.path === undefined ? undefined : [args.path]);
  return paths === undefined
    ? badArgument("paths", "neither path nor paths", "one of the two")
    : { ok: true, value: paths };
}

/**
 * Reads what was found, in order. What an entry may have at most is settled
 * before it is read: 1 MiB, and what the entries before left of the limit. A
 * call without a limit is also held to what fits an answer.
 */
async function readAll(
  engine: Engine,
  skill: Skill,
  paths: readonly string[],
  args: FileArguments,
): Promise<Answer> {
  let left = args.limit ?? DEFAULT_READ;
  let room = args.limit === undefined
    ? ANSWER_CHARS - indexRoom(skill.name, paths)
    : Infinity;
  const blocks: string[] = [];
  const files: FileEntry[] = [];
  for (const path of paths) {
    const shown = boundedText(path, MAX_PATH);
    const read = await readOne(engine, skill, path, {
      offset: args.offset ?? 0,
      limit: Math.min(left, MAX_ENTRY),
      room,
      base64: args.base64 === true,
    });
    if (!read.ok) {
      files.push({ path: shown, error: slotError(read) });
      continue;
    }
    const { entry, content, length } = read.value;
    if (content === undefined) {
      files.push({ path: shown, ...entry });
      continue;
    }
    left -= length;
    room -= encodedLength(content);
    blocks.push(content);
    files.push({ path: shown, ...entry, block: blocks.length });
  }
  const index: FileIndex = { skill: skill.name, files };
  return text(JSON.stringify(index), ...blocks);
}

async function readOne(
  engine: Engine,
  skill: Skill,
  path: string,
  request: PartRequest,
): Promise<Result<FilePart>> {
  const opened = await openTarget(engine, skill, path);
  if (!opened.ok) return opened;
  await using target = opened.value;
  return await readPart(target, request);
}

function indexRoom(skill: string, paths: readonly string[]): number {
  const names = [skill, ...paths].map((name) =>
    2 * encodedLength(boundedText(name, MAX_PATH))
  );
  return names.reduce((sum, length) => sum + length + ENTRY_ROOM, 0);
}

function slotError({ code, message, hint }: Refusal): FileEntry["error"] {
  return {
    code,
    message: boundedText(message, 600),
    hint: boundedText(hint, 600),
  };
}
