/** A Plan that is shown in an answer: whole where it fits, else cut and said. */

import { ANSWER_CHARS, boundedText, structuredLength } from "./fit.ts";
import type { PublishedPlan } from "./schemas/plan_output.ts";

/** Length of the longest items at the first cut, in UTF-16 units. */
const FIRST_CUT = 4096;
/** No item is cut shorter than this. */
const LAST_CUT = 16;
/** Digests stay whole: a caller hands one back. */
const DIGEST = /^sha256:[0-9a-f]{64}(?:\.[\w.-]+)?$/;
/** Kept free for status, braces and the hint below. */
const RESERVE = 1000;

/** Said with a Plan that was cut. */
const CUT_HINT =
  "The plan is long, so items that end in \u2026 are shown in part; its digest covers all of them. The owner sees the whole plan with: skillfence run --json.";

/** A Plan as it is shown, and what has to be said of it. */
export interface ShownPlan {
  readonly plan: PublishedPlan;
  /** Undefined for a Plan that is shown whole. */
  readonly hint: string | undefined;
}

/**
 * The Plan in an answer that stays under 40,000 encoded characters with `rest`
 * beside it: the longest items are cut, ever shorter, until it fits.
 */
export function fitPlan(plan: PublishedPlan, rest: object): ShownPlan {
  const room = ANSWER_CHARS - RESERVE - structuredLength(rest);
  let shown = plan;
  for (let max = FIRST_CUT; structuredLength(shown) > room; max >>= 1) {
    if (max < LAST_CUT) break;
    shown = cutItems(plan, max) as PublishedPlan;
  }
  return { plan: shown, hint: shown === plan ? undefined : CUT_HINT };
}

function cutItems(value: unknown, max: number): unknown {
  if (typeof value === "string") {
    return DIGEST.test(value) ? value : boundedText(value, max);
  }
  if (Array.isArray(value)) return value.map((item) => cutItems(item, max));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, cutItems(item, max)]),
  );
}
