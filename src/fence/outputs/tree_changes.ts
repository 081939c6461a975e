/** What changed below a directory, told from two listings. Links never count. */

import { join } from "node:path";
import { Pacer } from "../../base/pacer.ts";
import { childOf } from "../../base/place.ts";

/** Entries looked at between two looks at the time. */
const STEP = 64;
/** Set-user-ID and set-group-ID, of inode(7). */
const SET_ID = 0o6000;

/** Regular files by relative `/`-separated path. */
export interface TreeState {
  readonly files: ReadonlyMap<string, FileState>;
  /** Links, FIFOs, sockets, devices and unreadable entries left out. */
  readonly skipped: number;
  /** False when there are more entries than were to be told. */
  readonly complete: boolean;
  /** Files with a set-id bit, told or not, and their versions. */
  readonly setIds: ReadonlyMap<string, string>;
  /** False when even for those the walk stopped at its bound. */
  readonly allSetIds: boolean;
}

/** One regular file. */
export interface FileState {
  readonly size: number;
  /** Changes whenever the content may have. */
  readonly version: string;
  /** It has a set-user-id or a set-group-id bit. */
  readonly setId: boolean;
}

/**
 * Lists the regular files below `dir`: those among the first `maxEntries`
 * entries, and those with a set-id bit among the first `forSetIds`.
 */
export async function readTree(
  dir: string,
  maxEntries: number,
  forSetIds: number = maxEntries,
): Promise<TreeState> {
  const pacer = new Pacer();
  const bound = Math.max(maxEntries, forSetIds);
  const files = new Map<string, FileState>();
  const setIds = new Map<string, string>();
  const pending = [""];
  let seen = 0;
  let skipped = 0;
  for (let at = 0; at < pending.length; at++) {
    const below = pending[at] ?? "";
    const entries = listDirectory(join(dir, below));
    if (entries === undefined) {
      skipped++;
      continue;
    }
    for (const entry of entries) {
      const complete = ++seen <= maxEntries;
      if (seen > bound) {
        return { files, skipped, complete, setIds, allSetIds: false };
      }
      if (seen % STEP === 0 && pacer.due()) await pacer.pause();
      const path = childOf(below, entry.name);
      if (entry.isDirectory) {
        pending.push(path);
        continue;
      }
      const state = entry.isFile ? fileState(join(dir, path)) : undefined;
      if (state === undefined) skipped++;
      else if (complete) files.set(path, state);
      if (state?.setId) setIds.set(path, state.version);
    }
  }
  const complete = seen <= maxEntries;
  return { files, skipped, complete, setIds, allSetIds: true };
}

/** Paths that are new in `after` or differ from `before`, in path order. */
export function changedPaths(before: TreeState, after: TreeState): string[] {
  return [...after.files]
    .filter(([path, state]) =>
      before.files.get(path)?.version !== state.version
    )
    .map(([path]) => path)
    .sort();
}

/** The listing of a tree that holds nothing. */
export const EMPTY_TREE: TreeState = {
  files: new Map(),
  skipped: 0,
  complete: true,
  setIds: new Map(),
  allSetIds: true,
};

function listDirectory(dir: string): Deno.DirEntry[] | undefined {
  try {
    return [...Deno.readDirSync(dir)];
  } catch {
    return undefined;
  }
}

function fileState(path: string): FileState | undefined {
  try {
    const info = Deno.lstatSync(path);
    if (!info.isFile) return undefined;
    // Deno tells the change time in whole seconds only, hence both.
    const times = [info.mtime, info.ctime].map((time) => time?.getTime() ?? 0);
    return {
      size: info.size,
      version: [info.ino, info.size, ...times].join(":"),
      setId: ((info.mode ?? 0) & SET_ID) !== 0,
    };
  } catch {
    return undefined;
  }
}
