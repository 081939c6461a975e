/** Whether only root and we can decide what lies at a path. */

import { dirname, sep } from "node:path";

const GROUP_WRITE = 0o020;
const OTHER_WRITE = 0o002;
const STICKY = 0o1000;
/** The account that may change everything anyway. */
export const ROOT = 0;

/** A place on the way that someone else could change. */
export interface Distrust {
  /** Without any path, fit for a client. */
  readonly reason: string;
  /** The directory or link in question; for the owner's eyes. */
  readonly at: string;
}

/**
 * Undefined when nobody but root and this account can replace what lies at
 * `path` (absolute, existing): every directory above its real path, and every
 * link it goes through, is root's or ours and not writable by others. In a
 * sticky directory the entry itself must be root's or ours. Where files have
 * no owners (Windows) everything is trusted. `owners` are the accounts to
 * trust: with root alone, what this account owns is distrusted too.
 */
export async function distrust(
  path: string,
  owners: readonly (number | null)[] = [ROOT, Deno.uid()],
): Promise<Distrust | undefined> {
  if (Deno.build.os === "windows") return undefined;
  return await distrustLinks(path, owners) ??
    await distrustChain(await Deno.realPath(path), owners);
}

async function distrustLinks(
  path: string,
  owners: readonly (number | null)[],
): Promise<Distrust | undefined> {
  const parts = path.split(sep);
  for (let end = 2; end <= parts.length; end++) {
    const prefix = parts.slice(0, end).join(sep);
    const info = await Deno.lstat(prefix);
    if (info.isSymlink && !owners.includes(info.uid)) {
      return { reason: "it goes through someone else's link", at: prefix };
    }
  }
  return undefined;
}

async function distrustChain(
  realPath: string,
  owners: readonly (number | null)[],
): Promise<Distrust | undefined> {
  for (let at = realPath;; at = dirname(at)) {
    const info = await Deno.lstat(at);
    const what = at === realPath ? "it" : "a directory above it";
    if (!owners.includes(info.uid)) {
      return { reason: `${what} belongs to someone else`, at };
    }
    if (writableByOthers(info) && !isSticky(info)) {
      return { reason: `${what} is writable by others`, at };
    }
    if (at === dirname(at)) return undefined;
  }
}

/** Others may add to such a directory, but not replace what is ours in it. */
function isSticky(info: Deno.FileInfo): boolean {
  return info.isDirectory && ((info.mode ?? 0) & STICKY) !== 0;
}

/** A group of the owner's own number is the owner's private group. */
function writableByOthers(info: Deno.FileInfo): boolean {
  const mode = info.mode ?? 0;
  if ((mode & OTHER_WRITE) !== 0) return true;
  return (mode & GROUP_WRITE) !== 0 && info.gid !== info.uid;
}
