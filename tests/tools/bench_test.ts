import assert from "node:assert/strict";
import { inTurns, median, timed } from "../../tools/bench/timing.ts";

Deno.test("median: the middle value, or the mean of the middle two", () => {
  assert.equal(median([5, 1, 9]), 5);
  assert.equal(median([10, 1, 2, 4]), 3);
});

Deno.test("inTurns: goes round by round and leaves the first round out", async () => {
  const order: string[] = [];
  const times = { a: [1000, 1, 3, 2], b: [1000, 10, 10, 40] };
  const take = (name: "a" | "b") => () => {
    order.push(name);
    return Promise.resolve(times[name].shift()!);
  };
  assert.deepEqual(await inTurns(3, { a: take("a"), b: take("b") }), {
    a: 2,
    b: 10,
  });
  assert.equal(order.join(""), "abababab");
});

Deno.test("timed: waits for the work to end", async () => {
  let done = false;
  const time = await timed(async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    done = true;
  });
  assert.ok(done);
  assert.ok(time >= 29, `${time}`);
});
