/** Unpacked runtimes of other versions of this program, once nobody uses them. */

import { join } from "node:path";
import { isRecorded, NAME_DIGITS, stampOf } from "./unpack_executable.ts";

/** A copy that nobody started for so long is of a version that is gone. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;
const COPY = new RegExp(`^deno-[0-9a-f]{${NAME_DIGITS}}$`);

/**
 * Takes note that the copy at `current` is used, and removes others beside it
 * that `unpackExecutable` made: by their name, their record and their owner,
 * used by nobody for 30 days. A server that runs from one all the same unpacks
 * it again at its next run. Best effort; nothing is thrown.
 */
export async function removeOldCopies(
  cacheDir: string,
  current: string,
  now: number = Date.now(),
): Promise<void> {
  try {
    // Not every file system keeps times of access.
    const used = new Date(now);
    await Deno.utime(recordOf(current), used, used).catch(() => {});
    for await (const { name } of Deno.readDir(cacheDir)) {
      const path = join(cacheDir, name);
      if (!COPY.test(name) || path === current) continue;
      if (!await isOldCopy(path, now)) continue;
      await Deno.remove(path);
      await Deno.remove(recordOf(path));
    }
  } catch {
    // It stays until another time.
  }
}

async function isOldCopy(path: string, now: number): Promise<boolean> {
  const stamp = await stampOf(path);
  const record = recordOf(path);
  if (stamp === undefined || !await isRecorded(record, stamp)) return false;
  const copy = await Deno.lstat(path);
  const beside = await Deno.lstat(record);
  const self = Deno.build.os === "windows" ? null : Deno.uid();
  const ours = [copy, beside].every(({ isFile, uid }) =>
    isFile && (self === null || uid === self)
  );
  // Of the record only when it was written: it has just been read.
  const used = [copy.atime, copy.mtime, beside.mtime];
  // A time that is not told is not long ago.
  return ours &&
    used.every((time) => time !== null && now - time.getTime() > UNUSED_MS);
}

function recordOf(path: string): string {
  return `${path}.json`;
}
