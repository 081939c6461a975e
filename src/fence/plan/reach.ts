/** Which hosts a script reaches in the end, and through what. */

import { byCodeUnit } from "../../base/order.ts";
import { lookup } from "node:dns/promises";
import { PROXY_VARIABLES } from "../../config/variables.ts";
import type { Permit } from "../../grant/types.ts";
import type { Network } from "../../os/types.ts";
import { addressBits } from "../../skill/ip_address.ts";
import { isPrivateHost } from "../../skill/private_hosts.ts";
import type { HostPattern } from "../../skill/types.ts";

/** Addresses of a name, in any order; none when it does not resolve. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** The server's proxy, as a script's requests meet it. */
export interface ProxyReach {
  /** Host and port, without credentials. */
  readonly where: readonly string[];
}

/** What a script reaches. */
export interface Reach {
  readonly hosts: readonly HostPattern[];
  /** Private addresses that must not be denied, sorted. */
  readonly openAddresses: readonly string[];
  /**
   * Those addresses with each port that is reached at some host and is not
   * meant there, `127.0.0.1:443`: a public name could lead to them.
   */
  readonly closedPorts: readonly string[];
  /** Private hosts that no grant row names exactly: not among `hosts`. */
  readonly withheld: readonly HostPattern[];
  /** Private names that were granted exactly and do not resolve now. */
  readonly unresolved: readonly string[];
  /** Undefined without a proxy, and where nothing is reached. */
  readonly proxy: ProxyReach | undefined;
}

/** Ports of proxies whose address names none. */
const PROXY_PORTS: ReadonlyMap<string, number> = new Map([
  ["https:", 443],
  ["socks5:", 1080],
  ["socks5h:", 1080],
]);
const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];
/** A preview must not hang on a resolver. */
const RESOLVE_MS = 2_000;

/**
 * The permitted hosts, less the private ones that no row names exactly: those
 * are `withheld`.
 */
export function meantHosts(
  permit: Pick<Permit, "egress" | "exactHosts">,
): Pick<Reach, "hosts" | "withheld"> {
  const isMeant = (host: HostPattern) =>
    !isPrivateHost(host) ||
    permit.exactHosts.some((exact) =>
      exact.kind !== "wildcard" && exact.host === host.host &&
      exact.kind === host.kind &&
      host.ports.every((port) => exact.ports.includes(port))
    );
  return {
    hosts: permit.egress.filter(isMeant),
    withheld: permit.egress.filter((host) => !isMeant(host)),
  };
}

/**
 * Works out what a script reaches from this server. The server's own proxy is
 * opened to the script only where the script goes there itself (`open`).
 */
export async function reachOf(
  { hosts, withheld }: Pick<Reach, "hosts" | "withheld">,
  network: Network,
  effects: {
    readonly env: (name: string) => string | undefined;
    readonly resolve: Resolve;
  },
): Promise<Reach> {
  const open = new Openings();
  const unresolved: string[] = [];
  for (const host of hosts.filter(isPrivateHost)) {
    const addresses = await addressesOf(host.host, effects.resolve);
    if (addresses.length === 0) unresolved.push(host.host);
    open.add(addresses, host.ports);
  }
  const where: string[] = [];
  for (const proxy of hosts.length === 0 ? [] : proxiesOf(effects.env)) {
    where.push(proxy.where);
    if (network !== "open") continue;
    const addresses = await addressesOf(proxy.host, effects.resolve);
    open.add(addresses, [proxy.port]);
  }
  return {
    hosts,
    withheld,
    unresolved,
    openAddresses: open.addresses(),
    closedPorts: open.closedPorts(hosts.flatMap(({ ports }) => ports)),
    proxy: where.length === 0 ? undefined : { where: [...new Set(where)] },
  };
}

/** Private addresses that fall out of the denied ranges, and at which ports. */
class Openings {
  readonly #ports = new Map<string, Set<number>>();

  add(addresses: readonly string[], ports: readonly number[]): void {
    for (const address of addresses.filter(isPrivateHost)) {
      const known = this.#ports.get(address) ?? new Set();
      ports.forEach((port) => known.add(port));
      this.#ports.set(address, known);
    }
  }

  addresses(): string[] {
    return [...this.#ports.keys()].sort(byCodeUnit);
  }

  /** What stays shut of `reached`, the ports of all hosts. */
  closedPorts(reached: readonly number[]): string[] {
    return this.addresses().flatMap((address) => {
      const meant = this.#ports.get(address);
      const bare = address.includes(":") ? `[${address}]` : address;
      return [...new Set(reached)].filter((port) => !meant?.has(port))
        .sort((a, b) => a - b).map((port) => `${bare}:${port}`);
    });
  }
}

/** The system's own resolver, bounded in time. */
export async function systemResolve(name: string): Promise<readonly string[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(() => resolve([]), RESOLVE_MS);
  });
  try {
    return await Promise.race([
      lookup(name, { all: true }).then((all) => all.map((one) => one.address)),
      late,
    ]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function addressesOf(
  host: string,
  resolve: Resolve,
): Promise<readonly string[]> {
  if (addressBits(host) !== undefined) return [host];
  // The name's meaning is fixed (RFC 6761); no resolver is asked.
  if (host === "localhost" || host.endsWith(".localhost")) return LOOPBACK;
  return await resolve(host);
}

function proxiesOf(
  env: (name: string) => string | undefined,
): { host: string; port: number; where: string }[] {
  return PROXY_VARIABLES.flatMap((name) => {
    const value = env(name);
    if (value === undefined) return [];
    try {
      const url = new URL(value.includes("://") ? value : `http://${value}`);
      const host = url.hostname.replace(/^\[|\]$/g, "");
      const port = Number(url.port) || (PROXY_PORTS.get(url.protocol) ?? 80);
      return host === "" ? [] : [{ host, port, where: url.host }];
    } catch {
      // What Deno cannot read either, it does not use.
      return [];
    }
  });
}
