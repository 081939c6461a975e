/** `skill_file`: files of a skill and of its runs, in parts that fit. */

import type { Refusal, Result } from "../../base/refusal.ts";
import { badArgument } from "../arguments.ts";
import { type Answer, refused, text } from "../errors.ts";
import { ANSWER_CHARS, boundedText, encodedLength } from "../fit.ts";
import { openTarget, type TargetPlace } from "../file_targets.ts";
import { readPart } from "../file_parts.ts";
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
Reads one to eight files: paths of one skill as skill_load lists them, shared \
references by their ids (1:shared/style.md), of as many skills as you like, \
addresses (skill://...), prompt files (skillfence://prompts/NAME), or files that \
a run left behind (out:<id>). Give path or paths.

The first content block is JSON about the files in the order asked, one failing \
alone; block is the index of the content block with that file's text, which \
comes once. Long files are cut: pass nextOffset as offset to read on. Binary files are described \
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
  const found = args.name === undefined
    ? undefined
    : await engine.catalog.find(args.name, { alias: true });
  if (found?.ok === false) return refused(found);
  const place = {
    engine,
    snapshot: await engine.catalog.snapshot(),
    skill: found?.value,
  };
  return await readAll(place, paths.value, args);
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
  place: TargetPlace,
  paths: readonly string[],
  args: FileArguments,
): Promise<Answer> {
  const skill = place.skill?.name;
  let left = args.limit ?? DEFAULT_READ;
  let room = args.limit === undefined
    ? ANSWER_CHARS - indexRoom(skill ?? "", paths)
    : Infinity;
  const blocks: string[] = [];
  const files: FileEntry[] = [];
  const came = new Map<string, Omit<FileEntry, "path">>();
  for (const path of paths) {
    const shown = boundedText(path, MAX_PATH);
    const opened = await openTarget(place, path);
    if (!opened.ok) {
      files.push({ path: shown, error: slotError(opened) });
      continue;
    }
    await using target = opened.value;
    const known = came.get(target.key);
    if (known !== undefined) {
      files.push({ path: shown, ...known });
      continue;
    }
    const read = await readPart(target, {
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
    const row = { ...entry, block: blocks.length };
    came.set(target.key, row);
    files.push({ path: shown, ...row });
  }
  const index: FileIndex = {
    ...(skill === undefined ? {} : { skill }),
    files,
  };
  return text(JSON.stringify(index), ...blocks);
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
