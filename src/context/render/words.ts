/** A command's text as words, without a shell. */

import { visible } from "../../base/text.ts";

/** The words, or in words why there are none. */
export type Words =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** What a shell would do with a character that stands outside quotes. */
const OF_A_SHELL: Readonly<Record<string, string>> = {
  "|": "a pipe",
  ";": "a second command",
  "&": "a background or second command",
  "<": "a redirection",
  ">": "a redirection",
  "(": "a subshell",
  ")": "a subshell",
  "*": "a pattern of file names",
  "?": "a pattern of file names",
  "[": "a pattern of file names",
};
/** The same within double quotes. */
const SUBSTITUTIONS: Readonly<Record<string, string>> = {
  "$": "a substitution",
  "`": "a substitution",
};
/** Only where a word begins. */
const AT_START: Readonly<Record<string, string>> = {
  "~": "a home directory",
  "#": "a comment",
};
/** What a backslash takes the meaning of within double quotes. */
const ESCAPED_IN_QUOTES = '"\\$`';
const MAX_WORDS = 64;
const MAX_CHARACTERS = 4_096;

/**
 * Splits as POSIX shells do: blanks, single and double quotes, backslashes.
 * Nothing is expanded, so whatever a shell would do something with is refused
 * by name unless it is quoted. Never throws.
 */
export function splitWords(text: string): Words {
  const odd = oddIn(text);
  if (odd !== undefined) return { ok: false, why: odd };
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (quote === "'") {
      if (sign === "'") quote = "";
      else word += sign;
    } else if (Object.hasOwn(SUBSTITUTIONS, sign)) {
      return refused(sign, SUBSTITUTIONS[sign]!);
    } else if (quote === '"') {
      const next = text[at + 1] ?? "";
      if (sign === '"') quote = "";
      else if (sign === "\\" && next && ESCAPED_IN_QUOTES.includes(next)) {
        word += next;
        at++;
      } else word += sign;
    } else if (sign === "'" || sign === '"') {
      quote = sign;
      word ??= "";
    } else if (sign === "\\") {
      if (++at === text.length) {
        return { ok: false, why: "it ends in a backslash" };
      }
      word = (word ?? "") + text[at];
    } else if (sign === " " || sign === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (Object.hasOwn(OF_A_SHELL, sign)) {
      return refused(sign, OF_A_SHELL[sign]!);
    } else if (word === undefined && Object.hasOwn(AT_START, sign)) {
      return refused(sign, AT_START[sign]!);
    } else word = (word ?? "") + sign;
  }
  if (quote !== "") return { ok: false, why: `a ${quote} is never closed` };
  if (word !== undefined) words.push(word);
  return judged(words);
}

function judged(words: readonly string[]): Words {
  const [first] = words;
  if (first === undefined) return { ok: false, why: "it holds no word" };
  if (words.length > MAX_WORDS) {
    return { ok: false, why: `it has more than ${MAX_WORDS} words` };
  }
  if (first === "") return { ok: false, why: "its first word is empty" };
  return /^[A-Za-z_]\w*\+?=/.test(first)
    ? { ok: false, why: `"${visible(first, 60)}" sets a variable` }
    : { ok: true, words };
}

/** What no command may hold at all, quoted or not. */
function oddIn(text: string): string | undefined {
  if (/[\r\n]/.test(text)) return "it goes on over a line's end";
  if (text.length > MAX_CHARACTERS) {
    return `it is longer than ${MAX_CHARACTERS} characters`;
  }
  // A row is copied by eye.
  const seen = text.replaceAll("\t", " ");
  return visible(seen, Infinity) === seen
    ? undefined
    : "it holds a character that cannot be seen";
}

function refused(sign: string, what: string): Words {
  return {
    ok: false,
    why:
      `"${sign}" would be ${what}, and no shell takes part: put it in single quotes to mean the character itself`,
  };
}
