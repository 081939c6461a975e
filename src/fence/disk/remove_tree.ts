/**
 * Removing what a script left, whatever modes it gave to its directories and
 * however deep it nested them.
 */

import { join } from "node:path";
import { Pacer } from "../../base/pacer.ts";
import { pause } from "../../base/pause.ts";
import { emptied } from "./empty_directory.ts";
import { canHold, hold } from "./held_open.ts";

/**
 * The runtime's own removal recurses natively, and some ten thousand levels
 * overflow the stack of the whole process. A script nests that deep by renaming
 * one tree below another.
 */
const MAX_LEVELS = 64;
/** Characters below the top; a path may hold 4,096 bytes. */
const MAX_LENGTH = 1000;

/** Rounds against processes that are dying but still write. */
const ROUNDS = 20;
const PAUSE_MS = 5;

/**
 * Removes a tree whose top is ours. Closes it to all others first and follows
 * no link, not even one that a process left over puts there meanwhile; where
 * nothing can be held open by its descriptor the latter is no promise. Returns whether it is gone. An absent
 * tree is gone.
 */
export async function removeTree(path: string): Promise<boolean> {
  const pacer = new Pacer();
  for (let round = 0; round < ROUNDS; round++) {
    try {
      const { work, recursive } = clearing(path);
      for (const _ of work) if (pacer.due()) await pacer.pause();
      // What is empty by now goes faster than another thread is told to.
      if (recursive) await Deno.remove(path, { recursive });
      else Deno.removeSync(path);
      return true;
    } catch {
      if (isGone(path)) return true;
    }
    if (round > 0) await pause(PAUSE_MS);
  }
  return false;
}

/** The same in one breath, for signal handlers. */
export function removeTreeSync(path: string): boolean {
  for (let round = 0; round < ROUNDS; round++) {
    try {
      const { work, recursive } = clearing(path);
      for (const _ of work);
      Deno.removeSync(path, { recursive });
      return true;
    } catch {
      if (isGone(path)) return true;
    }
    if (round > 0) pauseSync(PAUSE_MS);
  }
  return false;
}

/** What comes before a removal, and whether that is to be the runtime's. */
interface Clearing {
  readonly work: Iterable<void>;
  readonly recursive: boolean;
}

function clearing(path: string): Clearing {
  // Deno 2.7.11, the base of test builds, has descriptors of its own numbering.
  if (!canHold() || !isDirectory(path)) {
    return { work: loosen(path), recursive: true };
  }
  return { work: emptiedBelow(path), recursive: false };
}

function* emptiedBelow(path: string): Generator<void> {
  using top = hold(path, "directory");
  // Not by path instead: a link could be in the way.
  if (top === undefined) throw new Error("the directory cannot be held");
  // With nobody passing through, only what is in there already can interfere.
  open(top.path);
  yield* emptied(top);
}

function isDirectory(path: string): boolean {
  return Deno.lstatSync(path).isDirectory;
}

/**
 * Gives us back the directories below `top` that a script closed, and hangs
 * those that lie too deep directly below `top`. Yields after each directory.
 * Throws what stands in the way, since an unknown depth must not reach the
 * native removal.
 */
function* loosen(top: string): Generator<void> {
  if (!Deno.lstatSync(top).isDirectory) return;
  const waiting = [{ path: top, level: 0 }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    open(at.path);
    for (const entry of Deno.readDirSync(at.path)) {
      if (!entry.isDirectory) continue;
      let path = join(at.path, entry.name);
      let level = at.level + 1;
      if (level > MAX_LEVELS || path.length - top.length > MAX_LENGTH) {
        // To move a directory takes the right to write into it.
        open(path);
        const up = join(top, crypto.randomUUID());
        Deno.renameSync(path, up);
        [path, level] = [up, 1];
      }
      waiting.push({ path, level });
    }
    yield;
  }
}

function open(dir: string): void {
  try {
    Deno.chmodSync(dir, 0o700);
  } catch {
    // Not ours, or a system without modes: what follows says so.
  }
}

function isGone(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}

function pauseSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
