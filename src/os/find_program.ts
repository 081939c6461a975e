/** Finding a program of the system that nobody but root can replace. */

import { isAbsolute, join } from "node:path";
import { distrust, ROOT } from "./trusted_path.ts";

/** Where systems keep programs, the last for NixOS. */
const PLACES: readonly string[] = [
  "/usr/bin",
  "/usr/local/bin",
  "/bin",
  "/run/current-system/sw/bin",
];

/** The outcome of a search. Absolute paths, for the owner's eyes. */
export interface FoundProgram {
  /** The real path of the first that can be trusted. */
  readonly path: string | undefined;
  /** The same as it was found: some programs look at their own name. */
  readonly at: string | undefined;
  /** Where one lies that others can replace, and why; else undefined. */
  readonly distrusted: string | undefined;
}

/**
 * Looks in the fixed places, then along `searchPath` (`PATH` as set). `places`
 * are for tests.
 */
export async function findProgram(
  name: string,
  searchPath: string | undefined,
  places: readonly string[] = PLACES,
): Promise<FoundProgram> {
  const further = (searchPath ?? "").split(":").filter((dir) =>
    isAbsolute(dir)
  );
  let distrusted: string | undefined;
  for (const dir of [...places, ...further]) {
    const path = join(dir, name);
    try {
      if (!(await Deno.stat(path)).isFile) continue;
      const found = await distrust(path, [ROOT]);
      if (found === undefined) {
        return { path: await Deno.realPath(path), at: path, distrusted };
      }
      distrusted ??= `${path}: ${found.reason}`;
    } catch {
      // Not there, or not for us.
    }
  }
  return { path: undefined, at: undefined, distrusted };
}
