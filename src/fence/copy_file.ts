/** Copying one file that a script made, trusting nothing about its path. */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

const CHUNK = 256 * 1024;

/** A file as copied. */
export interface Copied {
  readonly size: number;
  /** `sha256:<hex>` of the bytes that were copied. */
  readonly sha256: string;
}

/**
 * Copies the regular file at `from` to the new file `to` (0600). Returns
 * undefined, and leaves nothing, when `from` is a link or has several names,
 * is no regular file, holds more than `maxBytes`, or cannot be read.
 */
export async function copyRegularFile(
  from: string,
  to: string,
  maxBytes: number,
): Promise<Copied | undefined> {
  const source = await openPlain(from);
  if (source === undefined) return undefined;
  try {
    const info = await source.stat();
    if (!info.isFile() || info.nlink !== 1 || info.size > maxBytes) {
      return undefined;
    }
    return await copyTo(source, to, maxBytes);
  } catch {
    return undefined;
  } finally {
    await source.close();
  }
}

async function copyTo(
  source: FileHandle,
  to: string,
  maxBytes: number,
): Promise<Copied | undefined> {
  let copied: Copied | undefined;
  using target = await Deno.open(to, {
    write: true,
    createNew: true,
    mode: 0o600,
  });
  try {
    copied = await copyBytes(source, target, maxBytes);
  } finally {
    if (copied === undefined) await Deno.remove(to);
  }
  return copied;
}

/** A link is refused by the system itself; a FIFO does not block. */
async function openPlain(path: string): Promise<FileHandle | undefined> {
  // Windows has neither flag.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) |
    (constants.O_NONBLOCK ?? 0);
  try {
    return await open(path, flags);
  } catch {
    return undefined;
  }
}

async function copyBytes(
  source: FileHandle,
  target: Deno.FsFile,
  maxBytes: number,
): Promise<Copied | undefined> {
  const hash = createHash("sha256");
  const buffer = new Uint8Array(CHUNK);
  let size = 0;
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    size += bytesRead;
    if (size > maxBytes) return undefined;
    const part = buffer.subarray(0, bytesRead);
    hash.update(part);
    for (let at = 0; at < part.length;) {
      at += await target.write(part.subarray(at));
    }
  }
  return { size, sha256: `sha256:${hash.digest("hex")}` };
}
