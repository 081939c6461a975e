/** The values that stand in a trigger: words, globs, yes or no. */

import { shown } from "./block_values.ts";
import type { Findings } from "./findings.ts";
import type { PathStep } from "./frontmatter.ts";

/** Most keywords of one skill. */
export const MAX_KEYWORDS = 100;
/** Most globs of one skill. */
export const MAX_GLOBS = 100;
/** Longest keyword or glob, in UTF-16 units. */
export const MAX_WORD = 200;

/** A value as it was written, and where. */
export interface Written {
  readonly value: unknown;
  readonly path: readonly PathStep[];
}

/** Keywords as written; undefined when there is no list. */
export function readKeywords(
  given: Written | undefined,
  findings: Findings,
): readonly string[] | undefined {
  return given === undefined ? undefined : readTexts(given, {
    what: "keywords",
    most: MAX_KEYWORDS,
    hint: 'Write a list, as in ["word", "/word", "re:wo+rd"].',
    findings,
  });
}

/** Globs as written: a list, or a text with commas between them. */
export function readGlobs(
  given: Written | undefined,
  findings: Findings,
): readonly string[] | undefined {
  if (given === undefined) return undefined;
  const { value, path } = given;
  const list = typeof value === "string"
    ? value.split(",").map((glob) => glob.trim()).filter((glob) => glob !== "")
    : value;
  return readTexts({ value: list, path }, {
    what: "globs",
    most: MAX_GLOBS,
    hint: 'Write a list, as in ["src/**/*.ts", "!*.test.ts"].',
    findings,
  });
}

/** True or false; undefined when it is neither. */
export function readBoolean(
  given: Written | undefined,
  findings: Findings,
): boolean | undefined {
  if (given === undefined) return undefined;
  if (typeof given.value === "boolean") return given.value;
  findings.add({
    severity: "warning",
    path: given.path,
    detail: `${shown(given.value)} is not true or false; it counts as absent`,
    hint: "Write true or false, without quotes.",
  });
  return undefined;
}

/** What a list of texts is read by. */
export interface TextsOptions {
  /** What its items are called. */
  readonly what: string;
  readonly most: number;
  readonly hint: string;
  readonly findings: Findings;
}

/** The texts of a list, each once; what is no text, or too long, is left out. */
export function readTexts(
  { value, path }: Written,
  { what, most, hint, findings }: TextsOptions,
): readonly string[] | undefined {
  const report = (place: readonly PathStep[], detail: string) =>
    findings.add({ severity: "warning", path: place, detail, hint });
  if (!Array.isArray(value)) {
    report(
      path,
      `${shown(value)} is not a list of ${what}; it counts as absent`,
    );
    return undefined;
  }
  if (value.length > most) {
    report(
      path,
      `holds ${value.length} ${what}; the first ${most} are taken`,
    );
  }
  const texts = new Set<string>();
  for (const [i, item] of value.slice(0, most).entries()) {
    const why = typeof item !== "string"
      ? `${shown(item)} is not text`
      : item.trim() === ""
      ? "is blank"
      : item.length > MAX_WORD
      ? `is longer than ${MAX_WORD} characters`
      : undefined;
    if (why === undefined) texts.add(item);
    else report([...path, i], `${why}; left out`);
  }
  return [...texts];
}
