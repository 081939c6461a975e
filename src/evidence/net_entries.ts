/** Hosts that a run turned to: the runtime's record and the proxy's as one. */

import type { Network } from "../os/types.ts";
import type { Contact, ProxyRecord } from "../proxy/types.ts";
import type { Tally } from "./permission_record.ts";
import {
  destinationOfUrl,
  destinationText,
  readDestination,
} from "./destinations.ts";
import type { AccessRules, NetEntry } from "./types.ts";
import { ALL, type Show } from "./shown.ts";
import { netVerdict } from "./verdicts.ts";

/** What the entries are made of. */
export interface NetInput {
  readonly tally: Tally;
  readonly rules: AccessRules;
  readonly network: Network;
  readonly proxy: ProxyRecord | undefined;
  /** Values of the record that are the fence's own doing. */
  readonly own: readonly string[];
  readonly show: Show;
}

/** Why a destination that the flags allow was not reached. */
export const PAST_PROXY: string =
  "not asked for through the run's proxy, the only way out";

/** Lines of the record that concern one destination. */
interface Lines {
  /** With a URL, of fetch; and of WebSocket. */
  urls: number;
  sockets: number;
  /** With host and port. */
  plain: number;
}

/** One entry for each destination and verdict, in no order. */
export function netEntries(input: NetInput): NetEntry[] {
  const { proxy, network, show, rules } = input;
  const contacts = proxy?.contacts ?? [];
  const contacted = new Set(contacts.map(destinationText));
  const entries: NetEntry[] = [];
  for (const [text, lines] of destinationsOf(input)) {
    if (text === ALL) {
      entries.push({ what: ALL, verdict: "denied", times: lines.plain });
      continue;
    }
    const verdict = netVerdict(readDestination(text), rules);
    // The proxy knows better what came of it.
    if (verdict === "allowed" && contacted.has(text)) continue;
    const unseen = verdict === "allowed" && network === "proxy" &&
      proxy !== undefined && proxy.more === 0;
    entries.push({
      what: show(text),
      verdict: unseen ? "denied" : verdict,
      times: timesOf(lines, verdict === "allowed"),
      ...(unseen ? { reason: PAST_PROXY } : {}),
    });
  }
  return merged([...entries, ...contacts.map((each) => entryOf(each, show))]);
}

/** Requests and tunnels to one destination are one entry. */
function merged(entries: readonly NetEntry[]): NetEntry[] {
  const found = new Map<string, NetEntry>();
  for (const entry of entries) {
    const { what, verdict, reason = "" } = entry;
    const key = `${verdict} ${what} ${reason}`;
    const other = found.get(key);
    found.set(key, other === undefined ? entry : sumOf(other, entry));
  }
  return [...found.values()];
}

function sumOf(one: NetEntry, other: NetEntry): NetEntry {
  const counted = [one, other].filter(({ bytesOut }) => bytesOut !== undefined);
  const sum = (key: "bytesOut" | "bytesIn") =>
    counted.reduce((total, entry) => total + (entry[key] ?? 0), 0);
  return {
    ...one,
    times: one.times + other.times,
    ...(counted.length === 0
      ? {}
      : { bytesOut: sum("bytesOut"), bytesIn: sum("bytesIn") }),
  };
}

/** The record's lines by destination; `*` for all destinations at once. */
function destinationsOf({ tally, own }: NetInput): Map<string, Lines> {
  const all = new Map<string, Lines>();
  for (const [value, count] of tally) {
    if (value !== undefined && own.includes(value)) continue;
    const url = value?.includes("://") && !value.startsWith("unix:")
      ? destinationOfUrl(value)
      : undefined;
    const text = value === undefined
      ? ALL
      : destinationText(url ?? readDestination(value));
    const lines = all.get(text) ?? { urls: 0, sockets: 0, plain: 0 };
    if (url === undefined) lines.plain += count;
    else if (/^wss?:/i.test(value!)) lines.sockets += count;
    else lines.urls += count;
    all.set(text, lines);
  }
  return all;
}

/**
 * How often a destination was asked for. A fetch leaves a line with its URL
 * and one with host and port, a connection two of the latter, an admitted
 * WebSocket each of the former twice (measured on 2.9.6).
 */
function timesOf({ urls, sockets, plain }: Lines, allowed: boolean): number {
  const connections = Math.ceil(Math.max(0, plain - urls - sockets) / 2);
  return urls + (allowed ? Math.ceil(sockets / 2) : sockets) + connections;
}

function entryOf(contact: Contact, show: Show): NetEntry {
  const { verdict, times, bytesOut, bytesIn, reason } = contact;
  return {
    what: show(destinationText(contact)),
    verdict,
    times,
    bytesOut,
    bytesIn,
    ...(reason === undefined ? {} : { reason: show(reason) }),
  };
}
