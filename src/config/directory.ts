/** One directory to look in, as a plain path or in its JSON form. */

import { type Refusal, refuse, type Result } from "../base/refusal.ts";
import type { Directory, SkillRoot } from "./types.ts";

/**
 * Reads the JSON form of a directory. Its module is loaded where there is
 * something to read: most servers start without one.
 */
export type JsonDirectoryReader = (
  /** The flag it comes from. */
  source: string,
  text: string,
  cwd: string,
) => Result<SkillRoot>;

/** The flag whose JSON may say `flat`. */
export const SKILL_DIR = "--skill-dir";

/** A root, or a directory of prompts. */
type Looked = Directory & Partial<SkillRoot>;

/** Stands in where no reader was loaded: nothing is served of what is not read. */
export function unreadDirectory(source: string): Refusal {
  return refuse("CONFIG", `${source} was not read`, "Give a plain directory.");
}

/** A directory without filters, watched. */
export function plainDirectory(path: string): Directory {
  return { path, include: [], ignore: [], watch: true };
}

/** A directory as the JSON form spells it, what is usual left out. */
export function directoryJson(directory: Looked): string {
  const { path, include, ignore, watch, flat = false } = directory;
  return JSON.stringify({
    dir: path,
    ...(include.length > 0 ? { include } : {}),
    ...(ignore.length > 0 ? { ignore } : {}),
    ...(watch ? {} : { watch }),
    ...(flat ? { flat } : {}),
  });
}

/** Whether a plain path says everything about a directory. */
export function isPlain(
  { include, ignore, watch, flat = false }: Looked,
): boolean {
  return watch && !flat && include.length === 0 && ignore.length === 0;
}

/** A root without filters. */
export function plainRoot(path: string): SkillRoot {
  return { ...plainDirectory(path), flat: false };
}
