/** Whether a file is still what it was, as far as its stamp tells. */

import type { FileStamp } from "./types.ts";

/**
 * Deno tells ctime in whole seconds: a file that changed this lately may change
 * again under the same stamp.
 */
const SETTLED_MS = 2_100;

/** Whether nothing that a stamp tells differs. */
export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.modifiedMs === b.modifiedMs &&
    a.changedMs === b.changedMs && a.ino === b.ino;
}

/**
 * Whether what is read now under this stamp may be kept: the file last changed
 * long enough ago. A clock that differs from the file system's keeps nothing.
 */
export function isSettled(stamp: FileStamp, now: number = Date.now()): boolean {
  return now - (stamp.changedMs ?? stamp.modifiedMs ?? now) >= SETTLED_MS;
}
