/** Getting the carried runtime out of the executable and into a directory of ours. */

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { errorName } from "../../base/error_name.ts";
import { ok, refuse, type Result } from "../../base/refusal.ts";
import { removeTree } from "../disk/remove_tree.ts";

const CHUNK = 1024 * 1024;
/** An unpacking takes less than this. */
const HALF_MADE_MS = 60 * 60 * 1000;
/** Hex digits of a digest in a name. */
export const NAME_DIGITS = 16;

/** A byte range that holds an executable. */
export interface PackedFile {
  /** Absolute path of the file that holds the range. */
  readonly from: string;
  readonly offset: number;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** Only the directory around it says who gets there. */
const MODE = 0o755;

/** What identified the unpacked file when its digest was last checked. */
export interface Stamp {
  readonly ino: number;
  readonly size: number;
  /** Deno tells this one in whole seconds, so `mtime` stands beside it. */
  readonly ctime: number;
  readonly mtime: number;
  readonly mode: number;
}

/**
 * Unpacks an executable into `cacheDir` once and returns its path. Later calls
 * compare inode, size and ctime with a record, and digest the file again when
 * they differ. A wrong digest is refused and the file removed. `starts` says
 * whether the file can be started there; it is asked before the record is
 * made. Any number of processes may do this at the same time.
 */
export async function unpackExecutable(
  packed: PackedFile,
  cacheDir: string,
  starts: (path: string) => Promise<boolean>,
): Promise<Result<string>> {
  const path = join(cacheDir, `deno-${packed.sha256.slice(0, NAME_DIGITS)}`);
  const record = `${path}.json`;
  try {
    let stamp = await stampOf(path);
    if (stamp !== undefined && await isRecorded(record, stamp)) return ok(path);
    if (
      stamp === undefined || !isOpen(stamp) ||
      await sha256OfFile(path) !== packed.sha256
    ) {
      const unpacked = await unpack(packed, path);
      if (!unpacked.ok) {
        await Deno.remove(path).catch(() => {});
        return unpacked;
      }
      stamp = await stampOf(path);
    }
    if (!await starts(path)) {
      return refuse(
        "NO_RUNTIME",
        "the carried runtime does not start in the cache directory",
        "Set SKILLFENCE_CACHE_DIR to a directory from which programs may be started.",
      );
    }
    await writeAtomically(record, JSON.stringify(stamp));
    return ok(path);
  } catch (error) {
    return refuse(
      "NO_RUNTIME",
      `the carried runtime could not be unpacked (${errorName(error)})`,
      "Set SKILLFENCE_CACHE_DIR to a directory with 100 MB of space from which programs may be started.",
    );
  }
}

async function unpack(
  packed: PackedFile,
  path: string,
): Promise<Result<string>> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  await sweepHalfMade(dirname(path));
  try {
    const digest = await copyRange(packed, temporary);
    if (digest !== packed.sha256) {
      return refuse(
        "NO_RUNTIME",
        "the carried runtime is damaged: its SHA-256 is not the one it was built with",
        "Get the executable again and check its sum.",
      );
    }
    await Deno.rename(temporary, path);
  } finally {
    await Deno.remove(temporary).catch(() => {});
  }
  return ok(path);
}

/** Removes what an unpacking that was killed left, when it is old enough. */
export async function sweepHalfMade(cacheDir: string): Promise<void> {
  for await (const entry of Deno.readDir(cacheDir)) {
    if (!/^(deno|skills|runtime)-[0-9a-f]+\..*\.tmp$/.test(entry.name)) {
      continue;
    }
    const path = join(cacheDir, entry.name);
    const info = await Deno.lstat(path).catch(() => undefined);
    // A second name takes no room, and shows the age of what it names.
    if (info?.isFile && (info.nlink ?? 1) > 1) continue;
    const age = Date.now() - (info?.mtime?.getTime() ?? Date.now());
    if (age > HALF_MADE_MS) await removeTree(path);
  }
}

/**
 * Copies the range to the new file `to`, which everyone may start that gets to
 * it, and returns the digest (hex) of its bytes.
 */
export async function copyRange(
  packed: Omit<PackedFile, "sha256">,
  to: string,
): Promise<string> {
  using source = await Deno.open(packed.from);
  using target = await Deno.open(to, {
    write: true,
    createNew: true,
    mode: MODE,
  });
  // Apart from the making, on which the process's mask counts.
  if (Deno.build.os !== "windows") await Deno.chmod(to, MODE);
  await source.seek(packed.offset, Deno.SeekMode.Start);
  const hash = createHash("sha256");
  const buffer = new Uint8Array(CHUNK);
  for (let left = packed.size; left > 0;) {
    const room = buffer.subarray(0, Math.min(left, buffer.length));
    const count = await source.read(room);
    if (count === null) break;
    const part = buffer.subarray(0, count);
    hash.update(part);
    for (let at = 0; at < part.length;) {
      at += await target.write(part.subarray(at));
    }
    left -= count;
  }
  return hash.digest("hex");
}

function isOpen({ mode }: Stamp): boolean {
  return Deno.build.os === "windows" || mode === MODE;
}

/** What the file at a path has as its stamp; undefined when there is none. */
export async function stampOf(path: string): Promise<Stamp | undefined> {
  try {
    const info = await Deno.lstat(path);
    if (!info.isFile) return undefined;
    return {
      ino: info.ino ?? 0,
      size: info.size,
      ctime: info.ctime?.getTime() ?? 0,
      mtime: info.mtime?.getTime() ?? 0,
      mode: (info.mode ?? 0) & 0o777,
    };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Whether a record says that the file with this stamp was checked. */
export async function isRecorded(
  record: string,
  stamp: Stamp,
): Promise<boolean> {
  try {
    return await Deno.readTextFile(record) === JSON.stringify(stamp);
  } catch {
    return false;
  }
}

/** The digest (hex) of a file's bytes. */
export async function sha256OfFile(path: string): Promise<string> {
  using file = await Deno.open(path);
  const hash = createHash("sha256");
  const buffer = new Uint8Array(CHUNK);
  for (;;) {
    const count = await file.read(buffer);
    if (count === null) return hash.digest("hex");
    hash.update(buffer.subarray(0, count));
  }
}

/** Writes a small file in one step, so that nobody reads half of it. */
export async function writeAtomically(
  path: string,
  text: string,
): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  await Deno.writeTextFile(temporary, text, { createNew: true, mode: 0o600 });
  await Deno.rename(temporary, path);
}
