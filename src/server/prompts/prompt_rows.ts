/** Prompts as MCP lists them. */

import type { Prompt } from "@modelcontextprotocol/server";
import type { Skill } from "../../catalog/types.ts";
import { boundedText } from "../fit.ts";
import { inputsOf } from "../skill_inputs.ts";
import type { OfferedPrompt } from "./prompt_table.ts";

/** The one argument of a skill that asks for nothing: what it is to be used for. */
export const TASK = "task";
/** Longest title and description in a list. */
const MAX_TEXT = 1024;

/** The row of a prompt. */
export function promptRow(offered: OfferedPrompt): Prompt {
  const { name } = offered;
  if (offered.kind === "file") {
    const { title, description } = offered.file;
    return { name, ...texts(title, description) };
  }
  const { skill } = offered;
  return {
    name,
    ...texts(titleOf(skill), skill.description),
    arguments: argumentsOf(skill),
  };
}

/** What a task skill asks for, in its order; of any other skill the task. */
function argumentsOf(skill: Skill): NonNullable<Prompt["arguments"]> {
  const inputs = inputsOf(skill);
  if (inputs.length === 0) {
    return [{
      name: TASK,
      description: "What to use the skill for.",
      required: false,
    }];
  }
  return inputs.map(({ name, description, required }) => ({
    name,
    ...(description === undefined
      ? {}
      : { description: boundedText(description, MAX_TEXT) }),
    required,
  }));
}

/** A skill's title, where its frontmatter has one as text. */
export function titleOf(skill: Skill): string | undefined {
  const title = skill.frontmatter?.title;
  return typeof title === "string" ? title.trim() || undefined : undefined;
}

function texts(
  title: string | undefined,
  description: string | undefined,
): { title?: string; description?: string } {
  return {
    ...(title === undefined ? {} : { title: boundedText(title, MAX_TEXT) }),
    ...(description === undefined
      ? {}
      : { description: boundedText(description, MAX_TEXT) }),
  };
}
