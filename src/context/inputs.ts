/**
 * What a task skill asks for, put into its text. Pure. A value is put in once
 * and never looked at again: what somebody writes into one input cannot reach
 * another, and cannot become a command.
 */

import { nearest } from "../base/nearest.ts";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import { listed, visible } from "../base/text.ts";
import type { TaskInput } from "../skill/types.ts";

/** UTF-8 bytes of one value, of all values, and of all that is put in. */
const MAX_VALUE = 8 * 1024;
const MAX_VALUES = 64 * 1024;
const MAX_PUT_IN = 1024 * 1024;

/** `${name}` */
const PLACE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
/** Control characters other than tab and line ends, and half characters. */
// deno-lint-ignore no-control-regex
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Cs}/u;

/** Values as they came, by name. */
export type GivenInputs = Readonly<Record<string, string>>;

/** Inputs that have their values. */
export interface BoundInputs {
  /** Required ones that have none, in declared order. */
  readonly missing: readonly TaskInput[];
  /** Other ones that have none: their places stay as they are. */
  readonly open: readonly TaskInput[];
  /** Puts the values into a part of the text. */
  fill(text: string): string;
}

/**
 * Holds `given` against what a skill asks for. A blank value counts as none.
 * Refused are names that are not declared and values that are too long
 * (`INVALID_ARGUMENTS`); missing ones are the caller's to deal with, see
 * `missingInputs`. `body` is the whole text that values are put into.
 */
export function bindInputs(
  body: string,
  inputs: readonly TaskInput[],
  given: GivenInputs,
): Result<BoundInputs> {
  const names = inputs.map(({ name }) => name);
  const values = new Map<string, string>();
  let all = 0;
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) return unknownInput(name, names);
    const bytes = new TextEncoder().encode(value).length;
    all += bytes;
    const wrong = bytes > MAX_VALUE || all > MAX_VALUES
      ? `is too long: ${MAX_VALUE / 1024} KiB each and ${
        MAX_VALUES / 1024
      } KiB together are the most`
      : UNFIT.test(value)
      ? "holds control characters or half a character"
      : undefined;
    if (wrong !== undefined) return badValue(name, wrong);
    if (value.trim() !== "") values.set(name, value);
  }
  let putIn = 0;
  for (const [, name] of body.matchAll(PLACE)) {
    putIn += values.get(name!)?.length ?? 0;
  }
  if (putIn > MAX_PUT_IN) {
    return refuse(
      "TOO_LARGE",
      "the text names its inputs so often that it would grow by more than 1 MiB",
      "Give shorter values.",
    );
  }
  const without = inputs.filter(({ name }) => !values.has(name));
  return ok({
    missing: without.filter(({ required }) => required),
    open: without.filter(({ required }) => !required),
    fill: (text) =>
      text.replace(PLACE, (place, name: string) => values.get(name) ?? place),
  });
}

/** The refusal of a text whose required inputs have no values. */
export function missingInputs(
  missing: readonly TaskInput[],
  where: string,
): Refusal {
  return refuse(
    "INPUT_MISSING",
    `required and not given: ${listed(missing.map(inputWords), 10)}`,
    `Ask the user for ${
      missing.length === 1 ? "it" : "them"
    }, then call again with ${where}.`,
  );
}

/** The line below a text whose optional inputs have no values; `""` for none. */
export function openInputsNote(open: readonly TaskInput[]): string {
  if (open.length === 0) return "";
  return `Not given: ${
    listed(open.map(inputWords), 10)
  }. Where the task needs one of these, ask the user for it before you go on.`;
}

/** `name (what it is)`: the name is an identifier, the rest a stranger's. */
function inputWords({ name, description }: TaskInput): string {
  return description === undefined
    ? visible(name, 100)
    : `${visible(name, 100)} (${visible(description, 300)})`;
}

function unknownInput(
  name: string,
  names: readonly string[],
): Result<never> {
  const [near] = nearest(name, names, 1);
  return refuse(
    "INVALID_ARGUMENTS",
    `unknown input "${visible(name, 100)}"` +
      (near === undefined ? "" : ` (did you mean "${visible(near, 100)}"?)`),
    names.length === 0
      ? "This skill asks for no inputs."
      : `Inputs: ${listed(names.map((each) => visible(each, 100)), 20)}.`,
  );
}

function badValue(name: string, wrong: string): Result<never> {
  return refuse(
    "INVALID_ARGUMENTS",
    `the input "${visible(name, 100)}" ${wrong}`,
    "Correct the value and call again.",
  );
}
