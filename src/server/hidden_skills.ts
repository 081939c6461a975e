/** Skills that are kept from models, in words. */

import { type Refusal, refuse } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { HiddenFromModels, Skill } from "../catalog/types.ts";
import { skillPromptName } from "./prompts/prompt_table.ts";

const WHY: Readonly<Record<HiddenFromModels, string>> = {
  "disable-model-invocation":
    "its author wants it brought by its triggers or by its prompt alone (disable-model-invocation)",
  "path-rule": "it is a rule for certain paths, which bring it",
  "always-on": "it is always on: a part of the context",
};

/** Why a skill is kept from models. */
export function whyHidden(hidden: HiddenFromModels): string {
  return WHY[hidden];
}

/** The refusal of a hidden skill that a model asks for; undefined for others. */
export function refuseHidden(
  { name, hidden }: Pick<Skill, "name" | "hidden">,
): Refusal | undefined {
  if (hidden === undefined) return undefined;
  return refuse(
    "NOT_FOR_MODELS",
    `"${visible(name)}" is not loaded by tool: ${WHY[hidden]}`,
    hidden === "always-on"
      ? "skill_file reads the context at skillfence://context."
      : hidden === "path-rule"
      ? "Call skill_match with the paths you read or edit."
      : `Call skill_match with the user's words; the user can also choose the prompt ${
        visible(skillPromptName(name))
      }.`,
  );
}
