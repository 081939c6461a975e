/** What is blotted out of a script's output. */

import type { Skill } from "../../catalog/types.ts";
import type { Config } from "../../config/types.ts";
import type { Permit } from "../../grant/types.ts";

/** Name and value of each granted variable that the skill calls secret. */
export function secretValues(
  { declaration }: Skill,
  permit: Pick<Permit, "env">,
  env: Config["env"],
): [string, string][] {
  return declaration.variables.flatMap(({ name, secret }) => {
    const value = secret && permit.env.includes(name) ? env(name) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
}
