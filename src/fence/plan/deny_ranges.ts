/**
 * Addresses that no script reaches by way of a name: private, loopback,
 * link-local, metadata. Deno checks `--deny-net` again on the resolved address,
 * and deny beats allow, so an address that is meant must fall out of the ranges.
 */

import { addressBits } from "../../skill/ip_address.ts";
import { PRIVATE_IPV4 } from "../../skill/private_hosts.ts";

/**
 * IPv6 addresses denied one by one, since Deno refuses IPv6 ranges: loopback,
 * unspecified, and the metadata services of two large clouds.
 */
const PRIVATE_IPV6_HOSTS: readonly string[] = [
  "::1",
  "::",
  "fd00:ec2::254",
  "fd20:ce::254",
];

/**
 * The items of `--deny-net`: all private ranges, less exactly the given
 * addresses (bare IPv4 or IPv6; others are ignored). Ordered and distinct.
 */
export function denyRanges(except: readonly string[]): string[] {
  const holes = except.flatMap((address) => {
    const read = addressBits(address);
    return read === undefined ? [] : [read];
  });
  const v4 = holes.filter((hole) => hole.version === 4).map((h) => h.bits);
  const v6 = new Set(holes.filter((h) => h.version === 6).map((h) => h.bits));
  return [
    ...PRIVATE_IPV4.flatMap((range) => splitRange(range, v4)),
    ...PRIVATE_IPV6_HOSTS
      .filter((host) => !v6.has(addressBits(host)!.bits))
      .map((host) => `[${host}]`),
  ];
}

/** A range such as `127.0.0.0/8` as the ranges that cover it less the holes. */
function splitRange(range: string, holes: readonly bigint[]): string[] {
  const [base = "", length = "32"] = range.split("/");
  return split(addressBits(base)!.bits, Number(length), holes);
}

function split(
  base: bigint,
  length: number,
  holes: readonly bigint[],
): string[] {
  const shift = BigInt(32 - length);
  const inside = holes.filter((hole) => hole >> shift === base >> shift);
  if (inside.length === 0) return [`${formatIpv4(base)}/${length}`];
  if (length === 32) return [];
  const upper = base | (1n << (shift - 1n));
  return [
    ...split(base, length + 1, inside),
    ...split(upper, length + 1, inside),
  ];
}

function formatIpv4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((by) => (bits >> by) & 255n).join(".");
}
