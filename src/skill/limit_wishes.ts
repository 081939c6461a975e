/** `mcp-host.run[].limits`: bounds that a script asks for. */

import {
  isLimit,
  LIMIT_MAXIMA,
  LIMIT_MINIMA,
  LIMIT_WORDS,
  type LimitWord,
} from "../config/limits.ts";
import { isRecord, own, reportUnknownKeys, shown } from "./block_values.ts";
import type { Findings } from "./findings.ts";
import type { PathStep } from "./frontmatter.ts";
import type { LimitWishes } from "./types.ts";

/**
 * Reads the mapping, `memory: 256` and so on. What is wrong costs the one
 * limit it is about, which then has its default, and is reported.
 */
export function readLimits(
  value: unknown,
  path: readonly PathStep[],
  findings: Findings,
): LimitWishes {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    findings.add({
      severity: "warning",
      path,
      detail: `${shown(value)} is not a mapping; the defaults stand`,
      hint: `Write any of ${LIMIT_WORDS.join(", ")} below it.`,
    });
    return {};
  }
  reportUnknownKeys(value, LIMIT_WORDS, path, findings);
  const wishes: { -readonly [word in LimitWord]?: number } = {};
  for (const word of LIMIT_WORDS) {
    const wish = own(value, word);
    if (wish === undefined) continue;
    if (isLimit(word, wish)) wishes[word] = wish;
    else {
      findings.add({
        severity: "warning",
        path: [...path, word],
        detail: `${shown(wish)} is not a whole number from ${
          LIMIT_MINIMA[word]
        } to ${LIMIT_MAXIMA[word]}; its default stands`,
        hint: "Write a number without a unit.",
      });
    }
  }
  return wishes;
}
