/** Prompt files by tools alone, for clients that show no prompts. */

import type { PromptFile, PromptSnapshot } from "../../prompt/types.ts";
import { boundedText } from "../fit.ts";
import { PROMPTS_URI, readPromptResource } from "./prompt_resources.ts";

/** Longest title or description in the list. */
const MAX_WORDS = 200;

/**
 * The text of a prompt file by its address; of `skillfence://prompts/` itself,
 * a line for each of them. Undefined where nothing is served.
 */
export function promptText(
  uri: string,
  snapshot: PromptSnapshot,
): string | undefined {
  if (uri === PROMPTS_URI) {
    return [...snapshot.prompts.values()].map(line).join("");
  }
  const content = readPromptResource(uri, snapshot)?.contents[0];
  return content !== undefined && "text" in content ? content.text : undefined;
}

/** What tells a model of tools alone that there are any; none without. */
export function promptNotes({ prompts }: PromptSnapshot): string[] {
  if (prompts.size === 0) return [];
  return [
    `There are prompt files (${prompts.size}): skill_file reads their list at ${PROMPTS_URI} and each at ${PROMPTS_URI}NAME.`,
  ];
}

function line({ name, title, description }: PromptFile): string {
  const words = description ?? title;
  if (words === undefined) return `${name}\n`;
  return `${name}: ${
    boundedText(words.replace(/\s+/g, " ").trim(), MAX_WORDS)
  }\n`;
}
