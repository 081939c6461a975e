/** Copies what a script left to a directory of the caller's. */

import { dirname, join, resolve } from "node:path";
import { refuse, type Result } from "../base/refusal.ts";
import { ok } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { Output } from "../fence/types.ts";

/** The part of the output store that is used here. */
export interface OutputSource {
  open(id: string): Promise<Result<{ readonly file: string }>>;
}

/**
 * Copies every `out/` file below `dir` (made when missing) and returns the paths
 * written. Paths come from the store's own listing of real files, so they hold
 * no `..`; a file that exists already is left alone and refused by name.
 */
export async function keepOutputs(
  outputs: readonly Output[],
  store: OutputSource,
  dir: string,
): Promise<Result<string[]>> {
  const written: string[] = [];
  for (const { id, path } of outputs) {
    if (!path.startsWith("out/")) continue;
    const opened = await store.open(id);
    if (!opened.ok) return opened;
    const target = resolve(join(dir, path.slice(4)));
    try {
      await Deno.mkdir(dirname(target), { recursive: true });
      const bytes = await Deno.readFile(opened.value.file);
      await Deno.writeFile(target, bytes, { createNew: true, mode: 0o600 });
    } catch (error) {
      return refuse(
        "PATH_REFUSED",
        `${visible(path)} was not kept: ${
          error instanceof Error ? visible(error.message) : "unknown"
        }`,
        "Name an empty or new directory with --out.",
      );
    }
    written.push(target);
  }
  return ok(written);
}
