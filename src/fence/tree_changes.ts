/** What changed below a directory, told from two listings. Links never count. */

import { join } from "node:path";
import { childOf } from "../catalog/place.ts";

/** So many directories are listed before others get their turn. */
const TURN = 64;

/** Regular files by relative `/`-separated path. */
export interface TreeState {
  readonly files: ReadonlyMap<string, FileState>;
  /** Links, FIFOs, sockets, devices and unreadable entries left out. */
  readonly skipped: number;
  /** False when the walk stopped at its bound: nothing can be told then. */
  readonly complete: boolean;
}

/** One regular file. */
export interface FileState {
  readonly size: number;
  /** Changes whenever the content may have. */
  readonly version: string;
}

/** Lists the regular files below `dir`; at most `maxEntries` entries. */
export async function readTree(
  dir: string,
  maxEntries: number,
): Promise<TreeState> {
  const files = new Map<string, FileState>();
  const pending = [""];
  let seen = 0;
  let skipped = 0;
  for (let at = 0; at < pending.length; at++) {
    const below = pending[at] ?? "";
    if (at % TURN === TURN - 1) {
      await new Promise((turn) => setTimeout(turn, 0));
    }
    const entries = listDirectory(join(dir, below));
    if (entries === undefined) {
      skipped++;
      continue;
    }
    for (const entry of entries) {
      if (++seen > maxEntries) return { files, skipped, complete: false };
      const path = childOf(below, entry.name);
      if (entry.isDirectory) {
        pending.push(path);
        continue;
      }
      const state = entry.isFile ? fileState(join(dir, path)) : undefined;
      if (state === undefined) skipped++;
      else files.set(path, state);
    }
  }
  return { files, skipped, complete: true };
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
    };
  } catch {
    return undefined;
  }
}
