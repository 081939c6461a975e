import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { parseHostPattern } from "../../src/skill/host_pattern.ts";
import { admits, intersectHosts } from "../../src/skill/host_sets.ts";
import { isPrivateHost } from "../../src/skill/private_hosts.ts";
import type { HostPattern } from "../../src/skill/types.ts";

function pattern(text: string): HostPattern {
  const result = parseHostPattern(text);
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

function patterns(...texts: string[]): HostPattern[] {
  return texts.map(pattern);
}

const ACCEPTED: Record<string, readonly [string, HostPattern["kind"], string]> =
  {
    "api.example.com": ["api.example.com", "name", "api.example.com"],
    "API.Example.COM": ["api.example.com", "name", "api.example.com"],
    "api.example.com.": ["api.example.com", "name", "api.example.com"],
    "api.example.com.:8443": [
      "api.example.com:8443",
      "name",
      "api.example.com",
    ],
    "*.example.com": ["*.example.com", "wildcard", "example.com"],
    "*.example.com:81": ["*.example.com:81", "wildcard", "example.com"],
    "*.user.github.io": ["*.user.github.io", "wildcard", "user.github.io"],
    "münchen.de": ["xn--mnchen-3ya.de", "name", "xn--mnchen-3ya.de"],
    "*.bücher.example": [
      "*.xn--bcher-kva.example",
      "wildcard",
      "xn--bcher-kva.example",
    ],
    "localhost": ["localhost", "name", "localhost"],
    "r3---sn-x.example.com": [
      "r3---sn-x.example.com",
      "name",
      "r3---sn-x.example.com",
    ],
    "10.0.0.1": ["10.0.0.1", "ipv4", "10.0.0.1"],
    "192.0.2.7:8080": ["192.0.2.7:8080", "ipv4", "192.0.2.7"],
    "[::1]:443": ["[::1]:443", "ipv6", "::1"],
    "[2001:DB8:0:0::0001]": ["[2001:db8::1]", "ipv6", "2001:db8::1"],
    "github.io": ["github.io", "name", "github.io"],
  };

for (const [text, [shown, kind, host]] of Object.entries(ACCEPTED)) {
  Deno.test(`parseHostPattern: accepts ${text}`, () => {
    const read = pattern(text);
    deepEqual([read.text, read.kind, read.host], [shown, kind, host]);
  });
}

const REFUSED: Record<string, RegExp> = {
  "": /empty/,
  "*": /every host/,
  "*:443": /every host/,
  "*.*.example.com": /first label/,
  "a.*.example.com": /first label/,
  "a*.example.com": /first label/,
  "**.example.com": /first label/,
  "*example.com": /first label/,
  "*.com": /everybody/,
  "*.co.uk": /everybody/,
  "*.github.io": /everybody/,
  "*.GitHub.io.:443": /everybody/,
  "*.foo.ck": /everybody/,
  "*.kawasaki.jp": /everybody/,
  "*.localhost": /everybody/,
  "*.unknowntld": /everybody/,
  "*.": /not a valid/,
  "*.10.0.0.1": /IPv4|address/,
  "*.1.2.3.4": /IPv4|address/,
  "*.[::1]": /not a valid|IPv6|brackets/,
  "https://example.com": /URL/,
  "example.com/path": /path/,
  "10.0.0.0/8": /path or a range/,
  "user@example.com": /URL/,
  "example.com?x": /URL/,
  "example.com#x": /URL/,
  "a.com,b.com": /comma/,
  "a.com b.com": /blanks/,
  " a.com": /blanks/,
  "a.com\n": /blanks/,
  "a.com\0": /blanks|invisible/,
  "a\u200b.com": /invisible/,
  "a\u00ad.com": /invisible/,
  "a%2ecom": /percent/,
  "example.com:0": /port 0/,
  "example.com:00": /port 0/,
  "example.com:65536": /port/,
  "example.com:080": /port/,
  "example.com:+80": /port/,
  "example.com:": /port/,
  "example.com:443:443": /brackets/,
  "::1": /brackets/,
  "2001:db8::1": /brackets/,
  "[::1": /brackets/,
  "[::1]443": /only a port/,
  "[::1]:0": /port 0/,
  "[::1]:": /port/,
  "[fe80::1%eth0]": /percent/,
  "[1.2.3.4]": /brackets/,
  "[]": /brackets/,
  "[::ffff:127.0.0.1]": /IPv4/,
  "[::ffff:7f00:1]:80": /IPv4/,
  "2130706433": /four plain decimal/,
  "0x7f.1": /four plain decimal/,
  "0x7f000001": /four plain decimal/,
  "127.1": /four plain decimal/,
  "127.0.0.01": /four plain decimal/,
  "0177.0.0.1": /four plain decimal/,
  "256.0.0.1": /four plain decimal/,
  "1.2.3.4.5": /four plain decimal/,
  "a.0x": /four plain decimal/,
  "１２７.0.0.1": /four plain decimal/,
  "①②⑦.0.0.1": /four plain decimal/,
  "＊.com": /label/,
  "a..com": /label/,
  ".com": /label/,
  "a.com..": /label/,
  "-a.com": /label/,
  "a-.com": /label/,
  "a_b.com": /label/,
  "a;b.com": /label|valid/,
  "xn--a": /not a valid/,
};

for (const [text, why] of Object.entries(REFUSED)) {
  Deno.test(`parseHostPattern: refuses ${JSON.stringify(text)} with the reason`, () => {
    const result = parseHostPattern(text);
    ok(!result.ok, JSON.stringify(result));
    match(result.message, why);
  });
}

Deno.test("parseHostPattern: refuses labels over 63 and names over 253 characters", () => {
  ok(parseHostPattern(`${"a".repeat(63)}.com`).ok);
  ok(!parseHostPattern(`${"a".repeat(64)}.com`).ok);
  ok(!parseHostPattern(`${"abcdefg.".repeat(32)}com`).ok);
});

Deno.test("parseHostPattern: without a port 443 and 80, with one only that", () => {
  deepEqual(pattern("a.example").ports, [443, 80]);
  deepEqual(pattern("a.example:443").ports, [443]);
});

const anyPattern = fc.tuple(
  fc.constantFrom("", "*.", "*", "[", "https://"),
  fc.oneof(
    fc.constantFrom(
      "Example.com",
      "a.example.com",
      "::1",
      "::1]",
      "10.0.0.1",
      "münchen.de",
      "x.localhost",
      "com",
    ),
    fc.domain(),
    fc.ipV4(),
    fc.ipV6(),
  ),
  fc.constantFrom("", ".", "]", ":443", ":0", ".:80", "]:8443", "/x"),
).map((parts) => parts.join(""));

Deno.test("parseHostPattern: never throws, and its text reads back as itself", () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(anyPattern, fc.string({ unit: "binary" })), (text) => {
      const result = parseHostPattern(text);
      if (!result.ok) return;
      accepted++;
      deepEqual(parseHostPattern(result.value.text), result);
    }),
    { numRuns: 3000 },
  );
  ok(accepted > 100, `only ${accepted} accepted`);
});

