import assert from "node:assert/strict";
import { RunQueue } from "../../src/fence/queue.ts";
import { FakeClock } from "./fake_clock.ts";

function setUp(slots = 1): { queue: RunQueue; clock: FakeClock } {
  const clock = new FakeClock();
  return { queue: new RunQueue({ slots, clock }), clock };
}

Deno.test("RunQueue: admits as many at once as it has slots", async () => {
  const { queue, clock } = setUp(2);
  const first = await queue.enter();
  const second = await queue.enter();
  let third = false;
  const waiting = queue.enter().then((result) => (third = true, result));
  await clock.advance(0);
  assert.ok(first.ok && second.ok);
  assert.equal(third, false);
  second.value();
  assert.ok((await waiting).ok);
});

Deno.test("RunQueue: those who wait come in the order they arrived", async () => {
  const { queue } = setUp();
  const order: number[] = [];
  const first = await queue.enter();
  const all = [1, 2, 3].map(async (name) => {
    const result = await queue.enter();
    order.push(name);
    if (result.ok) result.value();
  });
  if (first.ok) first.value();
  await Promise.all(all);
  assert.deepEqual(order, [1, 2, 3]);
});

Deno.test("RunQueue: a slot given back twice is given back once", async () => {
  const { queue, clock } = setUp();
  const first = await queue.enter();
  assert.ok(first.ok);
  first.value();
  first.value();
  assert.ok((await queue.enter()).ok);
  let entered = false;
  void queue.enter().then(() => entered = true);
  await clock.advance(0);
  assert.equal(entered, false);
});

Deno.test("RunQueue: the 17th that would wait is BUSY at once", async () => {
  const { queue } = setUp();
  await queue.enter();
  for (let at = 0; at < 16; at++) void queue.enter();
  assert.equal(queue.waiting, 16);
  const refused = await queue.enter();
  assert.equal(refused.ok ? "" : refused.code, "BUSY");
});

Deno.test("RunQueue: after 20 s of waiting it is BUSY, and no sooner", async () => {
  const { queue, clock } = setUp();
  await queue.enter();
  let code = "";
  void queue.enter().then((result) => code = result.ok ? "in" : result.code);
  await clock.advance(19_999);
  assert.equal(code, "");
  await clock.advance(1);
  assert.equal(code, "BUSY");
  assert.equal(queue.waiting, 0);
});

Deno.test("RunQueue: a wait can be cancelled and leaves its place", async () => {
  const { queue, clock } = setUp();
  const first = await queue.enter();
  const controller = new AbortController();
  const cancelled = queue.enter(controller.signal);
  const next = queue.enter();
  controller.abort();
  const result = await cancelled;
  assert.equal(result.ok ? "" : result.code, "CANCELLED");
  if (first.ok) first.value();
  assert.ok((await next).ok);
  assert.equal(clock.armed, 0);
});

Deno.test("RunQueue: a signal that was given before is honoured", async () => {
  const { queue } = setUp();
  const result = await queue.enter(AbortSignal.abort());
  assert.equal(result.ok ? "" : result.code, "CANCELLED");
  assert.ok((await queue.enter()).ok);
});

Deno.test("RunQueue: closing refuses who waits and who comes", async () => {
  const { queue } = setUp();
  await queue.enter();
  const waiting = queue.enter();
  queue.close();
  const codes = [await waiting, await queue.enter()]
    .map((result) => result.ok ? "in" : result.code);
  assert.deepEqual(codes, ["CANCELLED", "CANCELLED"]);
});
