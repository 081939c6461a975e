/** What one look at a regular file of a tree tells. */

import { type FileState, stateOf } from "../../catalog/file_digests.ts";

/** One regular file. Paths are below the tree's root, `/`-separated. */
export interface FileFact extends FileState {
  readonly path: string;
  readonly size: number;
  readonly uid: number | null;
  readonly gid: number | null;
  readonly mode: number | null;
  /** Names the file has in the whole file system; null where unknown. */
  readonly names: number | null;
  /** Same value, same file; undefined where the system cannot tell. */
  readonly identity: string | undefined;
}

/**
 * Looks at the file at `abs`, which is at `path` below the tree's root.
 * `unseen` when it is there and its path is too long, or closed to us.
 */
export function fileFact(
  abs: string,
  path: string,
): FileFact | "gone" | "unseen" {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(abs);
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "gone" : "unseen";
  }
  const { dev, ino, size } = info;
  const identity = ino === null || ino === 0 ? undefined : `${dev}:${ino}`;
  return {
    path,
    size,
    uid: info.uid,
    gid: info.gid,
    mode: info.mode,
    names: info.nlink,
    identity,
    ...stateOf(info),
  };
}
