/**
 * What a script was denied, worded for a tool's result. The script chose the
 * names: they stand as quoted names of their own kind, never as text.
 */

import { listed } from "../base/text.ts";
import { ONLY_REQUESTS } from "../proxy/reasons.ts";
import { readDestination } from "./destinations.ts";
import { PAST_PROXY } from "./net_entries.ts";
import type { Evidence, NetEntry } from "./types.ts";

/** Names in one sentence at most. */
const NAMED = 5;
/** Characters of a name that is shown; names are no place for sentences. */
const MAX_NAME = 64;
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
const ADDRESS = /^[0-9a-f:.]+$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * One sentence for the hosts that a script was denied, and one for the
 * variables. Empty when there were none.
 */
export function askedFor(evidence: Evidence): string[] {
  // One host may be denied by the flags and by the proxy, each for its reason.
  const denied = (kind: "net" | "env") => [
    ...new Set(evidence[kind].filter(isWish).map(({ what }) => what)),
  ];
  return [
    ...sentence("host", denied("net").filter((what) => what !== "*"), isHost),
    ...sentence("variable", denied("env"), (name) => VARIABLE.test(name)),
  ];
}

/** What a script should do that took a tunnel to the host of a held value. */
export function onlyRequests(evidence: Evidence): string[] {
  return evidence.net.some(({ reason }) => reason === ONLY_REQUESTS)
    ? [
      "A held value is meant for a host that the script turned to by a tunnel: only fetch reaches it, not node:https or WebSocket.",
    ]
    : [];
}

/** Denied by a rule. What is granted and was sought in another way is no wish. */
function isWish({ verdict, reason }: NetEntry): boolean {
  return verdict === "denied" && reason !== PAST_PROXY &&
    reason !== ONLY_REQUESTS;
}

function sentence(
  word: string,
  names: readonly string[],
  isName: (name: string) => boolean,
): string[] {
  if (names.length === 0) return [];
  const fit = names.filter((name) => name.length <= MAX_NAME && isName(name));
  const unfit = names.length - fit.length;
  const counted = (count: number) => count === 1 ? word : `${word}s`;
  const quoted = listed(fit.map((name) => JSON.stringify(name)), NAMED);
  const parts = [
    fit.length > 0 ? `${counted(fit.length)} ${quoted}` : "",
    unfit > 0 ? `${unfit} ${counted(unfit)} not fit to be named` : "",
  ].filter((part) => part !== "");
  return [
    `Denied, asked for by the script: ${
      parts.join(" and ")
    }. The owner decides; do not edit the grant.`,
  ];
}

function isHost(text: string): boolean {
  const { host } = readDestination(text);
  return host.includes(":") ? ADDRESS.test(host) : HOST.test(host);
}
