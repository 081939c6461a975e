/** Bounds on reading a text: the parser takes quadratic time over odd ones. */

import type { Options } from "mdast-util-from-markdown";

/** UTF-16 units of a text in which commands are looked for. */
export const MAX_READ: number = 64 * 1024;
/** Milliseconds that reading one may take. */
export const MAX_MS = 1_000;
/** Quotations and lists within each other in one line, and links in a text. */
const MAX_NESTED = 100;
const MAX_LINKS = 1_500;
const NESTED = new RegExp(
  `(?:>[ \\t]*|(?:[*+-]|\\d{1,9}[.)])[ \\t]+){${MAX_NESTED}}`,
);

type Extension = NonNullable<
  NonNullable<Options["extensions"]>[number]
>;

/** What is given to the parser, and what to say when it stopped there. */
export interface ReadingGuard {
  readonly extension: Extension;
  readonly why: string;
}

/** In words, why a text is not given to the parser; undefined: it is. */
export function costly(text: string): string | undefined {
  if (text.length > MAX_READ) {
    return `the text is longer than the ${MAX_READ} characters in which commands are looked for`;
  }
  if (NESTED.test(text)) {
    return "quotations and lists in it lie too deep within each other";
  }
  if (
    text.split("[").length > MAX_LINKS * 2 ||
    text.split("](").length > MAX_LINKS
  ) {
    return `it holds more than ${MAX_LINKS} links`;
  }
  return undefined;
}

/**
 * An extension of the parser that stops it when its time is up: a construct
 * that matches nothing and is tried everywhere. Emphasis and character
 * references are left out: they hold no code span, and cost the most.
 */
export function readingGuard(withinMs: number): ReadingGuard {
  const end = performance.now() + withinMs;
  const deadline = {
    name: "deadline",
    tokenize(_effects: unknown, _ok: unknown, nok: unknown) {
      if (performance.now() > end) throw new Error("too slow");
      return nok;
    },
  };
  const here = { null: deadline };
  return {
    // The parser's own types ask for more than it needs.
    extension: {
      document: here,
      flow: here,
      flowInitial: here,
      contentInitial: here,
      text: here,
      string: here,
      disable: { null: ["attention", "characterReference"] },
    } as unknown as Extension,
    why: "reading it as Markdown takes too long",
  };
}
