/** IP addresses as numbers: read strictly, written one way, matched by range. */

import { isIpv6 } from "../base/ip_text.ts";

const OCTETS = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/**
 * An address as one number: 32 bits for IPv4, 128 for IPv6. Undefined for
 * anything but four plain decimal octets (no leading zeros) or an IPv6 address
 * without brackets and zone.
 */
export function addressBits(
  address: string,
): { readonly version: 4 | 6; readonly bits: bigint } | undefined {
  const v4 = ipv4Bits(address);
  if (v4 !== undefined) return { version: 4, bits: v4 };
  if (!isIpv6(address)) return undefined;
  return { version: 6, bits: ipv6Bits(address) };
}

function ipv4Bits(address: string): bigint | undefined {
  const match = OCTETS.exec(address);
  if (match === null) return undefined;
  let bits = 0n;
  for (const octet of match.slice(1)) {
    const value = Number(octet);
    if (value > 255 || String(value) !== octet) return undefined;
    bits = (bits << 8n) | BigInt(value);
  }
  return bits;
}

function ipv6Bits(address: string): bigint {
  const [head = "", tail] = address.split("::");
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const gap = new Array<bigint>(8 - front.length - back.length).fill(0n);
  return [...front, ...gap, ...back]
    .reduce((bits, group) => (bits << 16n) | group, 0n);
}

function groupsOf(text: string): bigint[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    const v4 = ipv4Bits(group);
    return v4 === undefined
      ? [BigInt(`0x${group}`)]
      : [v4 >> 16n, v4 & 0xffffn];
  });
}

/** An IPv6 number in its canonical spelling (RFC 5952), without brackets. */
export function formatIpv6(bits: bigint): string {
  const groups = Array.from(
    { length: 8 },
    (_, i) => ((bits >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1);
}

/** Whether the address lies in a range such as `10.0.0.0/8` or `fe80::/10`. */
export function inRange(address: string, range: string): boolean {
  const [base = "", length] = range.split("/");
  const inside = addressBits(address);
  const outer = addressBits(base);
  if (inside === undefined || inside.version !== outer?.version) return false;
  const shift = BigInt((outer.version === 4 ? 32 : 128) - Number(length));
  return inside.bits >> shift === outer.bits >> shift;
}
