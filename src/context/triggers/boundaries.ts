/** Where a keyword may begin and end. */

import {
  type Characters,
  isMark,
  isNaming,
  OTHER,
  pointBefore,
  UNSPACED,
  WORD,
} from "./characters.ts";

/** Why a place where the letters stand is no match. */
export type Joined = "inside-word" | "not-at-start";

/** Longer words are encoded data, and hold anything. UTF-16 units. */
export const LONGEST_WORD = 64;
/** What may stand right before a slash word, back to a blank or the start. */
const OPENS = /[\p{Ps}\p{Pi}"'`]/u;
/** Punctuation of scripts that put no blank after it. */
const WIDE = /[\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f]/u;
/** What may follow a slash word: an end, or punctuation that closes. */
const CLOSES =
  /(?:$|[\s,;!?)\]}>"'`\p{Pf}…]|[\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f]|[.:]+(?=$|[\s,;!?)\]}>"'`\p{Pf}…]))/uy;

/** A keyword that is a slash word: `/fix`, not `/ fix` and not `//fix`. */
export function isSlashWord(keyword: string): boolean {
  return keyword.startsWith("/") && /^\/[^\s/]/u.test(keyword);
}

/**
 * Why the folded `keyword` that stands in `text` at `start` is only a part of
 * something longer; undefined when it is not.
 */
export function joinedAt(
  text: string,
  start: number,
  keyword: string,
  characters: Characters,
): Joined | undefined {
  const end = start + keyword.length;
  if (isSlashWord(keyword)) return slashJoined(text, start, end, characters);
  const before = pointBefore(text, start);
  if (
    before !== undefined &&
    sticks(text.codePointAt(start)!, before, characters)
  ) return "inside-word";
  return stickyEnd(text, end, characters) ? "inside-word" : undefined;
}

/** Where the first word of a keyword stands; an empty span: it has none. */
export function firstWord(
  keyword: string,
  characters: Characters,
): [start: number, end: number] {
  for (let index = 0; index < keyword.length;) {
    const point = keyword.codePointAt(index)!;
    const kind = characters.classOf(point);
    if (kind === WORD) return [index, endOfWord(keyword, index, characters)];
    // Its scripts have no words to go by: the first character does.
    if (kind === UNSPACED) break;
    index += point > 0xffff ? 2 : 1;
  }
  return [0, 0];
}

function endOfWord(
  text: string,
  start: number,
  characters: Characters,
): number {
  let end = start;
  while (end < text.length) {
    const point = text.codePointAt(end)!;
    if (characters.classOf(point) !== WORD) break;
    end += point > 0xffff ? 2 : 1;
  }
  return end;
}

/** Whether no word goes on before `start` or after `end`. */
export function isWhole(
  text: string,
  start: number,
  end: number,
  characters: Characters,
): boolean {
  const before = pointBefore(text, start);
  if (before !== undefined && characters.classOf(before) === WORD) return false;
  const after = text.codePointAt(end);
  return after === undefined || characters.classOf(after) !== WORD;
}

/** The word around a near miss, for people; offsets into the folded text. */
export function wordAround(
  text: string,
  start: number,
  end: number,
  characters: Characters,
): [number, number] {
  let [first, last] = [start, end];
  while (first > 0 && start - first < LONGEST_WORD) {
    if (!goesOn(text.charCodeAt(first - 1), characters)) break;
    first--;
  }
  while (last < text.length && last - end < LONGEST_WORD) {
    if (!goesOn(text.charCodeAt(last), characters)) break;
    last++;
  }
  return [first, last];
}

function goesOn(unit: number, characters: Characters): boolean {
  if (unit > 0xd7ff && unit < 0xe000) return true;
  return unit !== 0x20 && (characters.classOf(unit) === WORD ||
    "/-_.:\\+".includes(String.fromCharCode(unit)));
}

function slashJoined(
  text: string,
  start: number,
  end: number,
  characters: Characters,
): Joined | undefined {
  let index = start;
  let before = pointBefore(text, index);
  while (before !== undefined && OPENS.test(String.fromCodePoint(before))) {
    index -= before > 0xffff ? 2 : 1;
    before = pointBefore(text, index);
  }
  if (before !== undefined && !/\s/.test(String.fromCodePoint(before))) {
    if (!WIDE.test(String.fromCodePoint(before))) return "not-at-start";
  }
  const after = text.codePointAt(end);
  if (after === undefined) return undefined;
  if (isMark(after)) return "inside-word";
  if (characters.classOf(after) === UNSPACED) return undefined;
  CLOSES.lastIndex = end;
  return CLOSES.test(text) ? undefined : "inside-word";
}

function stickyEnd(
  text: string,
  end: number,
  characters: Characters,
): boolean {
  const after = text.codePointAt(end);
  if (after === undefined) return false;
  if (isMark(after)) return true;
  return sticks(pointBefore(text, end)!, after, characters);
}

/** Whether the edge of a keyword and its neighbour make one word. */
function sticks(
  edge: number,
  neighbour: number,
  characters: Characters,
): boolean {
  if (characters.classOf(neighbour) !== WORD) return false;
  const kind = characters.classOf(edge);
  return kind === WORD || (kind === OTHER && isNaming(edge));
}
