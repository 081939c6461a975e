/**
 * Destinations that are reachable only when the owner names them exactly:
 * this machine, its networks, and the metadata services of clouds.
 */

import { addressBits, formatIpv6, inRange } from "./ip_address.ts";
import type { HostPattern } from "./types.ts";

/**
 * IPv4 ranges that are not the public internet (IANA special-purpose registry,
 * with multicast and reserved space), and Azure's metadata address, which is.
 */
export const PRIVATE_IPV4: readonly string[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/**
 * IPv6 ranges that are not the public internet, and those that a translator or
 * a tunnel turns into IPv4 addresses.
 */
const PRIVATE_IPV6: readonly string[] = [
  "::/96",
  "::ffff:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/32",
  "2001:db8::/32",
  "2002::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

/** Names (with all names below them) that never mean a public host. */
const PRIVATE_NAMES: readonly string[] = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
];

/**
 * Whether a pattern, a name or a bare address stands for something private. A
 * name of a single label counts: only a local resolver knows it. What a public
 * name resolves to is not known here; the fence denies the ranges as well.
 */
export function isPrivateHost(host: HostPattern | string): boolean {
  const name = bareHost(typeof host === "string" ? host : host.host);
  const address = addressBits(name);
  if (address !== undefined) {
    const ranges = address.version === 4 ? PRIVATE_IPV4 : PRIVATE_IPV6;
    return ranges.some((range) => inRange(name, range));
  }
  return !name.includes(".") ||
    PRIVATE_NAMES.some((suffix) =>
      name === suffix || name.endsWith(`.${suffix}`)
    );
}

/**
 * A host as sockets report it, in the spelling patterns keep: lower case, no
 * brackets, no trailing dot, IPv6 in canonical form.
 */
export function bareHost(host: string): string {
  const lower = host.toLowerCase().replace(/\.$/, "");
  const inner = lower.startsWith("[") && lower.endsWith("]")
    ? lower.slice(1, -1)
    : lower;
  const address = addressBits(inner);
  return address?.version === 6 ? formatIpv6(address.bits) : inner;
}
