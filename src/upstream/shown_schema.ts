/** A stranger's JSON, bounded and made visible. Pure. */

import { visible } from "../base/text.ts";
import { isRecord } from "../skill/block_values.ts";

/** How much of it is kept. */
export interface JsonBounds {
  /** Characters of the whole as JSON text. */
  readonly characters: number;
  readonly depth: number;
}

/** Characters of one text or key within. */
const MAX_TEXT = 20_000;
const MAX_KEY = 200;

/**
 * The value with every text in it made visible, several lines kept as lines;
 * undefined when it is beyond the bounds.
 */
export function shownJson(value: unknown, bounds: JsonBounds): unknown {
  let left = bounds.characters;
  const spend = (count: number) => {
    left -= count;
    if (left < 0) throw TOO_MUCH;
  };
  const walk = (value: unknown, depth: number): unknown => {
    if (depth > bounds.depth) throw TOO_MUCH;
    spend(2);
    if (typeof value === "string") {
      spend(value.length);
      return visibleLines(value, MAX_TEXT).text;
    }
    if (Array.isArray(value)) return value.map((one) => walk(one, depth + 1));
    if (!isRecord(value)) return value ?? null;
    const entries = Object.entries(value).map(([key, one]) => {
      spend(key.length + 2);
      return [visible(key, MAX_KEY), walk(one, depth + 1)];
    });
    return Object.fromEntries(entries);
  };
  try {
    return walk(value, 0);
  } catch (error) {
    if (error === TOO_MUCH) return undefined;
    throw error;
  }
}

const TOO_MUCH = Symbol("too much");

/** Text with what is unseen in it shown, line by line, and cut at `max`. */
export function visibleLines(
  text: string,
  max: number,
): { readonly text: string; readonly cut: number } {
  const kept = text.length > max ? text.slice(0, wholeUnits(text, max)) : text;
  const shown = kept.split("\n").map((line) =>
    line.split("\t").map((part) =>
      visible(part.replace(/\r$/, ""), Number.MAX_SAFE_INTEGER)
    ).join("\t")
  ).join("\n");
  return { text: shown, cut: text.length - kept.length };
}

/** Not between the halves of a character. */
function wholeUnits(text: string, max: number): number {
  const last = text.charCodeAt(max - 1);
  return last >= 0xd800 && last <= 0xdbff ? max - 1 : max;
}
