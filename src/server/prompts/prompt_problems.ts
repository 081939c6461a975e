/** Problems of prompts, in the shape in which problems are listed. */

import type { Problem } from "../../catalog/types.ts";
import type { Engine } from "../engine_types.ts";

/** Everything wrong with prompt files, and whose prompt's name was taken. */
export async function promptProblems(
  { prompts }: Pick<Engine, "prompts">,
): Promise<Problem[]> {
  const files = await prompts.snapshot();
  const { problems } = await prompts.offered();
  return [
    ...files.problems.map(({ source, ...rest }) => ({ root: source, ...rest })),
    ...problems,
  ];
}
