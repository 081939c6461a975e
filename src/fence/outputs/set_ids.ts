/**
 * Set-user-id and set-group-id bits on what a run left: whoever may start such
 * a file would do so as the account of scripts. Where a layer of the operating
 * system is on, its filter of system calls refuses them to begin with.
 */

import { type Held, hold } from "../disk/held_open.ts";
import type { OutputSource } from "./find_outputs.ts";
import type { TreeState } from "./tree_changes.ts";

/** Entries walked for them; more than any bound on a script's files. */
export const SET_ID_ENTRIES = 200_000;
/** All bits but those; the sticky bit does no harm. */
const OTHER_BITS = 0o1777;

/** A file that a run left with one of these bits. */
export interface SetIdFile {
  /** Where the run may write: absolute and real. */
  readonly dir: string;
  /** Below it, `/`-separated. */
  readonly path: string;
}

/** Those of a source; an owner's own in a workspace stay. */
export function leftSetIds(
  { dir, label, before }: OutputSource,
  after: TreeState,
): SetIdFile[] {
  return [...after.setIds]
    .filter(([path, version]) =>
      label !== "workspace" || before.setIds.get(path) !== version
    )
    .map(([path]) => ({ dir, path }));
}

/**
 * Takes the bits off files that the account with the number `uid` owns. Follows
 * no link below `dir`, nor in its place. Returns hints: what was done, and what
 * could not be.
 */
export function clearSetIds(
  files: readonly SetIdFile[],
  uid: number | null,
): string[] {
  const cleared = files.filter((file) => clearOne(file, uid)).length;
  const failed = files.length - cleared;
  const left = (count: number) =>
    `${
      count === 1 ? "1 file was" : `${count} files were`
    } left with a set-user-id or set-group-id bit`;
  return [
    ...cleared === 0 ? [] : [`${left(cleared)}, which was taken off.`],
    ...failed === 0 ? [] : [`${left(failed)}, which could not be taken off.`],
  ];
}

function clearOne({ dir, path }: SetIdFile, uid: number | null): boolean {
  const names = path.split("/");
  let at: Held | undefined = hold(dir, "directory");
  for (const [i, name] of names.entries()) {
    if (at === undefined) return false;
    using above = at;
    const last = i === names.length - 1;
    at = hold(`${above.path}/${name}`, last ? "anything" : "directory");
  }
  if (at === undefined) return false;
  using file = at;
  const { info } = file;
  if (!info.isFile() || info.uid !== uid) return false;
  try {
    Deno.chmodSync(file.path, info.mode & OTHER_BITS);
    return true;
  } catch {
    // A file system that is read-only by now, or knows no modes.
    return false;
  }
}
