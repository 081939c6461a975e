/**
 * Which skills can come up at all, told without compiling their triggers, which
 * takes most of a hook's time. Whoever is left out could not have matched.
 */

import { lastSegment } from "../../base/place.ts";
import type { MatchRequest } from "../../context/types.ts";
import type { IndexedSkill } from "../../context/match_index.ts";

/** Whether a skill's triggers are worth compiling for a request. */
export function possible(
  { message, paths = [] }: MatchRequest,
): (skill: Pick<IndexedSkill, "name" | "activation">) => boolean {
  const mayHold = message === undefined ? () => false : holder(message);
  return ({ name, activation }) => {
    switch (activation.kind) {
      case "keyword":
        return activation.keywords.some(mayHold);
      case "task":
        return mayHold(lastSegment(name)) || activation.keywords.some(mayHold);
      case "path":
        return paths.length > 0;
      default:
        return false;
    }
  };
}

const ASCII = /^[\x20-\x7e\t\r\n]*$/;
const RUN = /[a-z0-9]+/g;

/**
 * In plain ASCII a keyword's letters and digits stand in the message as they are
 * but for case. Anything else may be folded into one another: it is compiled.
 */
function holder(message: string): (keyword: string) => boolean {
  if (!ASCII.test(message)) return () => true;
  const text = message.toLowerCase();
  return (keyword) => {
    if (!ASCII.test(keyword) || keyword.startsWith("re:")) return true;
    let longest = "";
    for (const [run] of keyword.toLowerCase().matchAll(RUN)) {
      if (run.length > longest.length) longest = run;
    }
    return text.includes(longest);
  };
}
