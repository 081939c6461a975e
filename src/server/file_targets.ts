/** A path, id or address as `skill_file` takes it -> a file to read. */

import { readRange } from "../base/bounded_read.ts";
import { mediaType } from "../base/media_type.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { OpenFile } from "../catalog/bundle_file.ts";
import { hrefOf, placeOf, skillUri } from "../catalog/skill_uri.ts";
import type { SharedFile, Skill, Snapshot } from "../catalog/types.ts";
import type { Engine } from "./engine_types.ts";
import { promptText } from "./prompts/prompt_text.ts";
import { CONTEXT_URI } from "./resources/index_uri.ts";
import { openShared } from "./resources/file_bytes.ts";

/** An open file that may be read. Dispose of it. */
export interface FileTarget extends AsyncDisposable {
  /** The same for two ways of naming one file. */
  readonly key: string;
  /** Bytes, when it was opened. */
  readonly size: number;
  readonly mediaType: string;
  readonly uri: string;
  /** Up to `limit` bytes from `offset`; fewer only where the file ends. */
  read(offset: number, limit: number): Promise<Uint8Array>;
}

/** Where a name is looked up. */
export interface TargetPlace {
  readonly engine: Engine;
  readonly snapshot: Snapshot;
  /** Whose plain paths are meant. */
  readonly skill: Skill | undefined;
}

/** Before the id of a file that a run left behind. */
const OUTPUT_PREFIX = "out:";
/** What a prompt file is. */
const MARKDOWN = "text/markdown";
/** `<root number>:` */
const ID = /^[1-9]\d{0,5}:/;

/**
 * Opens what `asked` names: an output of a run, a prompt file, an address, a
 * shared file by its id, or a path of the skill or of what it refers to. Names
 * are looked up in lists of what is served and never joined to anything else.
 */
export async function openTarget(
  place: TargetPlace,
  asked: string,
): Promise<Result<FileTarget>> {
  const { engine, snapshot, skill } = place;
  if (asked.startsWith(OUTPUT_PREFIX)) {
    return await openOutput(engine, asked.slice(OUTPUT_PREFIX.length));
  }
  if (/^skillfence:/i.test(asked)) return await openOwnText(place, asked);
  if (/^(?:skill|file):/i.test(asked)) return await openAddress(place, asked);
  if (ID.test(asked) && !lists(skill, asked)) {
    const file = snapshot.shared.get(asked);
    return file === undefined
      ? unknownId(asked)
      : await openSharedFile(place, file);
  }
  if (skill === undefined) {
    return refuse(
      "INVALID_ARGUMENTS",
      `"${visible(asked)}" is a plain path, and no name says of which skill`,
      "Give the skill's name too, or an address such as skill://weather/SKILL.md.",
    );
  }
  const shared = lists(skill, asked) ? undefined : citedAs(skill, asked);
  return shared === undefined
    ? await openOwn(engine, skill, asked)
    : await openSharedFile(place, shared);
}

async function openOwn(
  engine: Engine,
  skill: Skill,
  path: string,
): Promise<Result<FileTarget>> {
  return target(
    await engine.openFile(skill, path),
    path,
    skillUri(skill.name, path),
  );
}

async function openSharedFile(
  { engine, snapshot }: TargetPlace,
  file: SharedFile,
): Promise<Result<FileTarget>> {
  return target(await openShared(engine, file, snapshot), file.path, file.id);
}

async function openAddress(
  place: TargetPlace,
  uri: string,
): Promise<Result<FileTarget>> {
  const { engine, snapshot } = place;
  const href = hrefOf(uri);
  if (href?.startsWith("file:") === true) {
    const file = engine.config.http === undefined
      ? engine.served(snapshot).sharedAt(href)
      : undefined;
    return file === undefined
      ? unserved(uri)
      : await openSharedFile(place, file);
  }
  const at = placeOf(uri);
  if (at === undefined) return unserved(uri);
  const own = ownPlace(snapshot, at);
  if (own !== undefined) return await openOwn(engine, own.skill, own.path);
  const copy = engine.served(snapshot).file(at)?.shared;
  return copy === undefined ? unserved(uri) : await openSharedFile(place, copy);
}

/** The innermost skill that lists a place; tools serve them all. */
function ownPlace(
  { skills }: Snapshot,
  place: string,
): { readonly skill: Skill; readonly path: string } | undefined {
  for (
    let cut = place.lastIndexOf("/");
    cut > 0;
    cut = place.lastIndexOf("/", cut - 1)
  ) {
    const skill = skills.get(place.slice(0, cut));
    const path = place.slice(cut + 1);
    if (skill !== undefined && lists(skill, path)) return { skill, path };
  }
  return undefined;
}

/** What a skill refers to, by its place in the skill or as it was declared. */
function citedAs(
  { references }: Skill,
  path: string,
): SharedFile | undefined {
  const copy = path.replace(/^(?:\.\.\/)+/, "");
  for (const row of references) {
    if (row.status === "found" && row.copy === copy) return row.file;
  }
  return undefined;
}

function lists(skill: Skill | undefined, path: string): boolean {
  return skill?.files.some((file) => file.path === path) === true;
}

function target(
  opened: Result<OpenFile>,
  path: string,
  uri: string,
): Result<FileTarget> {
  if (!opened.ok) return opened;
  const file = opened.value;
  return ok({
    key: file.realPath,
    size: file.size,
    mediaType: mediaType(path),
    uri,
    read: (offset, limit) => file.read(offset, limit),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  });
}

/** The context, or a prompt file as it was scanned: these are small and kept. */
async function openOwnText(
  { engine, snapshot }: TargetPlace,
  uri: string,
): Promise<Result<FileTarget>> {
  const text = hrefOf(uri) === CONTEXT_URI
    ? (await engine.context.document(snapshot))?.text
    : promptText(uri, await engine.prompts.snapshot());
  if (text === undefined) return unserved(uri);
  const bytes = new TextEncoder().encode(text);
  return ok({
    key: uri,
    size: bytes.length,
    mediaType: MARKDOWN,
    uri,
    read: (offset, limit) =>
      Promise.resolve(bytes.subarray(offset, offset + limit)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

async function openOutput(
  engine: Engine,
  id: string,
): Promise<Result<FileTarget>> {
  const stored = await engine.runner.outputs.open(id);
  if (!stored.ok) return stored;
  const { output, file } = stored.value;
  const uri = `${OUTPUT_PREFIX}${output.id}`;
  return ok({
    key: uri,
    size: output.size,
    mediaType: output.mediaType,
    uri,
    // The store's own copy: nobody else writes it.
    read: async (offset, limit) => {
      const read = await readRange(file, offset, limit);
      return read.ok ? read.value.bytes : new Uint8Array(0);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

function unknownId(id: string): Result<never> {
  return refuse(
    "NOT_FOUND",
    `no served skill declares the shared file "${visible(id)}"`,
    "skill_load lists the ids of a skill's references.",
  );
}

function unserved(uri: string): Result<never> {
  return refuse(
    "NOT_FOUND",
    `nothing is served at "${visible(uri)}"`,
    "skill_load lists a skill's files and references.",
  );
}
