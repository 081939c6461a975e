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

/** Longer words are encoded data, and hold anything. */
const LONGEST_WORD = 64;
/** Looks into words in one text, so that near misses never cost more than hits. */
const MOST_LOOKS = 100_000;
/** Entries of what tells that a word is in no keyword, without cutting it out. */
const SIEVE = 1 << 14;

/** Folded keywords, found in folded texts. */
export class KeywordIndex {
  readonly #characters = new Characters();
  /** By the first word in them, else by their first character. */
  readonly #words = new Map<string, Shape[]>();
  readonly #points = new Map<number, Shape[]>();
  /** Lengths of the words of `#words`, by their first letters. */
  readonly #heads = new Map<string, number[]>();
  /** 1 where a word, the first letters of one, or a keyword may be in the maps. */
  readonly #wordSieve = new Uint8Array(SIEVE);
  readonly #headSieve = new Uint8Array(SIEVE);
  readonly #keywordSieve = new Uint8Array(SIEVE);
  #looks = 0;

  /** Adds a keyword that is not empty; the same one again changes nothing. */
  add(keyword: string): void {
    const [start, end] = this.#firstWord(keyword);
    this.#keywordSieve[keywordHash(keyword, 0, keyword.length)] = 1;
    if (start === end) {
      put(listIn(this.#points, keyword.codePointAt(0)!), 0, keyword);
      return;
    }
    const word = keyword.slice(start, end);
    const shapes = listIn(this.#words, word);
    this.#wordSieve[wordHash(keyword, start, end)] = 1;
    // Shorter words stand inside too many others to be worth a word.
    if (shapes.length === 0 && word.length >= 3) {
      const lengths = listIn(this.#heads, word.slice(0, 3));
      const [first, second] = [word.charCodeAt(0), word.charCodeAt(1)];
      this.#headSieve[hashOf(first, second, word.charCodeAt(2))] = 1;
      if (!lengths.includes(word.length)) lengths.push(word.length);
    }
    put(shapes, start, keyword);
  }

  /**
   * Every keyword that is in the folded `text`, or nearly is. One loop that calls
   * nothing for most characters: a process that matches once runs it as it is.
   */
  find(text: string): Map<string, Found> {
    const found = new Map<string, Found>();
    const { seen } = this.#characters;
    const [words, heads] = [this.#wordSieve, this.#headSieve];
    const signs = this.#points.size > 0;
    const inside: number[] = [];
    const looked = new Set<string>();
    let start = -1;
    let first = 0;
    let second = 0;
    this.#looks = 0;
    for (let index = 0; index < text.length;) {
      const unit = text.charCodeAt(index);
      let kind = seen[unit]! - 1;
      let next = index + 1;
      if (kind < 0 || (unit & 0xfc00) === 0xd800) {
        const point = text.codePointAt(index)!;
        kind = this.#characters.classOf(point);
        if (point > 0xffff) next++;
      }
      if (kind === WORD) {
        if (start < 0) start = index;
        else if (index >= start + 2 && heads[hashOf(first, second, unit)]) {
          inside.push(index - 2);
        }
        first = second;
        second = unit;
        if (next < text.length) {
          index = next;
          continue;
        }
      }
      if (start >= 0) {
        const end = kind === WORD ? next : index;
        if (words[wordHash(text, start, end)]) {
          const shapes = this.#words.get(text.slice(start, end));
          if (shapes !== undefined) this.#look(text, start, shapes, found);
        }
        if (inside.length > 0) {
          const word = text.slice(start, end);
          if (end - start <= LONGEST_WORD && !looked.has(word)) {
            looked.add(word);
            this.#lookInside(text, [start, end], inside, found);
          }
          inside.length = 0;
        }
        start = -1;
      }
      if (signs && kind !== WORD) {
        const shapes = this.#points.get(text.codePointAt(index)!);
        if (shapes !== undefined) this.#look(text, index, shapes, found);
      }
      index = next;
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

  /** `inside`: where another word may begin, by its first three units. */
  #lookInside(
    text: string,
    [start, end]: readonly [number, number],
    inside: readonly number[],
    found: Map<string, Found>,
  ): void {
    for (const at of inside) {
      for (const length of this.#heads.get(text.slice(at, at + 3)) ?? []) {
        if (length === end - start || at + length > end) continue;
        if (++this.#looks > MOST_LOOKS) return;
        const inner = this.#words.get(text.slice(at, at + length));
        if (inner !== undefined) this.#look(text, at, inner, found);
      }
    }
  }

  #look(
    text: string,
    wordAt: number,
    shapes: readonly Shape[],
    found: Map<string, Found>,
  ): void {
    for (let n = 0; n < shapes.length; n++) {
      const shape = shapes[n]!;
      const start = wordAt - shape.before;
      const end = start + shape.length;
      if (start < 0 || end > text.length) continue;
      if (this.#keywordSieve[keywordHash(text, start, end)] === 0) continue;
      const keyword = text.slice(start, end);
      if (!shape.keywords.has(keyword)) continue;
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

function wordHash(text: string, start: number, end: number): number {
  return hashOf(end - start, text.charCodeAt(start), text.charCodeAt(end - 1));
}

function keywordHash(text: string, start: number, end: number): number {
  const middle = text.charCodeAt(start + ((end - start) >> 1));
  return hashOf(middle, end - start, text.charCodeAt(end - 1));
}

function hashOf(first: number, second: number, third: number): number {
  return (first * 961 + second * 131 + third) & (SIEVE - 1);
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