Deno.test("parseHostPattern: a megabyte of any shape is refused at once", () => {
  for (const text of ["a.", "*.", "[", ":", "é", "-", "0x"]) {
    const start = performance.now();
    ok(!parseHostPattern(text.repeat(500_000)).ok);
    ok(performance.now() - start < 200, text);
  }
});

Deno.test("admits: exact names, wildcards with their base, ports", () => {
  const some = patterns("*.example.com", "api.other.org:8443", "[::1]:9");
  ok(admits(some, "a.b.example.com", 443));
  ok(admits(some, "example.com", 80));
  ok(admits(some, "EXAMPLE.com.", 443));
  ok(admits(some, "[0:0::1]", 9));
  ok(admits(some, "api.other.org", 8443));
  ok(!admits(some, "example.com", 8080));
  ok(!admits(some, "api.other.org", 443));
  ok(!admits(some, "x.api.other.org", 8443));
  ok(!admits(some, "notexample.com", 443));
  ok(!admits(some, ".example.com", 443));
});

Deno.test("intersectHosts: a row narrows a declared wildcard", () => {
  const texts = (a: string[], b: string[]) =>
    intersectHosts(patterns(...a), patterns(...b)).map((p) => p.text);
  deepEqual(texts(["*.x.com"], ["api.x.com"]), ["api.x.com"]);
  deepEqual(texts(["api.x.com"], ["*.x.com"]), ["api.x.com"]);
  deepEqual(texts(["*.x.com"], ["x.com:443"]), ["x.com:443"]);
  deepEqual(texts(["*.x.com"], ["*.b.x.com"]), ["*.b.x.com"]);
  deepEqual(texts(["x.com"], ["x.com:8443"]), []);
  deepEqual(texts(["x.com"], ["y.com"]), []);
  deepEqual(texts(["x.com:8443"], ["x.com"]), []);
  deepEqual(texts([], ["x.com"]), []);
  deepEqual(texts(["x.com"], []), []);
  deepEqual(texts(["*.x.com", "api.x.com"], ["*.x.com"]), ["*.x.com"]);
  deepEqual(texts(["10.0.0.1"], ["10.0.0.1:80"]), ["10.0.0.1:80"]);
});

