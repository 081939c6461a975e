/**
 * The text of a skill as it is delivered. Commands are found in what the author
 * wrote, before any input is put in, and neither outputs nor values are looked
 * at again: no input can make a command, or change one.
 */

import {
  bindInputs,
  type BoundInputs,
  type GivenInputs,
  openInputsNote,
} from "../context/inputs.ts";
import type { RenderedCommand } from "../context/types.ts";
import { ok, type Result } from "../base/refusal.ts";
import type { Skill } from "../catalog/types.ts";
import type { Engine } from "./engine_types.ts";
import type { ShowPaths } from "./shown_paths.ts";
import { inputsOf } from "./skill_inputs.ts";

/** A text with its inputs, before anything of it is run. */
export interface PreparedText extends Omit<BoundInputs, "fill"> {
  /** Runs what the owner listed; `show` is how outputs are shown. */
  render(signal: AbortSignal, show: ShowPaths): Promise<DeliveredText>;
}

/** A text as it is delivered. */
export interface DeliveredText {
  readonly text: string;
  readonly commands: readonly RenderedCommand[];
}

/** Holds the inputs against what the skill asks for. Runs nothing. */
export function prepareText(
  { context }: Pick<Engine, "context">,
  skill: Skill,
  given: GivenInputs,
): Result<PreparedText> {
  const bound = bindInputs(skill.body, inputsOf(skill), given);
  if (!bound.ok) return bound;
  const { missing, open, fill } = bound.value;
  return ok({
    missing,
    open,
    render: async (signal, show) => {
      const { text, commands } = await context.render({
        skill,
        text: skill.body,
        literal: fill,
        shown: show.text,
        signal,
      });
      const note = openInputsNote(open);
      return {
        text: note === "" ? text : `${text}\n\n---\n${note}\n`,
        commands,
      };
    },
  });
}
