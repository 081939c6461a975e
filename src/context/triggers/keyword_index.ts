/** Keywords by what they begin with, and one walk over a text that finds them. */

import { type Joined, joinedAt } from "./boundaries.ts";
import { Characters, UNSPACED, WORD } from "./characters.ts";

/** A place where a keyword's letters stand without being it. */
export interface Miss {
  /** Offset into the folded text. */
  readonly at: number;
  readonly why: Joined;
}

/** What one keyword came to in a text. */
export interface Found {
  /** Where it matches: offsets into the folded text, ascending. */
  readonly places: number[];
  /** The first place where it nearly does. */
  miss: Miss | undefined;
}

/** Keywords that hold one word at one place, by their length. */
interface Shape {
  /** Units of the keyword before the word. */
  readonly before: number;
  readonly length: number;
  readonly keywords: Set<string>;
}

/** Letters of a word by which it is found inside longer words. */
const INSIDE = 3;
/** Longer words are encoded data, and hold anything. */
const LONGEST_WORD = 64;
/** Looks into words in one text, so that near misses never cost more than hits. */
const MOST_LOOKS = 100_000;

/** Folded keywords, found in folded texts. */
export class KeywordIndex {
  readonly #characters = new Characters();
  /** By the first word in them, else by their first character. */
  readonly #words = new Map<string, Shape[]>();
  readonly #points = new Map<number, Shape[]>();
  /** Lengths of the words of `#words`, by their first letters. */
  readonly #heads = new Map<string, number[]>();
  #looks = 0;

  /** Adds a keyword that is not empty; the same one again changes nothing. */
  add(keyword: string): void {
    const [start, end] = this.#firstWord(keyword);
    if (start === end) {
      put(listIn(this.#points, keyword.codePointAt(0)!), 0, keyword);
      return;
    }
    const word = keyword.slice(start, end);
    const shapes = listIn(this.#words, word);
    if (shapes.length === 0 && word.length >= INSIDE) {
      const lengths = listIn(this.#heads, word.slice(0, INSIDE));
      if (!lengths.includes(word.length)) lengths.push(word.length);
    }
    put(shapes, start, keyword);
  }

  /** Every keyword that is in the folded `text`, or nearly is. */
  find(text: string): Map<string, Found> {
    const found = new Map<string, Found>();
    const seen = new Set<string>();
    this.#looks = 0;
    for (let index = 0; index < text.length;) {
      const point = text.codePointAt(index)!;
      const kind = this.#characters.classOf(point);
      if (kind !== WORD) {
        const shapes = this.#points.get(point);
        if (shapes !== undefined) this.#look(text, index, shapes, found);
        index += point > 0xffff ? 2 : 1;
        continue;
      }
      const end = this.#endOfWord(text, index);
      const word = text.slice(index, end);
      const shapes = this.#words.get(word);
      if (shapes !== undefined) this.#look(text, index, shapes, found);
      if (word.length > INSIDE && word.length <= LONGEST_WORD) {
        if (!seen.has(word)) {
          seen.add(word);
          this.#lookInside(text, index, word, found);
        }
      }
      index = end;
    }
    return found;
  }

  /** The word around a near miss, for people; offsets into the folded text. */
  wordAround(text: string, start: number, end: number): [number, number] {
    let [first, last] = [start, end];
    while (first > 0 && start - first < LONGEST_WORD) {
      if (!this.#goesOn(text.charCodeAt(first - 1))) break;
      first--;
    }
    while (last < text.length && last - end < LONGEST_WORD) {
      if (!this.#goesOn(text.charCodeAt(last))) break;
      last++;
    }
    return [first, last];
  }

  #goesOn(unit: number): boolean {
    if (unit > 0xd7ff && unit < 0xe000) return true;
    return unit !== 0x20 && (this.#characters.classOf(unit) === WORD ||
      "/-_.:\\+".includes(String.fromCharCode(unit)));
  }

  #firstWord(keyword: string): [number, number] {
    for (let index = 0; index < keyword.length;) {
      const point = keyword.codePointAt(index)!;
      if (this.#characters.classOf(point) === WORD) {
        return [index, this.#endOfWord(keyword, index)];
      }
      // Its scripts have no words to go by: the first character does.
      if (this.#characters.classOf(point) === UNSPACED) break;
      index += point > 0xffff ? 2 : 1;
    }
    return [0, 0];
  }

  #endOfWord(text: string, start: number): number {
    let end = start;
    while (end < text.length) {
      const point = text.codePointAt(end)!;
      if (this.#characters.classOf(point) !== WORD) break;
      end += point > 0xffff ? 2 : 1;
    }
    return end;
  }

  #lookInside(
    text: string,
    start: number,
    word: string,
    found: Map<string, Found>,
  ): void {
    for (let at = 0; at + INSIDE <= word.length; at++) {
      for (const length of this.#heads.get(word.slice(at, at + INSIDE)) ?? []) {
        if (length === word.length || at + length > word.length) continue;
        if (++this.#looks > MOST_LOOKS) return;
        const shapes = this.#words.get(word.slice(at, at + length));
        if (shapes !== undefined) this.#look(text, start + at, shapes, found);
      }
    }
  }

  #look(
    text: string,
    wordAt: number,
    shapes: readonly Shape[],
    found: Map<string, Found>,
  ): void {
    for (const { before, length, keywords } of shapes) {
      const start = wordAt - before;
      if (start < 0) continue;
      const keyword = text.slice(start, start + length);
      if (!keywords.has(keyword)) continue;
      let entry = found.get(keyword);
      if (entry === undefined) {
        found.set(keyword, entry = { places: [], miss: undefined });
      }
      const why = joinedAt(text, start, keyword, this.#characters);
      if (why === undefined) entry.places.push(start);
      else entry.miss ??= { at: start, why };
    }
  }
}

function put(shapes: Shape[], before: number, keyword: string): void {
  const { length } = keyword;
  let shape = shapes.find((one) =>
    one.before === before && one.length === length
  );
  if (shape === undefined) {
    shapes.push(shape = { before, length, keywords: new Set() });
  }
  shape.keywords.add(keyword);
}

function listIn<Key, Item>(map: Map<Key, Item[]>, key: Key): Item[] {
  let list = map.get(key);
  if (list === undefined) map.set(key, list = []);
  return list;
}
