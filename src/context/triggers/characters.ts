/** What a character is to the matching of keywords. */

/** Ends a word: punctuation, symbols, white space, everything not below. */
export const OTHER = 0;
/** A letter, number or mark of a script that puts blanks between words. */
export const WORD = 1;
/** One of a script that does not, or whose particles touch other words. */
export const UNSPACED = 2;

const BELONGS = /[\p{L}\p{N}\p{M}]/u;
const MARK = /\p{M}/u;
/** They choose a glyph and are no part of a word. */
const SELECTORS = String.raw`\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}`;
const SELECTOR = new RegExp(`[${SELECTORS}]`, "u");
const SCRIPTS_SET = String
  .raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Yi}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tai_Le}\p{scx=New_Tai_Lue}\p{scx=Tai_Tham}\p{scx=Tai_Viet}\p{scx=Javanese}\p{scx=Balinese}\p{scx=Tibetan}`;
const SCRIPTS = new RegExp(`[${SCRIPTS_SET}]`, "u");
/** Marks that any script may use are no sign of one. */
const SHARED = /\p{sc=Inherited}/u;
/** Punctuation, and the symbols that names are made with: `c++`, `c#`, `$x`. */
const NAMING = /[\p{P}\p{Sm}\p{Sc}\p{Sk}]/u;

const ASCII = /^\p{ASCII}*$/u;
const ASCII_WORDS = /[a-z0-9]+/gi;

/** Classes of code points, each looked up in Unicode's tables once. */
export class Characters {
  /** Class + 1 of each UTF-16 unit seen; 0: not seen yet. */
  readonly #seen = new Uint8Array(0x10000);
  /** Made when it is needed: its tables take longer than a message. */
  #words: RegExp | undefined;

  /** The runs of `WORD` in `text`, in order. */
  wordsOf(text: string): readonly string[] {
    if (ASCII.test(text)) return text.match(ASCII_WORDS) ?? [];
    this.#words ??= new RegExp(
      `[[\\p{L}\\p{N}\\p{M}]--[${SELECTORS}]--[[${SCRIPTS_SET}]--\\p{sc=Inherited}]]+`,
      "gv",
    );
    return text.match(this.#words) ?? [];
  }

  /** `OTHER`, `WORD` or `UNSPACED`; a code point beyond 16 bits is looked up. */
  classOf(point: number): number {
    if (point > 0xffff) return classify(String.fromCodePoint(point));
    const seen = this.#seen[point]!;
    if (seen !== 0) return seen - 1;
    const found = classify(String.fromCharCode(point));
    this.#seen[point] = found + 1;
    return found;
  }
}

function classify(character: string): number {
  if (!BELONGS.test(character) || SELECTOR.test(character)) return OTHER;
  return SCRIPTS.test(character) && !SHARED.test(character) ? UNSPACED : WORD;
}

/** A mark: it belongs to the character before it, whatever that is. */
export function isMark(point: number): boolean {
  if (point < 0x300) return false;
  const character = String.fromCodePoint(point);
  return MARK.test(character) && !SELECTOR.test(character);
}

/** Whether names are made with it, so that a name may go on after it. */
export function isNaming(point: number): boolean {
  return NAMING.test(String.fromCodePoint(point));
}

/** The code point that ends before `index`; undefined at the start. */
export function pointBefore(text: string, index: number): number | undefined {
  if (index <= 0) return undefined;
  const low = text.charCodeAt(index - 1);
  if (low < 0xdc00 || low > 0xdfff || index < 2) return low;
  const whole = text.codePointAt(index - 2)!;
  return whole > 0xffff ? whole : low;
}
