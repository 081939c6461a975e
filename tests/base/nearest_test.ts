import { deepEqual, equal, ok } from "node:assert/strict";
import { nearest } from "../../src/base/nearest.ts";

Deno.test("nearest: closest first, far ones left out", () => {
  deepEqual(nearest("wether", ["weather", "billing", "feather"]), [
    "weather",
    "feather",
  ]);
});

Deno.test("nearest: case aside, and a forgotten folder counts as near", () => {
  deepEqual(nearest("Refunds", ["acme/billing/refunds", "other"]), [
    "acme/billing/refunds",
  ]);
});

Deno.test("nearest: names real ones even when nothing is close", () => {
  deepEqual(nearest("zzzzzz", ["alpha", "beta"]).length, 2);
  deepEqual(nearest("x", []), []);
});

Deno.test("nearest: at most max", () => {
  equal(nearest("aa", ["ab", "ac", "ad", "ae", "af"]).length, 3);
  equal(nearest("aa", ["ab", "ac", "ad", "ae", "af"], 2).length, 2);
});

Deno.test("nearest: 20,000 names answer at once, far words give none", () => {
  const many = Array.from({ length: 20_000 }, (_, i) => `skill-number-${i}`);
  ok(nearest("skill-nunber-19999", many).includes("skill-number-19999"));
  deepEqual(nearest("zzzzzzzzzzzzzzzzzz", many), []);
});

Deno.test("nearest: 20,000 long names that begin alike are not compared in full", () => {
  const many = Array.from(
    { length: 20_000 },
    (_, i) => "a".repeat(100) + String(i).padStart(20, "0"),
  );
  const far = "a".repeat(64) + "b".repeat(64);
  const took = timeOf(() => deepEqual(nearest(far, many), []));
  // Comparing every pair of characters takes some fifty times as long as a
  // look at each character does.
  const look = timeOf(() => {
    let sum = 0;
    for (const name of many) {
      for (let i = 0; i < name.length; i++) sum += name.charCodeAt(i);
    }
    ok(sum > 0);
  });
  ok(took < 400 * look, `${took} ms against ${look} ms`);
  ok(nearest(`${many[7]}x`, many).includes(many[7]!));
});

/** Milliseconds. */
function timeOf(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}
