/** Strangers' text of a record, as it may stand in an answer. */

import { normalize, relative } from "node:path";
import { visible } from "../base/text.ts";
import type { AccessRules } from "./types.ts";
import { isWithin } from "./verdicts.ts";

/** Characters of one entry at most, its mark of omission not counted. */
export const SHOWN: number = 120;
/** Stands for everything of a kind at once. */
export const ALL = "*";
/** A value this short would be found everywhere. */
const MIN_SECRET = 4;

/** Makes text fit to be shown. */
export type Show = (text: string) => string;

/**
 * Replaces the values of variables by `[NAME]`, in any case since hosts are
 * lower-cased, and as paths and URLs are spelled in a record; then makes the
 * rest visible and short. Values of less than 4 characters stay.
 */
export function showWithout(values: ReadonlyMap<string, string>): Show {
  const secrets = [...values]
    .flatMap(([name, value]) =>
      spellings(value).map((text) => [name, text] as const)
    )
    .filter(([, value]) => value.length >= MIN_SECRET)
    .sort(([, a], [, b]) => b.length - a.length);
  if (secrets.length === 0) return (text) => visible(text, SHOWN);
  const names = new Map(
    secrets.map(([name, value]) => [value.toLowerCase(), name]),
  );
  const pattern = new RegExp(
    secrets.map(([, value]) => RegExp.escape(value)).join("|"),
    "gi",
  );
  return (text) =>
    visible(
      text.replace(pattern, (found) => {
        const name = names.get(found.toLowerCase());
        return name === undefined ? "[a value]" : `[${name}]`;
      }),
      SHOWN,
    );
}

/** A value, and what becomes of it where it is taken for a path or a URL. */
function spellings(value: string): string[] {
  const url = URL.canParse(value) ? [new URL(value).href] : [];
  return [value, ...url].flatMap((text) => {
    // A path ends without the slash.
    const path = normalize(text).replace(/\/+$/, "");
    return [text, path];
  });
}

/**
 * An absolute path for people: relative inside the skill, `<scratch>/…` inside
 * the run's scratch. A file of the skill whose name looks like one of our own
 * marks keeps `./` before it.
 */
export function pathText(
  path: string,
  { skillDir, scratch }: Pick<AccessRules, "skillDir" | "scratch">,
): string {
  if (isWithin(path, scratch)) {
    return `<scratch>${path.slice(scratch.length)}`;
  }
  if (!isWithin(path, skillDir)) return path;
  const inside = relative(skillDir, path);
  if (inside === "") return ".";
  return inside === ALL || inside.startsWith("<") ? `./${inside}` : inside;
}
