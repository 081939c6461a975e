/** How much directories hold, counted without following links. */

import { join } from "node:path";
import { Pacer } from "../../base/pacer.ts";

/** A block as the system counts them in `st_blocks`. */
const BLOCK = 512;
/** Entries looked at between two looks at the time. */
const STEP = 64;

/** Bytes and entries, directories among them. */
export interface StorageUse {
  readonly bytes: number;
  readonly files: number;
  /** Something could not be looked at: more may be there. */
  readonly closed: boolean;
}

/**
 * Counts what lies below `dirs`, the directories themselves not. Stops as soon
 * as more than `atMost` is found, or something that cannot be looked at. Lets
 * others work every 30 ms, but for the listing of one directory. A file counts
 * as the larger of its length and the room it takes.
 */
export async function storageUse(
  dirs: readonly string[],
  atMost: Pick<StorageUse, "bytes" | "files">,
): Promise<StorageUse> {
  const pacer = new Pacer();
  const pending = [...dirs];
  let bytes = 0;
  let files = 0;
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    const listed = listing(dir);
    if (listed === undefined) return { bytes, files, closed: true };
    for (const entry of listed) {
      if (++files % STEP === 0 && pacer.due()) await pacer.pause();
      const path = join(dir, entry.name);
      const size = room(path);
      if (size === undefined) return { bytes, files, closed: true };
      bytes += size;
      if (bytes > atMost.bytes || files > atMost.files) {
        return { bytes, files, closed: false };
      }
      if (entry.isDirectory) pending.push(path);
    }
  }
  return { bytes, files, closed: false };
}

/** Nothing where there is nothing any more, undefined where we may not look. */
function listing(dir: string): Iterable<Deno.DirEntry> | undefined {
  try {
    return [...Deno.readDirSync(dir)];
  } catch (error) {
    return isGone(error) ? [] : undefined;
  }
}

function room(path: string): number | undefined {
  try {
    const { size, blocks, isFile } = Deno.lstatSync(path);
    return isFile ? Math.max(size, (blocks ?? 0) * BLOCK) : 0;
  } catch (error) {
    return isGone(error) ? 0 : undefined;
  }
}

/** Removed, or replaced by something else, since it was listed. */
function isGone(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory;
}
