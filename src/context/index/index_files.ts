/** Where indexes lie: below the cache directory, for this account alone. */

import { join } from "node:path";
import type { MatchIndex } from "./types.ts";

/** Below the cache directory. */
const DIRECTORY = "match";
/** Bytes of an index: 20,000 skills fit. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Indexes kept; each workspace has one. */
const MAX_KEPT = 64;
/** Others may pass through the cache directory itself, not write there. */
const OTHERS_WRITE = 0o022;
const OTHERS = 0o077;

/**
 * Reads the index of this key from the first of the cache directories that holds
 * one. Undefined when there is none, or when somebody else could have written it.
 */
export function readIndex(
  caches: readonly string[],
  key: string,
): MatchIndex | undefined {
  for (const cache of caches) {
    if (!isOurs(cache, OTHERS_WRITE)) continue;
    const directory = join(cache, DIRECTORY);
    if (!isOurs(directory, OTHERS)) continue;
    const index = parse(join(directory, `${key}.json`));
    if (index?.key === key) return index;
  }
  return undefined;
}

/** Tells one written index from another, without reading it. */
export function indexMark(
  caches: readonly string[],
  key: string,
): string | undefined {
  for (const cache of caches) {
    try {
      const path = join(cache, DIRECTORY, `${key}.json`);
      const { ino, mtime } = Deno.lstatSync(path);
      return `${ino} ${mtime?.getTime()}`;
    } catch {
      // Perhaps in the next one.
    }
  }
  return undefined;
}

/** Writes an index below a cache directory that was found fit. */
export async function writeIndex(
  cache: string,
  index: MatchIndex,
): Promise<void> {
  const directory = await makeDirectory(cache);
  const path = join(directory, `${index.key}.json`);
  const fresh = `${path}.${crypto.randomUUID()}.new`;
  const text = JSON.stringify(index);
  if (new TextEncoder().encode(text).length > MAX_BYTES) return;
  await Deno.writeTextFile(fresh, text, { mode: 0o600, createNew: true });
  await Deno.rename(fresh, path);
  await prune(directory);
}

/** How long a try keeps others from trying, in milliseconds. */
export const LOCK_MS = 60_000;

/** Whether somebody is making this index, or has failed to lately. */
export function isLocked(caches: readonly string[], key: string): boolean {
  return caches.some((cache) => isFresh(lockOf(cache, key)));
}

/** Takes the lock; false when another holds it. */
export async function lock(cache: string, key: string): Promise<boolean> {
  await makeDirectory(cache);
  const path = lockOf(cache, key);
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await Deno.writeTextFile(path, "", { mode: 0o600, createNew: true });
      return true;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      if (isFresh(path)) return false;
      await Deno.remove(path).catch(() => {});
    }
  }
  return false;
}

/** Gives the lock back. */
export async function unlock(cache: string, key: string): Promise<void> {
  await Deno.remove(lockOf(cache, key)).catch(() => {});
}

function lockOf(cache: string, key: string): string {
  return join(cache, DIRECTORY, `${key}.lock`);
}

function isFresh(path: string): boolean {
  try {
    const { mtime } = Deno.lstatSync(path);
    return Math.abs(Date.now() - (mtime?.getTime() ?? 0)) < LOCK_MS;
  } catch {
    return false;
  }
}

async function makeDirectory(cache: string): Promise<string> {
  const directory = join(cache, DIRECTORY);
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  if (!isOurs(directory, OTHERS)) {
    throw new Deno.errors.PermissionDenied("the directory of indexes");
  }
  return directory;
}

function isOurs(directory: string, forbidden: number): boolean {
  try {
    const { isDirectory, uid, mode } = Deno.lstatSync(directory);
    if (!isDirectory) return false;
    if (Deno.build.os === "windows") return true;
    return uid === Deno.uid() && ((mode ?? 0o777) & forbidden) === 0;
  } catch {
    return false;
  }
}

/** Only the newest stay; what a crash left half written goes too. */
async function prune(directory: string): Promise<void> {
  const files: { path: string; at: number }[] = [];
  for await (const { name } of Deno.readDir(directory)) {
    const path = join(directory, name);
    // Another one, for another workspace, may be at work here.
    const info = await Deno.lstat(path).catch(() => undefined);
    if (info === undefined) continue;
    const at = info.mtime?.getTime() ?? 0;
    if (name.endsWith(".json")) files.push({ path, at });
    else if (Date.now() - at > LOCK_MS) await Deno.remove(path).catch(() => {});
  }
  files.sort((a, b) => b.at - a.at);
  for (const { path } of files.slice(MAX_KEPT)) {
    await Deno.remove(path).catch(() => {});
  }
}

/** It lies where only we write: what is asked is whether it was written whole. */
function parse(path: string): MatchIndex | undefined {
  try {
    const { isFile, size } = Deno.lstatSync(path);
    if (!isFile || size > MAX_BYTES) return undefined;
    const value = JSON.parse(Deno.readTextFileSync(path));
    return Array.isArray(value?.skills) && Array.isArray(value.watched)
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}
