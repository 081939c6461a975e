/** Regular files below a directory, in name order, links not followed. */

import { join } from "node:path";

/** Yields paths relative to `dir`, `/`-separated; nothing when it is absent. */
export async function* walkFiles(dir: string): AsyncGenerator<string> {
  const entries: Deno.DirEntry[] = [];
  try {
    for await (const entry of Deno.readDir(dir)) entries.push(entry);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  entries.sort((a, b) => a.name < b.name ? -1 : 1);
  for (const entry of entries) {
    if (entry.isFile) yield entry.name;
    if (!entry.isDirectory) continue;
    for await (const path of walkFiles(join(dir, entry.name))) {
      yield `${entry.name}/${path}`;
    }
  }
}
