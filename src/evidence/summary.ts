/** Evidence in a few numbers and words, for a log. */

import { normalize } from "node:path";
import { type Kind, KINDS } from "./permission_record.ts";
import type { Evidence } from "./types.ts";

/** Distinct things by kind; kinds of which there are none are left out. */
export type Counts = Partial<Record<Kind, number>>;

/** What a log keeps of a run's evidence. */
export interface EvidenceSummary {
  readonly allowed: Counts;
  readonly denied: Counts;
  /** The first denied ones as `kind name`, visible. */
  readonly deniedNames: readonly string[];
  /** Entries that the evidence left out and these numbers do not hold. */
  readonly more: number;
}

/** Names in one summary at most. */
const NAMES = 6;
/** Text shorter than this is found in other text by chance. */
const MIN_PASSED = 4;

/** Kinds by how much a denied one tells. */
const TELLING: readonly Kind[] = [
  "net",
  "env",
  "write",
  "read",
  "run",
  "ffi",
  "import",
  "sys",
];

/**
 * The summary. A name that holds one of the arguments, or stands in one, is
 * given as `[argument]`: a log must not keep what a caller passed.
 */
export function summaryOf(
  evidence: Evidence,
  args: readonly string[],
): EvidenceSummary {
  // A record has paths in their shortest spelling.
  const longer = args.flatMap((arg) => [arg, normalize(arg)])
    .filter((arg) => arg.length >= MIN_PASSED)
    .map((arg) => arg.toLowerCase());
  const isPassed = (what: string) => {
    const name = what.toLowerCase();
    const host = name.replace(/:\d+$/, "");
    return longer.some((arg) =>
      name.includes(arg) ||
      (host.length >= MIN_PASSED && arg.includes(host))
    );
  };
  const denied = TELLING.flatMap((kind) =>
    evidence[kind].filter(({ verdict }) => verdict === "denied")
      .map(({ what }) => `${kind} ${isPassed(what) ? "[argument]" : what}`)
  );
  return {
    allowed: countsOf(evidence, "allowed"),
    denied: countsOf(evidence, "denied"),
    deniedNames: [...new Set(denied)].slice(0, NAMES),
    more: evidence.more,
  };
}

function countsOf(evidence: Evidence, verdict: "allowed" | "denied"): Counts {
  return Object.fromEntries(
    KINDS.map((kind) =>
      [
        kind,
        evidence[kind].filter((entry) => entry.verdict === verdict).length,
      ] as const
    ).filter(([, count]) => count > 0),
  );
}
