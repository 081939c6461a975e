/** The bytes of a served file, and the digest that belongs to them. */

import { createHash } from "node:crypto";
import { type Refusal, refuse, type Result } from "../../base/refusal.ts";
import type { FileOwner, OpenFile } from "../../catalog/bundle_file.ts";
import {
  type FileDigests,
  type FileLook,
  stateOf,
} from "../../catalog/file_digests.ts";
import { joined, SEPARATOR } from "../../base/place.ts";
import type { SharedFile, Snapshot } from "../../catalog/types.ts";
import { decodeExactly } from "../text_bytes.ts";
import type { ServedFile } from "./served_skills.ts";

/** Most bytes of a file here: as many as a whole skill may have. */
export const MAX_FILE = 16 * 1024 * 1024;
/** Most bytes of a shared file. */
const MAX_SHARED = 1024 * 1024;
/** Small, so that large files leave no large buffers behind. */
const CHUNK = 64 * 1024;

/** What reading asks of the engine. */
export interface FileDoor {
  readonly digests: FileDigests;
  openFile(owner: FileOwner, path: string): Promise<Result<OpenFile>>;
}

/** What a manifest says of one file. */
export interface FileDigest {
  /** `sha256:<hex>` of exactly `size` bytes. */
  readonly digest: string;
  readonly size: number;
  /** The state of the file that they are of. */
  readonly look: FileLook;
}

/**
 * Opens a file of a skill, or the shared file that it is a copy of. Refuses as
 * `openInSkill` does, and what is larger than its bound with `TOO_LARGE`.
 */
export async function openServed(
  door: FileDoor,
  file: ServedFile,
  snapshot: Snapshot,
): Promise<Result<OpenFile>> {
  if (file.shared !== undefined) {
    return await openShared(door, file.shared, snapshot);
  }
  return await bounded(await door.openFile(file.skill, file.path), MAX_FILE);
}

/**
 * Opens a shared file, judged like a file of a skill whose directory is the
 * root and which serves nothing else.
 */
export async function openShared(
  door: FileDoor,
  file: SharedFile,
  snapshot: Snapshot,
): Promise<Result<OpenFile>> {
  const root = snapshot.roots[file.rootIndex]?.realPath;
  if (root === undefined) return gone(file.id);
  const owner = { dir: root, name: file.id, files: [file] };
  const opened = await door.openFile(owner, file.path);
  if (!opened.ok && opened.code === "NOT_FOUND") return gone(file.id);
  return await onlyText(await bounded(opened, MAX_SHARED), file.id);
}

/** It was text when it was scanned, and may have become something else. */
async function onlyText(
  opened: Result<OpenFile>,
  id: string,
): Promise<Result<OpenFile>> {
  if (!opened.ok) return opened;
  const bytes = await allBytes(opened.value);
  if (decodeExactly(bytes) !== undefined) return opened;
  await opened.value[Symbol.asyncDispose]();
  return refuse(
    "PATH_REFUSED",
    `the shared file ${id} is not UTF-8 any more`,
    "Shared files are text; save it as UTF-8.",
  );
}

/** All bytes of an open file. */
export async function allBytes(file: OpenFile): Promise<Uint8Array> {
  return await file.read(0, file.size);
}

/** The digest and the size of a file now; undefined when it cannot be read. */
export async function digestOf(
  door: FileDoor,
  file: ServedFile,
  snapshot: Snapshot,
): Promise<FileDigest | undefined> {
  const kept = keptDigest(door.digests, file);
  if (kept !== undefined) return kept;
  const opened = await openServed(door, file, snapshot);
  if (!opened.ok) return undefined;
  await using open = opened.value;
  const state = stateOf(open.look);
  const known = door.digests.known(state);
  const { look } = open;
  if (known !== undefined) return { digest: known, size: open.size, look };
  const begun = door.digests.begin();
  const hash = createHash("sha256");
  let size = 0;
  while (size < open.size) {
    const bytes = await open.read(size, CHUNK);
    // Cut since it was opened: the digest is of what is there.
    if (bytes.length === 0) break;
    hash.update(bytes);
    size += bytes.length;
  }
  const digest = `sha256:${hash.digest("hex")}`;
  if (size === open.size && isStill(open, state.key)) {
    door.digests.keep(state, digest, begun);
  }
  return { digest, size, look };
}

/** Without opening: a regular file in a state whose digest is kept. */
function keptDigest(
  digests: FileDigests,
  { skill, path, shared }: ServedFile,
): FileDigest | undefined {
  const place = shared?.realPath ??
    joined(skill.dir, path.split("/").join(SEPARATOR));
  try {
    const look = Deno.lstatSync(place);
    if (!look.isFile) return undefined;
    const digest = digests.known(stateOf(look));
    return digest === undefined ? undefined : { digest, size: look.size, look };
  } catch {
    // Gone or closed: opening it says so in words.
    return undefined;
  }
}

function isStill(file: OpenFile, key: string | undefined): boolean {
  try {
    return stateOf(Deno.lstatSync(file.realPath)).key === key;
  } catch {
    return false;
  }
}

async function bounded(
  opened: Result<OpenFile>,
  most: number,
): Promise<Result<OpenFile>> {
  if (!opened.ok || opened.value.size <= most) return opened;
  const { size } = opened.value;
  await opened.value[Symbol.asyncDispose]();
  return refuse(
    "TOO_LARGE",
    `the file has ${size} bytes, more than ${most}`,
    "skill_file reads long files of a skill in parts.",
  );
}

function gone(id: string): Refusal {
  return refuse(
    "NOT_FOUND",
    `the shared file ${id} is not there any more`,
    "skill_list with reload: true looks at the disk again.",
  );
}
