/**
 * Reads that decide how much to allocate before they allocate. The file may be
 * larger than memory, may grow while it is read, or may not be a file at all.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ok, refuse, type Result } from "./refusal.ts";

/** The start of a file. */
export interface BoundedRead {
  /** At most the cap. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The file's size in bytes, or what was read of it if that is more. */
  readonly size: number;
  /** The file goes on after `bytes`. */
  readonly truncated: boolean;
}

/** A range of a file. */
export interface RangeRead extends BoundedRead {
  /** Where `bytes` starts in the file. */
  readonly offset: number;
}

/**
 * Reads at most `cap` bytes from the start of a regular file (links are
 * followed). Refuses with `NOT_FOUND` or `PATH_REFUSED`, in words that hold no
 * path.
 */
export async function readBounded(
  path: string,
  cap: number,
): Promise<Result<BoundedRead>> {
  const read = await readRange(path, 0, cap);
  if (!read.ok) return read;
  const { bytes, size, truncated } = read.value;
  return ok({ bytes, size, truncated });
}

/**
 * As `readBounded`, at once: for small files that are read at every call, since
 * each step takes less than handing it to another thread.
 */
export function readBoundedSync(
  path: string,
  cap: number,
): Result<BoundedRead> {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(fd);
    if (!stat.isFile()) return notAFile(stat.isDirectory());
    const wanted = Math.min(stat.size, cap);
    const buffer = new Uint8Array(wanted + 1);
    let length = 0;
    while (length < buffer.length) {
      const read = readSync(fd, buffer, length, buffer.length - length, length);
      if (read === 0) break;
      length += read;
    }
    const { bytes, size, truncated } = rangeRead(buffer, length, stat.size, 0);
    return ok({ bytes, size, truncated });
  } catch (error) {
    return unreadable(error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Reads at most `limit` bytes from `offset` on. An offset at or past the end
 * gives no bytes. Refuses as `readBounded` does.
 */
export async function readRange(
  path: string,
  offset: number,
  limit: number,
): Promise<Result<RangeRead>> {
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer for ever.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = await handle.stat();
    if (!stat.isFile()) return notAFile(stat.isDirectory());
    return ok(await readAt(handle, stat.size, offset, limit));
  } catch (error) {
    return unreadable(error);
  } finally {
    await handle?.close();
  }
}

async function readAt(
  handle: FileHandle,
  statSize: number,
  offset: number,
  limit: number,
): Promise<RangeRead> {
  const wanted = Math.max(0, Math.min(statSize - offset, limit));
  // One byte more tells a file that grew from one that ended.
  const buffer = new Uint8Array(wanted + 1);
  const length = await fill(buffer, handle, offset);
  return rangeRead(buffer, length, statSize, offset);
}

/** What `length` bytes of a buffer say that has room for one more than wanted. */
function rangeRead(
  buffer: Uint8Array<ArrayBuffer>,
  length: number,
  statSize: number,
  offset: number,
): RangeRead {
  const wanted = buffer.length - 1;
  const size = Math.max(statSize, length === 0 ? 0 : offset + length);
  const kept = Math.min(length, wanted);
  return {
    bytes: buffer.subarray(0, kept),
    size,
    offset,
    truncated: offset + kept < size,
  };
}

/**
 * Reads from `offset` on until `buffer` is full or the file ends. Returns how
 * many bytes were read.
 */
export async function fill(
  buffer: Uint8Array,
  handle: FileHandle,
  offset: number,
): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(
      buffer,
      length,
      buffer.length - length,
      offset + length,
    );
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

function notAFile(directory: boolean): Result<never> {
  return refuse(
    "PATH_REFUSED",
    directory ? "is a directory, not a file" : "is not a regular file",
    "Name a regular file.",
  );
}

function unreadable(error: unknown): Result<never> {
  const code = (error as { code?: unknown } | null)?.code;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return refuse("NOT_FOUND", "does not exist", "Check the name.");
    case "EISDIR":
      return notAFile(true);
    case "ENXIO":
      return notAFile(false);
    case "EACCES":
    case "EPERM":
      return refuse(
        "PATH_REFUSED",
        "cannot be read: permission denied",
        "Make the file readable by the server's user.",
      );
    case "ELOOP":
      return refuse(
        "PATH_REFUSED",
        "cannot be read: its links go in a circle",
        "Point the link at a file.",
      );
    default:
      return refuse(
        "PATH_REFUSED",
        `cannot be read${typeof code === "string" ? `: ${code}` : ""}`,
        "Check the file and its file system.",
      );
  }
}
