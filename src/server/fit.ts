/**
 * Sizes of answers. What counts is the text as JSON, because that is what
 * travels and what clients measure: some cut at about 45,000 characters, others
 * divert more than 50,000 to a file.
 */

/** Characters of JSON-encoded text that a default answer stays under. */
export const ANSWER_CHARS = 40_000;

/** How long `text` is once it is a JSON string, quotes included. */
export function encodedLength(text: string): number {
  return JSON.stringify(text).length;
}

/**
 * How long a value is where it will stand: as JSON, inside a JSON string
 * (`content[0].text` of a structured answer).
 */
export function structuredLength(value: unknown): number {
  return encodedLength(JSON.stringify(value));
}

/** At most `max` UTF-16 units, never half a character, `…` when cut. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return max < 1 ? "" : `${prefix(text, max - 1)}…`;
}

/** The longest prefix of at most `max` units that splits no character. */
export function prefix(text: string, max: number): string {
  const end = Math.max(0, Math.min(max, text.length));
  return text.slice(0, splitsPair(text, end) ? end - 1 : end);
}

/** The longest prefix whose JSON string takes at most `budget` characters. */
export function encodedPrefix(text: string, budget: number): string {
  if (encodedLength(text) <= budget) return text;
  let low = 0;
  let high = Math.min(text.length, Math.max(0, budget));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (encodedLength(prefix(text, middle)) <= budget) low = middle;
    else high = middle - 1;
  }
  return prefix(text, low);
}

/**
 * Takes items while they fit in `budget` characters of a structured answer;
 * `least` of them come in any case, so that paging always moves on.
 */
export function takeFitting<T>(
  items: readonly T[],
  budget: number,
  least = 0,
): T[] {
  let left = budget;
  const taken: T[] = [];
  for (const item of items) {
    left -= structuredLength(item) + 1;
    if (left < 0 && taken.length >= least) break;
    taken.push(item);
  }
  return taken;
}

/**
 * At most `max` units, and at most about twice that as JSON: text full of
 * control characters, each of which grows to seven, is cut shorter.
 */
export function boundedText(text: string, max: number): string {
  let shown = cutText(text, max);
  while (structuredLength(shown) > 2 * max + 16) {
    shown = cutText(text, shown.length >> 1);
  }
  return shown;
}

function splitsPair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 &&
    after <= 0xdfff;
}
