/** Host patterns as the sets of (host, port) they admit. */

import { bareHost } from "./private_hosts.ts";
import type { HostPattern } from "./types.ts";

/** Ports of a pattern that names none. */
const DEFAULT_PORTS: readonly number[] = [443, 80];

/** Makes a pattern of its parts; `port` undefined means the default ports. */
export function hostPattern(
  kind: HostPattern["kind"],
  host: string,
  port: number | undefined,
): HostPattern {
  const shown = kind === "wildcard"
    ? `*.${host}`
    : kind === "ipv6"
    ? `[${host}]`
    : host;
  return {
    text: port === undefined ? shown : `${shown}:${port}`,
    kind,
    host,
    ports: port === undefined ? DEFAULT_PORTS : [port],
  };
}

/** Whether any of the patterns admits this host (a name or bare address) and port. */
export function admits(
  patterns: readonly HostPattern[],
  host: string,
  port: number,
): boolean {
  const name = bareHost(host);
  return patterns.some((pattern) =>
    pattern.ports.includes(port) && admitsHost(pattern, name)
  );
}

function admitsHost(pattern: HostPattern, name: string): boolean {
  return name === pattern.host ||
    (pattern.kind === "wildcard" && name.endsWith(`.${pattern.host}`) &&
      name.length > pattern.host.length + 1);
}

/**
 * Patterns for exactly the (host, port) pairs that both lists admit, in the
 * order of `declared`, none of them covered by another.
 */
export function intersectHosts(
  declared: readonly HostPattern[],
  granted: readonly HostPattern[],
): HostPattern[] {
  const common = new Map<string, HostPattern>();
  for (const mine of declared) {
    for (const theirs of granted) {
      for (const both of intersectPair(mine, theirs)) {
        common.set(both.text, both);
      }
    }
  }
  return withoutCovered([...common.values()]);
}

/**
 * The list without repeats and without patterns whose every (host, port)
 * another pattern of the list admits.
 */
export function withoutCovered(
  patterns: readonly HostPattern[],
): HostPattern[] {
  const distinct = [...new Map(patterns.map((p) => [p.text, p])).values()];
  return distinct.filter((pattern) =>
    !distinct.some((other) => other !== pattern && covers(other, pattern))
  );
}

function intersectPair(a: HostPattern, b: HostPattern): HostPattern[] {
  const narrower = coversHosts(a, b) ? b : coversHosts(b, a) ? a : undefined;
  if (narrower === undefined) return [];
  const { kind, host } = narrower;
  const ports = a.ports.filter((port) => b.ports.includes(port));
  // Either list is the default or one port, so two ports can only be the default.
  if (ports.length === DEFAULT_PORTS.length) {
    return [hostPattern(kind, host, undefined)];
  }
  return ports.map((port) => hostPattern(kind, host, port));
}

function covers(outer: HostPattern, inner: HostPattern): boolean {
  return coversHosts(outer, inner) &&
    inner.ports.every((port) => outer.ports.includes(port));
}

function coversHosts(outer: HostPattern, inner: HostPattern): boolean {
  if (inner.kind === "wildcard" && outer.kind !== "wildcard") return false;
  return admitsHost(outer, inner.host);
}
