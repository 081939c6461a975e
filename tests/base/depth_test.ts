import assert from "node:assert/strict";
import fc from "fast-check";
import { deeperThan } from "../../src/base/depth.ts";

function depth(value: unknown): number {
  return typeof value !== "object" || value === null
    ? 0
    : 1 + Math.max(0, ...Object.values(value).map(depth));
}

Deno.test("deeperThan: agrees with the depth by recursion (property)", () => {
  fc.assert(fc.property(
    fc.jsonValue({ maxDepth: 6 }),
    fc.nat(7),
    (value, levels) => {
      assert.equal(deeperThan(value, levels), depth(value) > levels);
    },
  ));
});

Deno.test("deeperThan: takes values that no recursion walks", () => {
  const text = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
  assert.ok(deeperThan(JSON.parse(text), 100));
});
