/** Prompts as MCP gives them: one message of the user. */

import type { GetPromptResult } from "@modelcontextprotocol/server";
import { ok, type Result } from "../../base/refusal.ts";
import { listed, visible } from "../../base/text.ts";
import type { Skill } from "../../catalog/types.ts";
import { type GivenInputs, missingInputs } from "../../context/inputs.ts";
import type { Engine } from "../engine_types.ts";
import { AS_IT_IS, type ShowPaths } from "../shown_paths.ts";
import { inputsOf } from "../skill_inputs.ts";
import { prepareText } from "../skill_text.ts";
import { promptRow, TASK } from "./prompt_rows.ts";
import type { OfferedPrompt } from "./prompt_table.ts";

/** Files of a hidden skill that are named one by one. */
const MAX_FILES = 30;

/** How a message is made. */
export interface MessageOptions {
  readonly signal?: AbortSignal;
  /** How what commands print is shown. */
  readonly show?: ShowPaths;
}

/**
 * The message. Arguments of a task skill are its inputs: refused are unknown
 * ones, by name, and missing ones that it requires. Of other prompts unknown
 * arguments count for nothing.
 */
export async function promptMessage(
  engine: Engine,
  offered: OfferedPrompt,
  args: GivenInputs = {},
  { signal = new AbortController().signal, show = AS_IT_IS }: MessageOptions =
    {},
): Promise<Result<GetPromptResult>> {
  const { description } = promptRow(offered);
  const text = offered.kind === "file"
    ? ok(offered.file.body)
    : await skillText(engine, offered.skill, args, { signal, show });
  if (!text.ok) return text;
  return ok({
    ...(description === undefined ? {} : { description }),
    messages: [{ role: "user", content: { type: "text", text: text.value } }],
  });
}

/** The instructions as `skill_load` gives them, then where they come from. */
async function skillText(
  engine: Engine,
  skill: Skill,
  args: GivenInputs,
  { signal, show }: Required<MessageOptions>,
): Promise<Result<string>> {
  const isTask = inputsOf(skill).length > 0;
  const prepared = prepareText(engine, skill, isTask ? args : {});
  if (!prepared.ok) return prepared;
  const { missing, render } = prepared.value;
  if (missing.length > 0) {
    return missingInputs(missing, "the prompt's arguments");
  }
  const { text } = await render(signal, show);
  const task = isTask ? "" : args[TASK]?.trim() ?? "";
  return ok(`${text}

---
These are the instructions of the skill "${skill.name}". ${whatElse(skill)}${
    task === "" ? "" : `\n\nTask: ${task}`
  }
`);
}

/** How to get at what comes with the instructions. */
function whatElse({ name, hidden, files }: Skill): string {
  if (hidden === undefined) {
    return "skill_load with this name lists its files and scripts.";
  }
  const others = files.map(({ path }) => path)
    .filter((path) => path !== "SKILL.md");
  return others.length === 0
    ? `skill_file reads it again with name ${visible(name)}.`
    : `skill_file with this name reads its files: ${
      listed(others.map((path) => visible(path)), MAX_FILES)
    }.`;
}
