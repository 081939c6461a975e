/** What a skill asks for. */

import type { Skill } from "../catalog/types.ts";
import type { TaskInput } from "../skill/types.ts";

/** The inputs of a task skill, in declared order; of any other skill none. */
export function inputsOf(
  { activation }: Pick<Skill, "activation">,
): readonly TaskInput[] {
  return activation.kind === "task" ? activation.inputs : [];
}
