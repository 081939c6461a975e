/** Small steps every reader of the `mcp-host` block and of the grant takes. */

import { nearest } from "../base/nearest.ts";
import { visible } from "../base/text.ts";
import type { Findings } from "./findings.ts";
import type { PathStep } from "./frontmatter.ts";

/** Most run entries, variables and hosts, each. */
export const MAX_ENTRIES = 64;

/** Whether a value is a mapping. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member by its own key only: `constructor` finds nothing inherited. */
export function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A stranger's value in a sentence: short, on one line, nothing hidden. */
export function shown(value: unknown): string {
  if (typeof value === "string") return `"${visible(value, 80)}"`;
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return "a mapping";
  return String(value);
}

/** The keys of a record that are not among `known`, each with the nearest known. */
export function unknownKeys(
  record: Record<string, unknown>,
  known: readonly string[],
): { key: string; hint: string }[] {
  return Object.keys(record).filter((key) => !known.includes(key)).map(
    (key) => ({
      key,
      hint: `Known here: ${known.join(", ")}. Nearest: ${
        nearest(key, known, 1)
      }.`,
    }),
  );
}

/** Reports every unknown key of a mapping by name. */
export function reportUnknownKeys(
  record: Record<string, unknown>,
  known: readonly string[],
  path: readonly PathStep[],
  findings: Findings,
): void {
  for (const { key, hint } of unknownKeys(record, known)) {
    findings.add({
      severity: "warning",
      path: [...path, key],
      detail: "unknown key, ignored",
      hint,
      atKey: true,
    });
  }
}

/** The first 64 items of a list; what is no list counts as empty. */
export function listOf(
  value: unknown,
  path: readonly PathStep[],
  findings: Findings,
  what: string,
): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    findings.add({
      severity: "warning",
      path,
      detail: `is not a list; no ${what} are taken from it`,
      hint: "Write a list, one item on each line after a -.",
    });
    return [];
  }
  if (value.length > MAX_ENTRIES) {
    findings.add({
      severity: "warning",
      path,
      detail:
        `holds ${value.length} ${what}; the first ${MAX_ENTRIES} are taken`,
      hint: `Declare at most ${MAX_ENTRIES}.`,
    });
  }
  return value.slice(0, MAX_ENTRIES);
}
