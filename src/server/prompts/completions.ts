/** What `skill://{+path}` and inputs of task skills can be completed to. Pure. */

import { skillUri } from "../../catalog/skill_uri.ts";
import type { Skill, Snapshot } from "../../catalog/types.ts";
import { inputsOf } from "../skill_inputs.ts";

/** The template whose argument is completed. */
export const PATH_TEMPLATE = "skill://{+path}";
/** Name of its argument. */
export const PATH_ARGUMENT = "path";
/** The most that a completion may hold, by the protocol. */
const MAX_VALUES = 100;
const SCHEME = "skill://";

/** Values, as the argument is written into the template. */
export interface Completed {
  readonly values: string[];
  readonly hasMore: boolean;
}

/**
 * Addresses that start with what was typed: of each skill its `SKILL.md`, and
 * of a skill whose name was typed with a slash all its files. Where nothing
 * starts so, skills with it anywhere in their name. All of them can be read.
 */
export function completePath({ skills }: Snapshot, typed: string): Completed {
  const served = [...skills.values()].filter(({ leftOut, hidden }) =>
    leftOut === undefined && hidden === undefined
  );
  const found = new Set<string>();
  for (const skill of served) {
    if (found.size > MAX_VALUES) break;
    collect(skill, typed, found);
  }
  if (found.size === 0) {
    const word = typed.toLowerCase();
    for (const { name } of served) {
      if (found.size > MAX_VALUES) break;
      if (name.toLowerCase().includes(word)) {
        found.add(addressOf(name, "SKILL.md"));
      }
    }
  }
  const values = [...found].slice(0, MAX_VALUES);
  return { values, hasMore: found.size > MAX_VALUES };
}

/**
 * Choices of a task skill's input that start with what was typed, letter case
 * aside. Nothing for what somebody wants to do: that is theirs to say.
 */
export function completeInput(
  skill: Skill,
  input: string,
  typed: string,
): Completed {
  const choices = inputsOf(skill).find(({ name }) => name === input)?.choices ??
    [];
  const word = typed.toLowerCase();
  const found = choices.filter((each) => each.toLowerCase().startsWith(word));
  return {
    values: found.slice(0, MAX_VALUES),
    hasMore: found.length > MAX_VALUES,
  };
}

function collect(skill: Skill, typed: string, found: Set<string>): void {
  const main = addressOf(skill.name, "SKILL.md");
  if (main.startsWith(typed)) found.add(main);
  const base = addressOf(skill.name, "");
  if (!typed.startsWith(`${base}/`)) return;
  for (const { path } of skill.files) {
    if (found.size > MAX_VALUES) return;
    const address = addressOf(skill.name, path);
    if (address.startsWith(typed)) found.add(address);
  }
}

function addressOf(name: string, path: string): string {
  return skillUri(name, path).slice(SCHEME.length);
}
