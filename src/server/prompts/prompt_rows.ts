/** Prompts as MCP lists and gives them. */

import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { Skill } from "../../catalog/types.ts";
import { boundedText } from "../fit.ts";
import type { OfferedPrompt } from "./prompt_table.ts";

/** The one argument: what the skill is to be used for. */
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
    arguments: [{
      name: TASK,
      description: "What to use the skill for.",
      required: false,
    }],
  };
}

/** A prompt as one message of the user. Unknown arguments count for nothing. */
export function promptMessage(
  offered: OfferedPrompt,
  args: Readonly<Record<string, string>> = {},
): GetPromptResult {
  const { description } = promptRow(offered);
  const text = offered.kind === "file"
    ? offered.file.body
    : skillText(offered.skill, args[TASK]?.trim() ?? "");
  return {
    ...(description === undefined ? {} : { description }),
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

/** A skill's title, where its frontmatter has one as text. */
export function titleOf(skill: Skill): string | undefined {
  const title = skill.frontmatter?.title;
  return typeof title === "string" ? title.trim() || undefined : undefined;
}

/** The instructions as `skill_load` gives them, then where they come from. */
function skillText({ name, body }: Skill, task: string): string {
  return `${body}

---
These are the instructions of the skill "${name}". skill_load with this name \
lists its files and scripts.${task === "" ? "" : `\n\nTask: ${task}`}
`;
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
