import assert from "node:assert/strict";
import { holds, ms, row, skipped } from "../../tools/bench/row.ts";
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

Deno.test("row: over its bar, under it, and without one", () => {
  const [under, over, told] = [row("a", 1.4, 1.4), row("a", 1.41, 1.4, "%")]
    .concat(row("a", 99));
  assert.deepEqual(
    [under!.over, over!.over, told!.over],
    [false, true, false],
  );
  assert.deepEqual([over!.value, over!.bar], ["1.41%", "<= 1.4%"]);
  assert.deepEqual([told!.value, told!.bar], ["99.00", ""]);
});

Deno.test("holds, skipped: what must hold is over when it does not, what cannot be is not", () => {
  assert.equal(holds("a", false).over, true);
  assert.equal(holds("a", true).over, false);
  const row = skipped("a", "no kernel for it");
  assert.equal(row.over, false);
  assert.match(`${row.what} ${row.value}`, /a: no kernel for it skipped/);
});

Deno.test("ms: decimals only where they say something", () => {
  assert.deepEqual([ms(3.14), ms(54.4)], ["3.1 ms", "54 ms"]);
});
