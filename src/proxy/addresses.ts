/** The addresses of a destination, and which of them a run may reach. */

import { lookup } from "node:dns/promises";
import { addressBits } from "../skill/ip_address.ts";
import { isPrivateHost } from "../skill/private_hosts.ts";
import type { Destination } from "./destination.ts";
import type { ProxyRules } from "./types.ts";

/** Addresses of a name, in order of preference; none when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];

/**
 * Asks once for the addresses of a destination: itself where it is an address,
 * this machine for `localhost` (RFC 6761), else what `resolve` says.
 */
export async function addressesOf(
  { host }: Destination,
  resolve: Resolve,
): Promise<readonly string[]> {
  if (addressBits(host) !== undefined) return [host];
  if (host === "localhost" || host.endsWith(".localhost")) return LOOPBACK;
  return await resolve(host);
}

/**
 * Whether this address, at this port, is one that a run may connect to: public,
 * or private and meant. What is not an address is not admitted.
 */
export function isOpenAddress(
  rules: Pick<ProxyRules, "openAddresses" | "closedPorts">,
  address: string,
  port: number,
): boolean {
  const bits = addressBits(address);
  if (bits === undefined) return false;
  if (!isPrivateHost(address)) return true;
  const same = (other: string) => {
    const read = addressBits(other);
    return read?.version === bits.version && read.bits === bits.bits;
  };
  return rules.openAddresses.some(same) &&
    !rules.closedPorts.some((closed) => {
      const [, host = "", shut] = /^\[?([^\]]*?)\]?:([0-9]+)$/.exec(closed) ??
        [];
      return Number(shut) === port && same(host);
    });
}

/** The system's own resolver. */
export async function systemAddresses(
  name: string,
): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map((one) => one.address);
  } catch {
    return [];
  }
}
