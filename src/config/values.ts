/** Reading one value: the placeholder rule, then the kind of its variable. */

import { isAbsolute } from "node:path";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import { listed, visible } from "../base/text.ts";
import { parseLimits } from "./limits.ts";
import { accepted } from "./variable_kinds.ts";
import { OWN_PREFIX, type Variable } from "./variables.ts";

/** Where raw values come from; undefined when the name is not set. */
export type RawEnv = (name: string) => string | undefined;

// Launchers hand these over for a setting that the user left empty.
const UNSET_WORDS: ReadonlySet<string> = new Set(["", "undefined", "null"]);
/** Complaints about the parts of one value that are told at most. */
const COMPLAINTS = 4;
const PLACEHOLDER = /^\$\{[^}]*\}$/;

/**
 * The value as it counts: trimmed, and undefined when it is blank, `undefined`,
 * `null` or one whole `${...}` placeholder.
 */
export function setValue(raw: string | undefined): string | undefined {
  const text = raw?.trim();
  if (text === undefined || UNSET_WORDS.has(text)) return undefined;
  return PLACEHOLDER.test(text) ? undefined : text;
}

/**
 * Reads a single-valued variable. A malformed value is refused (`CONFIG`) with
 * its name, the value and what is accepted.
 */
export function readVariable(
  row: Variable,
  env: RawEnv,
): Result<string | undefined> {
  const value = countingValue(row, env);
  if (value === undefined) return ok(undefined);
  const { kind } = row;
  switch (kind.type) {
    case "text":
    case "paths":
      return ok(value);
    case "path":
      return isAbsolute(value) ? ok(value) : malformed(row, value);
    case "integer": {
      const number = /^\d{1,10}$/.test(value) ? Number(value) : NaN;
      const fits = number >= kind.min && number <= kind.max;
      return fits ? ok(String(number)) : malformed(row, value);
    }
    case "choice": {
      const word = value.toLowerCase();
      return kind.values.includes(word) ? ok(word) : malformed(row, value);
    }
    case "choices": {
      const words = value.toLowerCase().split(",").map((word) => word.trim())
        .filter((word) => word !== "");
      return words.every((word) => kind.values.includes(word))
        ? ok([...new Set(words)].join(",") || undefined)
        : malformed(row, value);
    }
    case "limits": {
      const { wrong } = parseLimits(value);
      return wrong.length > 0
        ? malformed(row, value, listed(wrong, COMPLAINTS))
        : ok(value);
    }
  }
}

/** The text of a variable as it counts, well formed or not. */
export function countingValue(row: Variable, env: RawEnv): string | undefined {
  const raw = env(row.name);
  // A placeholder read as unset would loosen what its owner meant to set.
  const blankOnly = row.blankOnly === true || row.name.startsWith(OWN_PREFIX);
  return blankOnly ? raw?.trim() || undefined : setValue(raw);
}

/** A path that starts with `~`: nothing here expands it. Undefined when fine. */
export function tildeComplaint(
  source: string,
  path: string,
): Refusal | undefined {
  if (!path.startsWith("~")) return undefined;
  return refuse(
    "CONFIG",
    `${source} is ${quoted(path)}: a leading ~ is not expanded here`,
    "Write the full path of the directory, starting with /.",
  );
}

/** A value as messages show it. */
export function quoted(value: string): string {
  return `"${visible(value)}"`;
}

function malformed(row: Variable, value: string, why?: string): Refusal {
  return (row.kind.type === "path" ? tildeComplaint(row.name, value) : null) ??
    refuse(
      "CONFIG",
      `${row.name} is ${quoted(value)}${
        why === undefined ? "" : `: ${why}`
      }; accepted: ${accepted(row.kind)}`,
      `Correct it or remove it (unset: ${row.fallback}).`,
    );
}
