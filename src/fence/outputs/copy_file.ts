/** Copying one file that a script made, trusting nothing about its path. */

import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { allows } from "../../os/account.ts";
import type { Account } from "../../os/types.ts";

const CHUNK = 256 * 1024;

/** A file as copied. */
export interface Copied {
  readonly size: number;
  /** `sha256:<hex>` of the bytes that were copied. */
  readonly sha256: string;
}

/**
 * Copies the regular file at the real path `from` to the new file `to` (0600).
 * Returns undefined, and leaves nothing, when `from` is a link or has several
 * names, is no regular file, holds more than `maxBytes`, or cannot be read: by
 * us, or by the account that made it, which must not read through us.
 */
export async function copyRegularFile(
  from: string,
  to: string,
  maxBytes: number,
  account?: Account,
): Promise<Copied | undefined> {
  const source = await openPlain(from);
  if (source === undefined) return undefined;
  try {
    const info = await source.stat();
    if (!info.isFile() || info.nlink !== 1 || info.size > maxBytes) {
      return undefined;
    }
    if (account !== undefined && !await isTheirs(info, from, account)) {
      return undefined;
    }
    return await copyTo(source, to, maxBytes);
  } catch {
    return undefined;
  } finally {
    await source.close();
  }
}

/**
 * Whether the account may read the open file, and the path to it holds no link:
 * one put there for a moment could lead where only we may go. A file of one
 * name that is at the path now was there when it was opened.
 */
async function isTheirs(
  open: Stats,
  path: string,
  account: Account,
): Promise<boolean> {
  const access = {
    mode: open.mode,
    uid: open.uid,
    gid: open.gid,
    isDirectory: false,
  };
  if (!allows(access, account, "read")) return false;
  if (await Deno.realPath(path) !== path) return false;
  const there = await Deno.lstat(path);
  return there.ino === open.ino && there.dev === open.dev;
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
