/** Everything that is wrong with what is served, skills and prompts. */

import type { Problem, Snapshot } from "../catalog/types.ts";
import type { Engine } from "./engine_types.ts";

/**
 * Problems of the skills, then of prompt files (`root`: the file or directory
 * as configured), then of skills that have no prompt.
 */
export async function allProblems(
  { prompts }: Pick<Engine, "prompts">,
  snapshot: Snapshot,
): Promise<readonly Problem[]> {
  const files = await prompts.snapshot();
  const offered = await prompts.offered();
  return [
    ...snapshot.problems,
    ...files.problems.map(({ source, ...rest }) => ({ root: source, ...rest })),
    ...offered.problems,
  ];
}
