/** Which skills of a root its own include and ignore globs keep. */

import { globProblem, nameFilter } from "../base/name_filter.ts";
import { counted, listed, visible } from "../base/text.ts";
import type { Directory } from "../config/types.ts";
import type { Bundle } from "./bundle.ts";
import type { ProblemLog } from "./problem_log.ts";

/** Names shown in the note before the rest is counted. */
const SHOWN = 16;

/**
 * The named bundles of one root that its globs keep. Each is matched on its own
 * name, so ignoring a skill leaves those nested in it. What is left out is told
 * in one note; a glob that does not compile keeps nothing, and is a problem.
 */
export function filterBundles(
  bundles: readonly Bundle[],
  { include, ignore }: Pick<Directory, "include" | "ignore">,
  root: number,
  log: ProblemLog,
): readonly Bundle[] {
  const globs = [...include, ...ignore];
  if (globs.length === 0) return bundles;
  for (const glob of globs) {
    const why = globProblem(glob);
    if (why === undefined) continue;
    log.add({
      root,
      path: "",
      severity: "error",
      reason: "bad-glob",
      detail: `"${
        visible(glob, 120)
      }" is no glob, so this root serves nothing: ${why}`,
      hint: "Correct it under include or ignore.",
    });
  }
  const keeps = nameFilter({ include, ignore });
  const kept: Bundle[] = [];
  const left: string[] = [];
  for (const bundle of bundles) {
    const { name } = bundle;
    if (name === undefined) continue;
    if (keeps(name)) kept.push(bundle);
    else left.push(name);
  }
  if (left.length > 0) {
    log.add({
      root,
      path: "",
      severity: "note",
      reason: "filtered",
      detail: `the root's include and ignore globs leave out ${
        counted(left.length)
      } of its skills: ${listed(left, SHOWN)}`,
      hint: "Change the globs to serve them.",
    });
  }
  return kept;
}
