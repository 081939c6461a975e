/**
 * Keywords by what they begin with, found in a text by its words. Texts are cut
 * and searched by what the engine has built in: a loop over their characters
 * takes several times as long in a process without a compiler.
 */

import {
  firstWord,
  isWhole,
  type Joined,
  joinedAt,
  LONGEST_WORD,
  wordAround,
} from "./boundaries.ts";
import { Characters, pointBefore } from "./characters.ts";

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

/** What a word of a text may have to do with keywords. */
interface WordUse {
  /** Of keywords that hold the whole word. */
  readonly whole: readonly Shape[];
  /** Of those that hold a part of it; emptied once they were looked for. */
  readonly parts: (readonly [offset: number, shapes: readonly Shape[]])[];
}

/** Nothing at all. */
const NO_USE: WordUse = { whole: [], parts: [] };
/** Looks into words in one text, so that near misses never cost more than hits. */
const MOST_LOOKS = 100_000;
/** Entries of what tells that something is in no keyword, without cutting it out. */
const SIEVE = 1 << 14;

/** Folded keywords, found in folded texts. */
export class KeywordIndex {
  readonly #characters = new Characters();
  /** By the first word in them, else by their first character. */
  readonly #words = new Map<string, Shape[]>();
  readonly #points = new Map<number, Shape[]>();
  /** Lengths of the words of `#words`, by their first letters. */
  readonly #heads = new Map<string, number[]>();
  /** Any of the characters of `#points`; undefined: to be made. */
  #signs: RegExp | undefined;
  /** 1 where the first letters of a word, or a keyword, may be in the maps. */
  readonly #headSieve = new Uint8Array(SIEVE);
  readonly #keywordSieve = new Uint8Array(SIEVE);
  #looks = 0;

  /** Adds a keyword that is not empty; the same one again changes nothing. */
  add(keyword: string): void {
    const [start, end] = firstWord(keyword, this.#characters);
    this.#keywordSieve[keywordHash(keyword, 0, keyword.length)] = 1;
    if (start === end) {
      put(listIn(this.#points, keyword.codePointAt(0)!), 0, keyword);
      this.#signs = undefined;
      return;
    }
    const word = keyword.slice(start, end);
    const shapes = listIn(this.#words, word);
    // Shorter words stand inside too many others to be worth a word.
    if (shapes.length === 0 && word.length >= 3) {
      const lengths = listIn(this.#heads, word.slice(0, 3));
      const [first, second] = [word.charCodeAt(0), word.charCodeAt(1)];
      this.#headSieve[hashOf(first, second, word.charCodeAt(2))] = 1;
      if (!lengths.includes(word.length)) lengths.push(word.length);
    }
    put(shapes, start, keyword);
  }

  /** Every keyword that is in the folded `text`, or nearly is. */
  find(text: string): Map<string, Found> {
    const found = new Map<string, Found>();
    this.#findByWords(text, found);
    if (this.#points.size > 0) this.#findBySigns(text, found);
    return found;
  }

  /** The word around a near miss, for people; offsets into the folded text. */
  wordAround(text: string, start: number, end: number): [number, number] {
    return wordAround(text, start, end, this.#characters);
  }

  #findByWords(text: string, found: Map<string, Found>): void {
    const uses = new Map<string, WordUse>();
    const words = this.#characters.wordsOf(text);
    this.#looks = 0;
    let from = 0;
    for (let n = 0; n < words.length; n++) {
      const word = words[n]!;
      let use = uses.get(word);
      if (use === undefined) uses.set(word, use = this.#useOf(word));
      if (use === NO_USE) continue;
      const { whole, parts } = use;
      // Words of no use were passed over: the same letters may stand in them.
      let start = text.indexOf(word, from);
      while (
        start >= 0 &&
        !isWhole(text, start, start + word.length, this.#characters)
      ) {
        start = text.indexOf(word, start + 1);
      }
      from = start + word.length;
      this.#look(text, start, whole, found);
      for (let part = 0; part < parts.length; part++) {
        const [at, shapes] = parts[part]!;
        this.#look(text, start + at, shapes, found);
      }
      parts.length = 0;
      if (whole.length === 0) uses.set(word, NO_USE);
    }
  }

  #findBySigns(text: string, found: Map<string, Found>): void {
    this.#signs ??= new RegExp(
      `[${
        [...this.#points.keys()].map((point) => `\\u{${point.toString(16)}}`)
          .join("")
      }]`,
      "gu",
    );
    const signs = this.#signs;
    signs.lastIndex = 0;
    while (signs.test(text)) {
      const point = pointBefore(text, signs.lastIndex)!;
      const at = signs.lastIndex - (point > 0xffff ? 2 : 1);
      this.#look(text, at, this.#points.get(point)!, found);
    }
  }

  #useOf(word: string): WordUse {
    const whole = this.#words.get(word) ?? [];
    const parts = word.length > LONGEST_WORD ? [] : this.#partsOf(word);
    return whole.length + parts.length === 0 ? NO_USE : { whole, parts };
  }

  /** Words of keywords that stand inside another. */
  #partsOf(word: string): WordUse["parts"] {
    const parts: WordUse["parts"] = [];
    const heads = this.#headSieve;
    let first = word.charCodeAt(0);
    let second = word.charCodeAt(1);
    for (let index = 2; index < word.length; index++) {
      const third = word.charCodeAt(index);
      // As `hashOf`, which would have to be called for each letter.
      if (heads[(first * 961 + second * 131 + third) & (SIEVE - 1)]) {
        this.#partsAt(word, index - 2, parts);
      }
      first = second;
      second = third;
    }
    return parts;
  }

  #partsAt(word: string, at: number, parts: WordUse["parts"]): void {
    for (const length of this.#heads.get(word.slice(at, at + 3)) ?? []) {
      if (length === word.length || at + length > word.length) continue;
      if (++this.#looks > MOST_LOOKS) return;
      const shapes = this.#words.get(word.slice(at, at + length));
      if (shapes !== undefined) parts.push([at, shapes]);
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
