/** `--poll SECONDS`: how often everything is looked at without an event. */

import { type Refusal, refuse } from "../base/refusal.ts";
import { quoted } from "./values.ts";

/** A day: rarer than that is `skill_list` with `reload`. */
const MAX_SECONDS = 86_400;

/** Reads every `--poll` that was given: at most one, whole seconds from 1. */
export function readPoll(
  texts: readonly string[],
): {
  readonly pollMs: number | undefined;
  readonly complaints: readonly Refusal[];
} {
  const [text, ...more] = texts;
  if (text === undefined) return { pollMs: undefined, complaints: [] };
  const seconds = /^\d{1,5}$/.test(text.trim()) ? Number(text) : NaN;
  if (more.length === 0 && seconds >= 1 && seconds <= MAX_SECONDS) {
    return { pollMs: seconds * 1000, complaints: [] };
  }
  return {
    pollMs: undefined,
    complaints: [
      refuse(
        "CONFIG",
        more.length > 0
          ? `--poll was given ${more.length + 1} times`
          : `--poll is ${quoted(text)}`,
        `Accepted, once: a whole number of seconds from 1 to ${MAX_SECONDS}.`,
      ),
    ],
  };
}
