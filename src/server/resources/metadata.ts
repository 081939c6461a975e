/** The one block of facts about a skill that travels beside its text. */

import type { Skill } from "../../catalog/types.ts";

/** Under which key of `_meta` the block stands; documented in resources.md. */
export const META_KEY = "io.github.skillfence/skill";

/** The same of `skillfence://context`: the number of commands in its texts. */
export const CONTEXT_META_KEY = "io.github.skillfence/context";

/** Keys that another field of the same answer carries already. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  "title",
  "description",
  "references",
]);

/** What of a file is told beside its text. */
export interface FileTimes {
  /** RFC 3339 in UTC, whole seconds; left out when unknown. */
  readonly modified?: string;
  readonly created?: string;
}

/**
 * The frontmatter as it stands without what is told elsewhere, and what the
 * file system says of SKILL.md. `paths` adds where it lies: for a client on
 * this machine only.
 */
export function skillMetadata(
  skill: Pick<
    Skill,
    "frontmatter" | "skillStamp" | "createdMs" | "skillFile" | "dir"
  >,
  paths: boolean,
): Record<string, unknown> {
  const own = Object.entries(skill.frontmatter ?? {})
    .filter(([key]) => !ELSEWHERE.has(key) && key !== "__proto__");
  return {
    ...Object.fromEntries(own),
    ...(paths ? { path: skill.skillFile, bundleDir: skill.dir } : {}),
    size: skill.skillStamp.size,
    ...fileTimes(skill.skillStamp.modifiedMs, skill.createdMs),
  };
}

/** Times in milliseconds since the epoch, as they are shown. */
export function fileTimes(
  modifiedMs: number | null,
  createdMs: number | null,
): FileTimes {
  const modified = wholeSeconds(modifiedMs);
  const created = wholeSeconds(createdMs);
  return {
    ...(modified === undefined ? {} : { modified }),
    ...(created === undefined ? {} : { created }),
  };
}

/** Cut, not rounded: nothing is shown as of a second that is still to come. */
function wholeSeconds(ms: number | null): string | undefined {
  if (ms === null || !Number.isFinite(ms)) return undefined;
  const date = new Date(Math.floor(ms / 1000) * 1000);
  return Number.isNaN(date.getTime())
    ? undefined
    : date.toISOString().replace(".000Z", "Z");
}
