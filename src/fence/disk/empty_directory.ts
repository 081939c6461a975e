/** Emptying a directory that strangers wrote, and may still be writing. */

import { type Held, hold } from "./held_open.ts";

/** Levels of directories walked at once: one descriptor is open for each. */
const LEVELS = 32;
/** Levels that mostly hold a run's own directories, which it left empty. */
const OWN_LEVELS = 2;
/** Times that what lay too deep is looked at again, from the top. */
const PASSES = 20_000;

/**
 * Removes what is in the directory, however deep, from open descriptors: no
 * link is followed, whatever a process puts in whatever place meanwhile. What
 * cannot be removed stays. Yields after each entry; has to be run to its end.
 */
export function* emptied(top: Held): Generator<void> {
  for (let pass = 0; pass < PASSES; pass++) {
    const state = { top: top.path, moved: false };
    yield* below(top, 1, state);
    if (!state.moved) return;
  }
}

interface Pass {
  readonly top: string;
  /** Something was hung below the top and is to be walked yet. */
  moved: boolean;
}

function* below(dir: Held, level: number, pass: Pass): Generator<void> {
  open(dir);
  for (const entry of listed(dir.path)) {
    const path = `${dir.path}/${entry.name}`;
    const isEmpty = entry.isDirectory && level <= OWN_LEVELS &&
      attempt(() => Deno.removeSync(path));
    if (entry.isDirectory && !isEmpty) {
      if (level < LEVELS) {
        using child = hold(path, "directory");
        if (child !== undefined) yield* below(child, level + 1, pass);
      } else if (movedUp(path, pass.top)) pass.moved = true;
    }
    // Neither follows a link nor goes into a directory.
    if (!isEmpty) attempt(() => Deno.removeSync(path));
    yield;
  }
}

/** Gives us back a directory that a script closed. */
function open({ path, info }: Held): void {
  if ((info.mode & 0o700) !== 0o700) {
    attempt(() => Deno.chmodSync(path, 0o700));
  }
}

function listed(path: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(path)];
  } catch {
    return [];
  }
}

/** Hangs a directory directly below the top, if it holds anything. */
function movedUp(path: string, top: string): boolean {
  if (attempt(() => Deno.removeSync(path))) return false;
  // To move a directory takes the right to write into it.
  using child = hold(path, "directory");
  if (child === undefined) return false;
  open(child);
  return attempt(() => Deno.renameSync(path, `${top}/${crypto.randomUUID()}`));
}

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
