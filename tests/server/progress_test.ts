import assert from "node:assert/strict";
import { Progress } from "../../src/server/progress.ts";

Deno.test("Progress: numbers rise, and nothing passes after the end", async () => {
  const sent: [number, string][] = [];
  const progress = new Progress((count, message) => {
    sent.push([count, message]);
    return Promise.resolve();
  });
  progress.report("a");
  progress.report("b");
  await progress.finish();
  progress.report("late");
  await Promise.resolve();
  assert.deepEqual(sent, [[1, "a"], [2, "b"]]);
});

Deno.test("Progress: finish waits for the last one to be sent", async () => {
  let done = false;
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const progress = new Progress(async () => {
    await gate;
    done = true;
  });
  progress.report("a");
  const finished = progress.finish();
  open();
  await finished;
  assert.equal(done, true);
});

Deno.test("Progress: a client that went away fails nobody", async () => {
  const progress = new Progress(() => Promise.reject(new Error("gone")));
  progress.report("a");
  progress.report("b");
  await progress.finish();
});

Deno.test("Progress: during repeats while the work lasts, only with a token", async () => {
  const sent: string[] = [];
  const { promise: twice, resolve } = Promise.withResolvers<string>();
  const progress = new Progress((count, message) => {
    sent.push(message);
    if (count === 2) resolve("result");
    return Promise.resolve();
  });
  assert.equal(await progress.during(twice, () => "waiting"), "result");
  assert.deepEqual(sent, ["waiting", "waiting"]);
  const silent = new Progress(undefined);
  assert.equal(await silent.during(Promise.resolve(7), () => "x"), 7);
});
