/**
 * Which skills can come up at all, told without compiling their triggers, which
 * takes most of a hook's time. Whoever is left out could not have matched.
 */

import { lastSegment } from "../../base/place.ts";
import type { Activation } from "../../skill/types.ts";
import type { MatchRequest } from "../types.ts";

const ASCII = /^[\x20-\x7e\t\r\n]*$/;
const RUN = /[a-z0-9]+/g;
/** Of a skill that is worth compiling for any message. */
const ANY = "";
/** Of a rule for paths; no run of letters and digits. */
const PATHS = "/";

/**
 * What a message has to hold, one of them, for the skill to come up: a keyword's
 * longest run of letters and digits, which stands in a message as it is but for
 * case. Anything but plain ASCII may be folded into one another.
 */
export function needlesOf(name: string, activation: Activation): string[] {
  switch (activation.kind) {
    case "keyword":
      return activation.keywords.map(needleOf);
    case "task":
      return [...activation.keywords, lastSegment(name)].map(needleOf);
    case "path":
      return [PATHS];
    default:
      return [];
  }
}

function needleOf(keyword: string): string {
  if (!ASCII.test(keyword) || keyword.startsWith("re:")) return ANY;
  let longest = ANY;
  for (const [run] of keyword.toLowerCase().matchAll(RUN)) {
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

/** Whether a skill with these needles is worth compiling for a request. */
export function possible(
  { message, paths = [] }: MatchRequest,
): (needles: readonly string[]) => boolean {
  const hasPaths = paths.length > 0;
  const text = message?.toLowerCase();
  const anything = message !== undefined && !ASCII.test(message);
  return (needles) =>
    needles.some((needle) =>
      needle === PATHS
        ? hasPaths
        : text !== undefined && (anything || text.includes(needle))
    );
}
