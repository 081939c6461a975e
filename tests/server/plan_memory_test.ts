import assert from "node:assert/strict";
import {
  PlanMemory,
  PREVIEW_LIFETIME_MS,
} from "../../src/server/plan_memory.ts";

function memory(): { memory: PlanMemory; pass: (ms: number) => void } {
  let now = 0;
  return { memory: new PlanMemory(() => now), pass: (ms) => now += ms };
}

Deno.test("PlanMemory: a preview is good once", () => {
  const { memory: previews } = memory();
  previews.remember("a");
  assert.equal(previews.take("a")?.digest, "a");
  assert.equal(previews.take("a"), undefined);
  assert.equal(previews.take("never shown"), undefined);
});

Deno.test("PlanMemory: a preview is good for ten minutes and not longer", () => {
  const { memory: previews, pass } = memory();
  assert.equal(PREVIEW_LIFETIME_MS, 600_000);
  previews.remember("a");
  previews.remember("b");
  pass(599_999);
  assert.ok(previews.take("a"));
  pass(1);
  assert.equal(previews.take("b"), undefined);
});

Deno.test("PlanMemory: what is given back keeps the time it had", () => {
  const { memory: previews, pass } = memory();
  previews.remember("a");
  pass(400_000);
  previews.giveBack(previews.take("a")!);
  pass(199_999);
  const again = previews.take("a");
  assert.ok(again);
  previews.giveBack(again);
  pass(1);
  assert.equal(previews.take("a"), undefined);
});

Deno.test("PlanMemory: giving back does not shorten a newer preview", () => {
  const { memory: previews, pass } = memory();
  previews.remember("a");
  const taken = previews.take("a")!;
  pass(500_000);
  previews.remember("a");
  previews.giveBack(taken);
  pass(500_000);
  assert.ok(previews.take("a"));
});

Deno.test("PlanMemory: the oldest of very many goes first", () => {
  const { memory: previews } = memory();
  for (let i = 0; i < 257; i++) previews.remember(String(i));
  assert.equal(previews.take("0"), undefined);
  assert.ok(previews.take("1"));
  assert.ok(previews.take("256"));
});
