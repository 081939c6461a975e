/** Markdown files that are skills by themselves, where a root says so. */

import { ENTRIES_PER_BREATH } from "../base/pacer.ts";
import { childOf, joined } from "../base/place.ts";
import type { Breath } from "./breath.ts";
import { Bundle } from "./bundle.ts";
import type { Entries } from "./entries.ts";
import type { IgnoreRules } from "./ignore_rules.ts";
import type { Report } from "./problem_log.ts";
import { type ScanFs, stampOf, whyFailed } from "./scan_fs.ts";
import type { WalkMemory } from "./walk_memory.ts";
import type { Task } from "./walk_types.ts";

/** What such a file's name ends in. */
export const FLAT_ENDING = ".md";

/** What finding them asks and tells. */
export interface FlatEffects {
  /** Index of the root. */
  readonly root: number;
  readonly fs: ScanFs;
  readonly memory: WalkMemory | undefined;
  readonly breath: Breath;
  readonly report: Report;
}

/** Whether a file of this name is one: not a `README.md`, no `SKILL.md`. */
export function isFlatName(name: string): boolean {
  return name.endsWith(FLAT_ENDING) && !name.startsWith(".") &&
    name !== "README.md" && name.toLowerCase() !== "skill.md";
}

/**
 * The flat skills right in one directory outside all skills, in name order.
 * Each has one file, itself.
 */
export async function flatSkills(
  { abs, rel: dir }: Pick<Task, "abs" | "rel">,
  entries: Entries,
  rules: IgnoreRules,
  { root, fs, memory, breath, report }: FlatEffects,
): Promise<Bundle[]> {
  const found: Bundle[] = [];
  const names = entries.files.filter(isFlatName).sort();
  for (const [index, name] of names.entries()) {
    if (index % ENTRIES_PER_BREATH === ENTRIES_PER_BREATH - 1) {
      await breath.take();
    }
    const rel = childOf(dir, name);
    if (rules.judge(rel, false).hiddenBy !== undefined) continue;
    const known = memory?.recallFlat(rel);
    const bundle = known ?? look(rel, name);
    if (bundle === undefined) continue;
    memory?.keepFlat(rel, bundle);
    found.push(bundle);
  }
  return found;

  function look(rel: string, name: string): Bundle | undefined {
    const skillFile = joined(abs, name);
    try {
      const stat = fs.lstat(skillFile);
      // Something else took its place since the directory was read.
      if (!stat.isFile) return undefined;
      const bundle = new Bundle({
        root,
        rel,
        dir: abs,
        skillFile,
        skillFileRel: rel,
        flat: true,
      });
      bundle.add(name, stampOf(stat));
      return bundle;
    } catch (error) {
      report(rel, "warning", "unreadable-file", {
        detail: `not served: ${
          rel.includes("\uFFFD") ? "its name is not UTF-8" : whyFailed(error)
        }`,
        hint: "Rename it, or make it readable by the server's user.",
      });
      return undefined;
    }
  }
}
