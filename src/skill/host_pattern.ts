/** The grammar of `egress`: one host, `*.name` or address, with a port or not. */

import { domainToASCII } from "node:url";
import { getPublicSuffix } from "tldts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import { hostPattern } from "./host_sets.ts";
import { addressBits, formatIpv6, inRange } from "./ip_address.ts";
import type { HostPattern } from "./types.ts";

/** A name is at most 253 characters; an IDN may be spelled with more. */
const MAX_TEXT = 300;
const MAX_NAME = 253;

/** A part read, or the reason it cannot be. */
type Part<T> = { readonly value: T } | { readonly why: string };

/**
 * Reads one pattern: a name, `*.name` (which also admits the name itself), an
 * IPv4 or `[IPv6]` literal, each with an optional `:port`; without one it
 * admits ports 443 and 80. Case, a trailing dot and Unicode are normalised, and
 * reading the result's `text` gives the same pattern. Refuses everything else
 * with `INVALID_ARGUMENTS`, saying why. Never throws, and takes time linear in
 * the text, of which at most 300 characters are looked at.
 */
export function parseHostPattern(text: string): Result<HostPattern> {
  const read = readPattern(text);
  return "value" in read ? ok(read.value) : refuse(
    "INVALID_ARGUMENTS",
    `egress "${visible(text, 80)}" is not usable: ${read.why}`,
    "Write a host such as api.example.com, *.example.com, 192.0.2.7 or [2001:db8::7], with :port where it is neither 443 nor 80.",
  );
}

function readPattern(text: string): Part<HostPattern> {
  const shape = shapeComplaint(text);
  if (shape !== undefined) return { why: shape };
  if (text.startsWith("[")) return readIpv6(text);
  const parts = text.split(":");
  if (parts.length > 2) return { why: "an IPv6 address stands in brackets" };
  const port = readPort(parts[1]);
  if ("why" in port) return port;
  const wildcard = parts[0]!.startsWith("*.");
  const host = readName(wildcard ? parts[0]!.slice(2) : parts[0]!);
  if ("why" in host) return host;
  if (addressBits(host.value) !== undefined) {
    return wildcard
      ? { why: "a wildcard stands before a name, not before an address" }
      : { value: hostPattern("ipv4", host.value, port.value) };
  }
  if (!wildcard) return { value: hostPattern("name", host.value, port.value) };
  const wide = wildcardComplaint(host.value);
  return wide === undefined
    ? { value: hostPattern("wildcard", host.value, port.value) }
    : { why: wide };
}

function shapeComplaint(text: string): string | undefined {
  if (text === "") return "it is empty";
  if (text.length > MAX_TEXT) return "it is longer than any host name";
  if (text === "*" || text.startsWith("*:")) {
    return "it would admit every host";
  }
  if (text.includes("://")) return "it is a URL, not a host";
  if (text.includes("/")) return "it holds a path or a range, not a host alone";
  if (/[?#@]/.test(text)) return "it holds parts of a URL, not a host alone";
  if (text.includes(",")) return "it holds a comma; give each host by itself";
  if (/[\s\p{C}]/u.test(text)) return "it holds blanks or invisible characters";
  if (text.includes("%")) return "it holds a percent sign";
  if (text.replace(/^\*\./, "").includes("*")) {
    return "a wildcard is only the whole first label, as in *.example.com";
  }
  return undefined;
}

function readIpv6(text: string): Part<HostPattern> {
  const close = text.indexOf("]");
  const address = addressBits(text.slice(1, close < 0 ? undefined : close));
  if (close < 0 || address?.version !== 6) {
    return { why: "the brackets do not hold an IPv6 address" };
  }
  const rest = text.slice(close + 1);
  if (rest !== "" && !rest.startsWith(":")) {
    return { why: "only a port may follow the brackets" };
  }
  const port = readPort(rest === "" ? undefined : rest.slice(1));
  if ("why" in port) return port;
  const host = formatIpv6(address.bits);
  return inRange(host, "::ffff:0:0/96")
    ? { why: "it is an IPv4 address in IPv6 spelling; write the IPv4 address" }
    : { value: hostPattern("ipv6", host, port.value) };
}

function readPort(text: string | undefined): Part<number | undefined> {
  if (text === undefined) return { value: undefined };
  if (/^0+$/.test(text)) return { why: "port 0 is no destination" };
  if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > 65_535) {
    return { why: "the port is not a number from 1 to 65535" };
  }
  return { value: Number(text) };
}

/** A name in lower-case punycode, or an IPv4 address in its plain spelling. */
function readName(text: string): Part<string> {
  // domainToASCII lowers, maps and checks labels as browsers do (UTS 46).
  const ascii = domainToASCII(text).replace(/\.$/, "");
  if (ascii === "") return { why: "it is not a valid host name" };
  if (ascii.length > MAX_NAME) return { why: "the name is too long" };
  const labels = ascii.split(".");
  const last = labels.at(-1)!;
  // What the URL standard takes for an IPv4 address, however it is spelled.
  if (/^(?:[0-9]+|0x[0-9a-f]*)$/.test(last)) {
    return addressBits(ascii) !== undefined && text.replace(/\.$/, "") === ascii
      ? { value: ascii }
      : { why: "an IPv4 address is four plain decimal numbers" };
  }
  if (!labels.every((label) => LABEL.test(label))) {
    return {
      why:
        "a label holds 1 to 63 letters, digits and hyphens, no hyphen at either end",
    };
  }
  return { value: ascii };
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function wildcardComplaint(base: string): string | undefined {
  // Private suffixes count: below github.io every name is somebody else's.
  return getPublicSuffix(base, { allowPrivateDomains: true }) === base
    ? `everybody can register names under ${base}`
    : undefined;
}
