/** The bounds on one run: their words, what is usual, and the owner's ceiling. */

import { visible } from "../base/text.ts";
import type { Limits } from "./types.ts";

/** Characters shown of a part that cannot be read. */
const SHOWN = 40;

/** A word of a declaration's `limits` and of `SKILLFENCE_LIMITS`. */
export type LimitWord = keyof Limits;

/** The largest number each word takes, far above any use. */
export const LIMIT_MAXIMA: Limits = {
  memory: 1_048_576,
  cpu: 86_400,
  file: 1_048_576,
  procs: 32_768,
  open: 1_048_576,
  disk: 1_048_576,
  files: 10_000_000,
};

/** The least a process of the runtime can start with. */
export const LIMIT_MINIMA: Limits = {
  memory: 32,
  cpu: 1,
  file: 1,
  procs: 16,
  open: 64,
  disk: 1,
  files: 1,
};

/** All words, in the order in which they are explained. */
export const LIMIT_WORDS = Object.keys(LIMIT_MAXIMA) as readonly LimitWord[];

/** What a script gets that asks for nothing; CPU time follows its timeout. */
export const USUAL_LIMITS: Omit<Limits, "cpu"> = {
  memory: 512,
  file: 100,
  procs: 64,
  open: 256,
  disk: 256,
  files: 10_000,
};

/** The most any script gets where `SKILLFENCE_LIMITS` does not name a word. */
export const USUAL_CEILING: Limits = {
  memory: 1024,
  cpu: 600,
  file: 1024,
  procs: 256,
  open: 1024,
  disk: 1024,
  files: 50_000,
};

/** The ceiling of an owner whose words cannot be read: nobody gets more than usual. */
const STRICT_CEILING: Limits = { ...USUAL_LIMITS, cpu: 120 };

/** Whether a word names a limit. */
export function isLimitWord(word: string): word is LimitWord {
  return Object.hasOwn(LIMIT_MAXIMA, word);
}

/** Whether a number can stand for a word: whole, and within its bounds. */
export function isLimit(word: LimitWord, value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) &&
    value >= LIMIT_MINIMA[word] && value <= LIMIT_MAXIMA[word];
}

/**
 * What a script gets: its wishes, the usual where it has none (CPU seconds:
 * twice its timeout, rounded up), and never more than the ceiling.
 */
export function limitsFor(
  wishes: Partial<Limits>,
  timeoutMs: number,
  ceiling: Limits,
): Limits {
  const usual: Limits = {
    ...USUAL_LIMITS,
    cpu: Math.ceil(2 * timeoutMs / 1000),
  };
  return lower({ ...usual, ...wishes }, ceiling);
}

/** What the text of `SKILLFENCE_LIMITS` says. */
export interface ParsedLimits {
  /** The words that could be read, first mention first. */
  readonly readable: Partial<Limits>;
  /** One sentence for each part that could not be; harmless to show. */
  readonly wrong: readonly string[];
}

/** Reads `memory=512,cpu=30`: any words, each once, blanks around them allowed. */
export function parseLimits(text: string): ParsedLimits {
  const readable: { -readonly [word in LimitWord]?: number } = {};
  const wrong: string[] = [];
  for (const part of text.split(",")) {
    const [, word, number = ""] = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/s.exec(
      part,
    ) ?? [];
    const value = /^\d{1,9}$/.test(number) ? Number(number) : NaN;
    const problem = word === undefined
      ? "is no word=number"
      : !isLimitWord(word)
      ? "names no limit"
      : !isLimit(word, value)
      ? `is no whole number from ${LIMIT_MINIMA[word]} to ${LIMIT_MAXIMA[word]}`
      : word in readable
      ? `comes after another ${word}`
      : undefined;
    if (problem === undefined) readable[word as LimitWord] = value;
    else wrong.push(`"${visible(part.trim(), SHOWN)}" ${problem}`);
  }
  return { readable, wrong };
}

/** Limits as `SKILLFENCE_LIMITS` spells them. */
export function limitsText(limits: Limits): string {
  return LIMIT_WORDS.map((word) => `${word}=${limits[word]}`).join(",");
}

/**
 * The ceiling that the text of `SKILLFENCE_LIMITS` sets; undefined: the usual
 * one. Of a text that is partly unreadable, what can be read only lowers.
 */
export function ceilingFrom(text: string | undefined): Limits {
  if (text === undefined) return USUAL_CEILING;
  const { readable, wrong } = parseLimits(text);
  return wrong.length > 0
    ? lower({ ...STRICT_CEILING, ...readable }, STRICT_CEILING)
    : { ...USUAL_CEILING, ...readable };
}

function lower(limits: Limits, ceiling: Limits): Limits {
  const entries = LIMIT_WORDS.map((word) => [
    word,
    Math.min(limits[word], ceiling[word]),
  ]);
  return Object.fromEntries(entries) as unknown as Limits;
}
