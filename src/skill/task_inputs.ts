/** What a task skill asks for: `inputs:`. */

import { isRecord, own, reportUnknownKeys, shown } from "./block_values.ts";
import type { Findings } from "./findings.ts";
import type { PathStep } from "./frontmatter.ts";
import { readBoolean, readTexts, type Written } from "./trigger_values.ts";
import type { TaskInput } from "./types.ts";

/** Most inputs of one skill. */
export const MAX_INPUTS = 20;
/** Most choices of one input. */
export const MAX_CHOICES = 100;
/** Longest description of an input, in UTF-16 units. */
export const MAX_INPUT_DESCRIPTION = 1024;

const INPUT_KEYS = ["name", "description", "required", "choices"];
/** What `${name}` can stand for, at most 64 characters. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * Reads a list of inputs; undefined when there is none. An input without a
 * usable name is left out, as is the second of a name; smaller faults cost what
 * they are about. All are reported.
 */
export function readInputs(
  given: Written | undefined,
  findings: Findings,
): readonly TaskInput[] | undefined {
  if (given === undefined) return undefined;
  const { value, path } = given;
  if (!Array.isArray(value)) {
    findings.add({
      severity: "warning",
      path,
      detail: `${shown(value)} is not a list of inputs; it counts as absent`,
      hint: "Write a list of mappings: - name: word",
    });
    return undefined;
  }
  if (value.length > MAX_INPUTS) {
    findings.add({
      severity: "warning",
      path,
      detail: `holds ${value.length} inputs; the first ${MAX_INPUTS} are taken`,
      hint: `Ask for at most ${MAX_INPUTS}.`,
    });
  }
  const inputs = new Map<string, TaskInput>();
  for (const [i, entry] of value.slice(0, MAX_INPUTS).entries()) {
    const input = readInput(entry, [...path, i], findings);
    if (input === undefined) continue;
    if (inputs.has(input.name)) {
      findings.add({
        severity: "warning",
        path: [...path, i, "name"],
        detail: `${input.name} is asked for already; the first entry stands`,
        hint: "Keep one entry for each name.",
      });
    } else inputs.set(input.name, input);
  }
  return [...inputs.values()];
}

function readInput(
  entry: unknown,
  path: readonly PathStep[],
  findings: Findings,
): TaskInput | undefined {
  const warn = (key: string | undefined, detail: string, hint: string) =>
    findings.add({
      severity: "warning",
      path: key === undefined ? path : [...path, key],
      detail,
      hint,
    });
  if (!isRecord(entry)) {
    warn(
      undefined,
      `${shown(entry)} is not a mapping; left out`,
      "Write name: and, if wanted, description:, required: and choices:.",
    );
    return undefined;
  }
  reportUnknownKeys(entry, INPUT_KEYS, path, findings);
  const name = own(entry, "name");
  if (typeof name !== "string" || !IDENTIFIER.test(name)) {
    warn(
      "name",
      name === undefined
        ? "is missing; the input is left out"
        : `${shown(name)} is not an identifier; the input is left out`,
      "Use letters, digits and _, not a digit first, at most 64.",
    );
    return undefined;
  }
  const member = (key: string): Written | undefined => {
    const value = own(entry, key) ?? undefined;
    return value === undefined ? undefined : { value, path: [...path, key] };
  };
  const choices = member("choices");
  return {
    name,
    description: readDescription(member("description"), findings),
    required: readBoolean(member("required"), findings) ?? false,
    choices: choices === undefined ? [] : readTexts(choices, {
      what: "choices",
      most: MAX_CHOICES,
      hint: 'Write a list of texts, as in ["one", "two"].',
      findings,
    }) ?? [],
  };
}

function readDescription(
  given: Written | undefined,
  findings: Findings,
): string | undefined {
  if (given === undefined) return undefined;
  const { value, path } = given;
  if (typeof value === "string" && value.length <= MAX_INPUT_DESCRIPTION) {
    return value.trim() || undefined;
  }
  findings.add({
    severity: "warning",
    path,
    detail: typeof value === "string"
      ? `is longer than ${MAX_INPUT_DESCRIPTION} characters; it counts as absent`
      : `${shown(value)} is not text; it counts as absent`,
    hint: "Write one short sentence.",
  });
  return undefined;
}
