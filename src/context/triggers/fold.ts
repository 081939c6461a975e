/** Text made comparable, with a way back to where it stood. */

import { composed } from "../../base/composed.ts";
import { lastUpTo } from "./ascending.ts";

/**
 * What is not already comparable once ASCII is in lower case: white space but a
 * single blank, a character with marks (or Hangul parts) after it, any other
 * character outside ASCII. Ideographs, kana and Hangul syllables have no case.
 */
const SPECIAL =
  /[\s\u{85}]{2,}|[^\S ]|\u{85}|[^\p{M}\u1160-\u11ff][\p{M}\u1160-\u11ff]+|[^\p{ASCII}\u2e80-\u9fff\uac00-\ud7a3]/gu;
/** All that is special in ASCII once each blank is one that is seen as such. */
const BLANKS = / {2,}/g;
const ASCII = /^\p{ASCII}*$/u;
const BLANK = /^[\s\u{85}]/u;

/** A text folded. Offsets are in UTF-16 units. */
export interface Folded {
  readonly text: string;
  /** Where the character at `offset` of `text` begins in the original. */
  start(offset: number): number;
  /** Where the character that ends at `offset` of `text` ends in the original. */
  end(offset: number): number;
}

/**
 * Folds case as Unicode does in full (`ß` is `ss`, `ς` is `σ`), composes, and
 * makes one blank of white space. The four letters i of Turkish are one: which
 * language a message is in is not known.
 */
export function fold(original: string): Folded {
  if (!ASCII.test(original)) return new Pieces(original, SPECIAL);
  // One unit for one: nothing moves.
  const spaced = original.replace(/[\t-\r]/g, " ");
  return spaced.includes("  ")
    ? new Pieces(spaced, BLANKS)
    : asIs(spaced.toLowerCase());
}

/** A keyword, folded and without white space at its edges. */
export function foldKeyword(keyword: string): string {
  return fold(keyword).text.trim();
}

function asIs(text: string): Folded {
  return { text, start: (offset) => offset, end: (offset) => offset };
}

/** A folded text in pieces, each of one length in both or moved as a whole. */
class Pieces implements Folded {
  readonly text: string;
  /** Offsets of the pieces, ascending: in the folded text, in the original. */
  readonly #folded: number[] = [0];
  readonly #original: number[] = [0];
  /** Lengths in the original; undefined: as long as in the folded text. */
  readonly #whole: (number | undefined)[] = [undefined];

  constructor(original: string, special: RegExp) {
    const known = new Map<string, string>();
    let text = "";
    let done = 0;
    for (const { 0: chunk, index } of original.matchAll(special)) {
      text += original.slice(done, index).toLowerCase();
      done = index + chunk.length;
      let folded = known.get(chunk);
      if (folded === undefined) {
        folded = foldChunk(chunk);
        if (chunk.length < 16) known.set(chunk, folded);
      }
      // One unit for one unit moves nothing.
      if (chunk.length > 1 || folded.length > 1) {
        this.#add(text.length, index, chunk.length);
        this.#add(text.length + folded.length, done, undefined);
      }
      text += folded;
    }
    this.text = text + original.slice(done).toLowerCase();
  }

  start(offset: number): number {
    const at = lastUpTo(this.#folded, offset);
    return this.#whole[at] === undefined
      ? this.#original[at]! + offset - this.#folded[at]!
      : this.#original[at]!;
  }

  end(offset: number): number {
    if (offset === 0) return 0;
    const at = lastUpTo(this.#folded, offset - 1);
    const whole = this.#whole[at];
    return this.#original[at]! + (whole ?? offset - this.#folded[at]!);
  }

  #add(folded: number, original: number, whole: number | undefined): void {
    // An empty piece is replaced by the one that follows it.
    if (this.#folded.at(-1) === folded) {
      this.#folded.pop();
      this.#original.pop();
      this.#whole.pop();
    }
    this.#folded.push(folded);
    this.#original.push(original);
    this.#whole.push(whole);
  }
}

function foldChunk(chunk: string): string {
  // A mark on a blank makes it a character of its own.
  if (BLANK.test(chunk) && !/\p{M}/u.test(chunk)) return " ";
  // Lower first: a capital sharp s has no upper case that is two letters.
  const folded = composed(chunk).toLowerCase().toUpperCase().toLowerCase()
    .replaceAll("i\u0307", "i").replaceAll("ς", "σ");
  return composed(folded);
}