const NAMES = ["x.com", "a.x.com", "b.a.x.com", "y.org", "10.0.0.1", "::1"];
const PORTS = [80, 443, 8443];
const somePattern: fc.Arbitrary<HostPattern> = fc.tuple(
  fc.constantFrom(
    "x.com",
    "*.x.com",
    "a.x.com",
    "*.a.x.com",
    "b.a.x.com",
    "y.org",
    "10.0.0.1",
    "[::1]",
  ),
  fc.constantFrom("", ":80", ":443", ":8443"),
).map(([host, port]) => pattern(host + port));

Deno.test("intersectHosts: admits exactly what both lists admit", () => {
  fc.assert(
    fc.property(fc.array(somePattern), fc.array(somePattern), (a, b) => {
      const both = intersectHosts(a, b);
      for (const host of NAMES) {
        for (const port of PORTS) {
          equal(
            admits(both, host, port),
            admits(a, host, port) && admits(b, host, port),
            `${host}:${port}`,
          );
        }
      }
      for (const one of both) deepEqual(pattern(one.text), one);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("isPrivateHost: loopback, private, link-local, metadata, in every spelling", () => {
  for (
    const host of [
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "printer.local",
      "metadata.google.internal",
      "db",
      "127.0.0.1",
      "127.9.9.9",
      "10.1.2.3",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "100.127.255.255",
      "168.63.129.16",
      "0.0.0.0",
      "255.255.255.255",
      "224.0.0.1",
      "::",
      "::1",
      "[::1]",
      "fe80::1",
      "fd00:ec2::254",
      "::ffff:127.0.0.1",
      "64:ff9b::7f00:1",
      "2002:7f00:1::",
      "ff02::1",
    ]
  ) ok(isPrivateHost(host), host);
  for (
    const host of [
      "example.com",
      "localhost.example.com",
      "internal.example.com",
      "mylocal",
      "8.8.8.8",
      "172.15.0.1",
      "172.32.0.1",
      "100.63.0.1",
      "100.128.0.1",
      "169.253.1.1",
      "2606:4700::1111",
      "[2a00::1]",
    ]
  ) equal(isPrivateHost(host), host === "mylocal", host);
});

Deno.test("isPrivateHost: takes patterns too", () => {
  ok(isPrivateHost(pattern("10.0.0.1:8080")));
  ok(isPrivateHost(pattern("[::1]")));
  ok(isPrivateHost(pattern("*.corp.internal")));
  ok(!isPrivateHost(pattern("*.example.com")));
});
