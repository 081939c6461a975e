/** Removing what a script left, whatever modes it gave to its directories. */

import { join } from "node:path";

/** Rounds against processes that are dying but still write. */
const ROUNDS = 20;
const PAUSE_MS = 5;

/**
 * Removes a tree without following links. Returns whether it is gone. An
 * absent tree is gone.
 */
export async function removeTree(path: string): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    try {
      await Deno.remove(path, { recursive: true });
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return true;
    }
    unlock(path);
    if (round > 0) await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
  return false;
}

/** The same in one breath, for signal handlers. */
export function removeTreeSync(path: string): boolean {
  for (let round = 0; round < ROUNDS; round++) {
    try {
      Deno.removeSync(path, { recursive: true });
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return true;
    }
    unlock(path);
    if (round > 0) pauseSync(PAUSE_MS);
  }
  return false;
}

/** Gives us back the directories below `path` that a script closed. */
function unlock(path: string): void {
  try {
    if (!Deno.lstatSync(path).isDirectory) return;
    Deno.chmodSync(path, 0o700);
    for (const entry of Deno.readDirSync(path)) {
      if (entry.isDirectory) unlock(join(path, entry.name));
    }
  } catch {
    // Gone meanwhile, or not ours: the removal says so.
  }
}

function pauseSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
