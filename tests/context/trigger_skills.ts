/** Skills as the triggers see them, and what a request comes to, in short. */

import type { Skill } from "../../src/catalog/types.ts";
import {
  compileTriggers,
  type TriggerOptions,
} from "../../src/context/triggers.ts";
import type { MatchResult, Triggers } from "../../src/context/types.ts";
import type { Activation, TaskInput } from "../../src/skill/types.ts";

const UNKNOWN = { size: 0, modifiedMs: null, changedMs: null, ino: null };

/** A skill of a root, with nothing but what makes it come up. */
export function skillOf(
  name: string,
  activation: Activation,
  more: Partial<Skill> = {},
): Skill {
  return {
    name,
    rootIndex: 0,
    dir: `/skills/${name}`,
    skillFile: `/skills/${name}/SKILL.md`,
    skillStamp: UNKNOWN,
    createdMs: null,
    description: undefined,
    whenToUse: undefined,
    frontmatter: undefined,
    declaration: { scripts: [], variables: [], egress: [] },
    activation,
    hidden: undefined,
    flat: false,
    workspace: undefined,
    instructionsOnly: false,
    body: `The text of ${name}.\n`,
    truncated: false,
    files: [],
    bytes: 0,
    references: [],
    leftOut: undefined,
    ...more,
  };
}

/** Keywords that do not count in code. */
export function keywords(...words: string[]): Activation {
  return { kind: "keyword", keywords: words, inCode: false };
}

/** A task's keywords, with inputs of these names. */
export function task(words: string[], ...names: string[]): Activation {
  const inputs: TaskInput[] = names.map((name) => ({
    name,
    description: undefined,
    required: false,
    choices: [],
  }));
  return { kind: "task", keywords: words, inCode: false, inputs };
}

/** A path rule. */
export function globs(...patterns: string[]): Activation {
  return { kind: "path", globs: patterns };
}

/** Compiles with one workspace, `/work`, on a POSIX system. */
export async function compiled(
  skills: readonly Skill[],
  options: Partial<TriggerOptions> = {},
): Promise<Triggers> {
  return await compileTriggers(skills, {
    workspaces: ["/work"],
    windows: false,
    ...options,
  });
}

/** What one keyword skill with these words comes to. */
export async function matchWords(
  words: readonly string[],
  message: string,
): Promise<MatchResult> {
  const triggers = await compiled([skillOf("one", keywords(...words))]);
  return await triggers.match({ message });
}

/** The glob that brings a rule up for a path; undefined: none does. */
export async function matchGlob(
  patterns: readonly string[],
  path: string,
  options: Partial<TriggerOptions> = {},
): Promise<string | undefined> {
  const triggers = await compiled(
    [skillOf("rule", globs(...patterns))],
    options,
  );
  return (await triggers.match({ paths: [path] })).hits[0]?.matched;
}
