/** `re:` keywords, run by an engine that takes linear time. */

import type { RE2JS } from "re2js";

/** What stands before a regular expression in a list of keywords. */
export const PATTERN_MARK = "re:";

/** Longest pattern, in UTF-16 units. */
export const MAX_PATTERN = 500;
/** Instructions that one pattern, and all of a snapshot, may compile to. */
const MAX_PROGRAM = 1_000;
const MAX_PROGRAMS = 20_000;
/** A pattern looks no further into a message. */
const MAX_TEXT = 200_000;
/**
 * Steps times characters that the patterns of an owner's skills, and those of a
 * workspace's, may take to look through one message: an engine that is linear
 * is still slow for a thousand steps at each of 200,000 characters.
 */
const WORK = { owner: 10_000_000, workspace: 1_000_000 } as const;
/** How often one pattern may look through what it sees of a message. */
const LOOKS = 4;
/** Places that one pattern is looked for in one message. */
const MAX_PLACES = 100;
/** What a pattern that has to say something does not match with nothing. */
const PROBES: readonly string[] = ["", "a", "a b", "-"];

/** One compiled pattern. */
export interface Pattern {
  /** Places it matches, ascending, as offsets into `text`; at most 100. */
  places(text: string): Iterable<[start: number, end: number]>;
}

/** Compiles patterns; loads the engine. */
export async function patternMaker(): Promise<PatternMaker> {
  const { RE2JS } = await import("re2js");
  return new PatternMaker(RE2JS);
}

/** Whose patterns: each has work of its own to spend. */
export type PatternSource = keyof typeof WORK;

/** Compiles patterns within one bound on all of them. */
export class PatternMaker {
  readonly #engine: typeof RE2JS;
  readonly #steps = { owner: 0, workspace: 0 };
  #left = MAX_PROGRAMS;

  constructor(engine: typeof RE2JS) {
    this.#engine = engine;
  }

  /** The pattern, or why there is none, in words. */
  compile(source: string, of: PatternSource = "owner"): Pattern | string {
    if (source.trim() === "") return "it is empty";
    if (source.length > MAX_PATTERN) {
      return `it is longer than ${MAX_PATTERN} characters`;
    }
    const engine = this.#engine;
    let compiled: RE2JS;
    try {
      compiled = engine.compile(
        source,
        engine.CASE_INSENSITIVE | engine.MULTILINE,
      );
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    const size = compiled.programSize();
    if (size > MAX_PROGRAM) {
      return `it is too large: ${size} steps, at most ${MAX_PROGRAM}`;
    }
    if (size > this.#left) {
      return `all patterns together are too large (${MAX_PROGRAMS} steps)`;
    }
    if (PROBES.some((text) => matchesNothing(compiled, text))) {
      return "it matches the empty text, and so everything";
    }
    this.#left -= size;
    this.#steps[of] += size;
    return {
      places: (text) => {
        // All of the same source see equally far; how many they are is known now.
        const seen = Math.floor(WORK[of] / this.#steps[of]);
        return places(compiled, text.slice(0, Math.min(seen, MAX_TEXT)), seen);
      },
    };
  }
}

function matchesNothing(pattern: RE2JS, text: string): boolean {
  const matcher = pattern.matcher(text);
  return matcher.find() && matcher.start() === matcher.end();
}

function* places(
  pattern: RE2JS,
  text: string,
  seen: number,
): Iterable<[start: number, end: number]> {
  const matcher = pattern.matcher(text);
  let left = LOOKS * seen;
  let from = 0;
  for (let found = 0; found < MAX_PLACES; found++) {
    // A look may go to the end of the text, however near its match is.
    left -= text.length - from;
    if (left < 0 || !matcher.find()) return;
    const [start, end] = [matcher.start(), matcher.end()];
    from = end;
    // A boundary matches where nothing stands.
    if (start !== end) yield [start, end];
    else if (end >= text.length) return;
  }
}
