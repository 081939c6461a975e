/** What a record cannot show, in words. */

import type { Network } from "../os/types.ts";
import type { ProxyRecord } from "../proxy/types.ts";

/** What the words depend on. */
export interface BlindFacts {
  /** The script is the process's main module, not a worker's. */
  readonly direct: boolean;
  /** The script's `process.env` is a copy: what is read from it leaves no line. */
  readonly copiedEnv: boolean;
  readonly network: Network;
  readonly proxy: ProxyRecord | undefined;
  readonly truncated: boolean;
  readonly unreadable: number;
  readonly missing: boolean;
  /** A relative path would come out differently from another directory. */
  readonly moved: boolean;
}

/** Sentences for one run, weightiest first. */
export function blindSpots(facts: BlindFacts): string[] {
  const { proxy } = facts;
  const tunnels = proxy?.contacts.some(({ via, verdict }) =>
    via === "tunnel" && verdict === "allowed"
  );
  return [
    facts.missing &&
    "The runtime's record of this run could not be read: only what the proxy saw stands here.",
    facts.truncated &&
    "The runtime's record was full: what the script asked for later is not in it.",
    facts.unreadable > 0 &&
    `${facts.unreadable} lines of the runtime's record could not be read.`,
    facts.direct &&
    "Modules that the script imports by a literal name are loaded without a line here: which files it can read that way rests on the operating system's layer.",
    "Attempts to start a program or to signal one are refused and leave no line.",
    facts.copiedEnv &&
    "Variables read through process.env leave no line: the script has a copy of those it may read.",
    facts.network === "open" &&
    "No proxy stood before the network: bytes are not counted, and a host that was allowed but led to a denied address stands as allowed.",
    tunnels === true &&
    "What went through a tunnel is counted, not looked at.",
    facts.moved &&
    "Relative paths are taken from the directory in which the script started; it may have changed it.",
  ].filter((sentence) => typeof sentence === "string");
}
