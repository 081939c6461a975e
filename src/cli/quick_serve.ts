/** Recognises the call that clients make, without loading a parser for it. */

import type { Flags } from "../config/flags.ts";
import { FLAG_WORDS, flagsFrom, type GivenFlag } from "./flag_words.ts";

/**
 * The flags of a plain `[serve]` with nothing but flags. Undefined for
 * everything else, mistakes included: those are the real parser's business.
 */
export function quickServe(args: readonly string[]): Flags | undefined {
  const rest = args[0] === "serve" ? args.slice(1) : [...args];
  const given: GivenFlag[] = [];
  for (let i = 0; i < rest.length; i++) {
    const [, name, inline] = /^--([a-z-]+)(?:=(.*))?$/s.exec(rest[i]!) ?? [];
    const word = FLAG_WORDS.find((word) => word.name === name);
    if (word === undefined) return undefined;
    if (word.value === undefined) {
      if (inline !== undefined) return undefined;
      given.push([word.name, ""]);
      continue;
    }
    const value = inline ?? rest[++i];
    const next = inline === undefined && value?.startsWith("-") === true;
    if (value === undefined || next) return undefined;
    given.push([word.name, value]);
  }
  return flagsFrom(given);
}
