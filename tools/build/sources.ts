/** Digests of files on disk: what a binary was built from. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { walkFiles } from "../walk_files.ts";

/** Everything that decides what a binary does. */
const SOURCES = [
  "main.ts",
  "deno.json",
  "deno.lock",
  "src",
  "skills",
  "tools/build",
  "tools/compile.ts",
];

/** Hex SHA-256 over the paths and contents of all sources below `root`. */
export async function sourcesDigest(root: string): Promise<string> {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    const path = join(root, source);
    if (!(await Deno.stat(path)).isDirectory) {
      hash.update(`${source}\n${sha256(await Deno.readFile(path))}\n`);
      continue;
    }
    for await (const file of walkFiles(path)) {
      const bytes = await Deno.readFile(join(path, file));
      hash.update(`${source}/${file}\n${sha256(bytes)}\n`);
    }
  }
  return hash.digest("hex");
}

/** Hex SHA-256 of some bytes. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
