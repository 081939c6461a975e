/** Markdown files that are skills by themselves, where a root says so. */

import { ENTRIES_PER_BREATH } from "../base/pacer.ts";
import { childOf, joined } from "../base/place.ts";
import type { Breath } from "./breath.ts";
import { Bundle } from "./bundle.ts";
import type { Entries } from "./entries.ts";
import type { Report } from "./problem_log.ts";
import { stampOf, whyFailed } from "./scan_fs.ts";
import type { SkillsFound } from "./skills_found.ts";
import type { Task, WalkContext } from "./walk_types.ts";

/** What such a file's name ends in. */
export const FLAT_ENDING = ".md";

/** What finding them asks, tells and fills. */
export interface FlatEffects
  extends Pick<WalkContext, "fs" | "memory" | "flat"> {
  /** Index of the root. */
  readonly root: number;
  readonly breath: Breath;
  readonly report: Report;
  readonly skills: SkillsFound;
}

/** Whether a file of this name is one: not a `README.md`, no `SKILL.md`. */
export function isFlatName(name: string): boolean {
  return name.endsWith(FLAT_ENDING) && !name.startsWith(".") &&
    name !== "README.md" && name.toLowerCase() !== "skill.md";
}

/**
 * Finds the flat skills right in one directory, in name order. Each has one
 * file, itself. Nothing that lies with a SKILL.md, served or not, is one.
 */
export async function findFlat(
  task: Pick<Task, "abs" | "rel" | "rules" | "chain" | "top">,
  entries: Entries,
  { root, fs, memory, flat, breath, report, skills }: FlatEffects,
): Promise<void> {
  const { abs, rel: dir, rules, chain } = task;
  if (flat !== true || chain.length > 0 || skills.isClaimed(dir)) return;
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
  skills.addFlat(task.top, found);

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
