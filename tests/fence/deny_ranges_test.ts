import assert from "node:assert/strict";
import fc from "fast-check";
import { denyRanges } from "../../src/fence/plan/deny_ranges.ts";
import { inRange } from "../../src/skill/ip_address.ts";
import { PRIVATE_IPV4 } from "../../src/skill/private_hosts.ts";

const octet = fc.integer({ min: 0, max: 255 });
const address = fc.oneof(
  fc.tuple(octet, octet, octet, octet),
  // Half of the samples inside private ranges, neighbours among them.
  fc.tuple(
    fc.constantFrom(10, 127, 172, 192, 169, 100),
    fc.constantFrom(0, 16, 31, 168, 254, 64),
    octet,
    octet,
  ),
).map((octets) => octets.join("."));

function isDenied(address: string, ranges: readonly string[]): boolean {
  return ranges.some((range) => inRange(address, range));
}

Deno.test("denyRanges: without exceptions it is the private ranges and four IPv6 hosts", () => {
  const ranges = denyRanges([]);
  assert.deepEqual(ranges.slice(0, PRIVATE_IPV4.length), PRIVATE_IPV4);
  assert.deepEqual(ranges.slice(PRIVATE_IPV4.length), [
    "[::1]",
    "[::]",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
  ]);
});

Deno.test("denyRanges: 127.0.0.0/8 less one address is 24 ranges", () => {
  const ranges = denyRanges(["127.0.0.1"]).filter((r) => r.startsWith("127."));
  assert.equal(ranges.length, 24);
});

Deno.test("denyRanges: exactly the given addresses fall out", () => {
  fc.assert(fc.property(
    fc.array(address, { maxLength: 3 }),
    fc.array(address, { minLength: 1, maxLength: 20 }),
    (holes, probes) => {
      const before = denyRanges([]);
      const after = denyRanges(holes);
      for (const probe of [...holes, ...probes, ...holes.flatMap(near)]) {
        assert.equal(
          isDenied(probe, after),
          isDenied(probe, before) && !holes.includes(probe),
          probe,
        );
      }
    },
  ));
});

Deno.test("denyRanges: the parts of a split range do not overlap and count one less", () => {
  fc.assert(fc.property(address, (hole) => {
    const size = (ranges: readonly string[]) =>
      ranges.filter((range) => !range.startsWith("[")).reduce(
        (sum, range) => sum + 2 ** (32 - Number(range.split("/")[1])),
        0,
      );
    const before = denyRanges([]);
    const expected = size(before) - (isDenied(hole, before) ? 1 : 0);
    assert.equal(size(denyRanges([hole])), expected);
  }));
});

Deno.test("denyRanges: an IPv6 address falls out however it is spelled, and nonsense changes nothing", () => {
  assert.ok(!denyRanges(["0:0:0:0:0:0:0:1"]).includes("[::1]"));
  assert.deepEqual(denyRanges(["proxy.example", ""]), denyRanges([]));
});

function near(address: string): string[] {
  const octets = address.split(".").map(Number);
  return [-1, 1].map((by) =>
    [...octets.slice(0, 3), Math.min(255, Math.max(0, octets[3]! + by))]
      .join(".")
  );
}
