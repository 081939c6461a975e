import assert from "node:assert/strict";
import {
  AUDIT_BYTES,
  StorageWatch,
  type WatchedStorage,
} from "../../src/fence/run/storage_watch.ts";
import { makeTree } from "../support/tree.ts";
import { FakeClock } from "./fake_clock.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;

function watch(
  storage: Partial<WatchedStorage>,
  clock = new FakeClock(),
): StorageWatch {
  return new StorageWatch({
    storage: { dirs: [], ...storage },
    limits: { diskMiB: 2, files: 5 },
    clock,
  });
}

Deno.test("StorageWatch.before: too much already is a refusal", async () => {
  await using tree = await makeTree({ a: "x".repeat(MIB) });
  assert.equal(await watch({ dirs: [tree.root] }).before(), undefined);
  await tree.write({ b: "x".repeat(MIB + 1) });
  const refusal = await watch({ dirs: [tree.root] }).before();
  assert.equal(refusal?.code, "OVER_LIMIT");
  assert.match(refusal?.message ?? "", /more than 2 MiB/);
  assert.equal(
    await watch({ dirs: [tree.path("a"), tree.path("c")] }).before(),
    undefined,
  );
});

Deno.test("StorageWatch: counts every 250 ms and stops the run with a reason", async () => {
  await using tree = await makeTree();
  const clock = new FakeClock();
  const watched = watch({ dirs: [tree.root] }, clock);
  assert.equal(await watched.before(), undefined);
  watched.start(Deno.pid);
  await tree.write({ a: "", b: "", c: "", d: "", e: "" });
  for (let i = 0; i < 3; i++) {
    await until(() => clock.armed === 1);
    await clock.advance(250);
  }
  assert.equal(watched.signal.aborted, false);
  await tree.write({ f: "" });
  await until(() => clock.armed === 1);
  await clock.advance(249);
  assert.equal(watched.signal.aborted, false);
  await clock.advance(1);
  await until(() => watched.signal.aborted);
  assert.match(String(watched.signal.reason), /^there were more than 5 files/);
  // It has said so: nothing is counted any more.
  assert.equal(clock.armed, 0);
  assert.equal(await watched.end(), String(watched.signal.reason));
});

Deno.test("StorageWatch.end: what was written last is counted too", async () => {
  await using tree = await makeTree();
  const clock = new FakeClock();
  const watched = watch({ dirs: [tree.root] }, clock);
  watched.start(Deno.pid);
  await tree.write({ big: "x".repeat(2 * MIB + 1) });
  assert.match(await watched.end() ?? "", /more than 2 MiB/);
  assert.equal(clock.armed, 0);
  const fine = watch({ dirs: [tree.path("nothing")] });
  assert.equal(await fine.end(), undefined);
});

Deno.test("StorageWatch: a slow count gives way to others", async () => {
  await using tree = await makeTree();
  const clock = new FakeClock();
  // Every look at the clock finds that another 400 ms have passed.
  let now = 0;
  clock.now = () => now += 400;
  const watched = watch({ dirs: [tree.root] }, clock);
  watched.start(Deno.pid);
  await clock.advance(250);
  await until(() => clock.armed === 1);
  await tree.write({ a: "", b: "", c: "", d: "", e: "", f: "" });
  await clock.advance(700);
  assert.equal(watched.signal.aborted, false);
  await clock.advance(100);
  await until(() => watched.signal.aborted);
});

Deno.test({
  name: "StorageWatch: removed files count as long as they are held",
  ignore: Deno.build.os !== "linux", // reads /proc
  async fn() {
    await using tree = await makeTree({ hidden: "" });
    const clock = new FakeClock();
    const watched = watch({ dirs: [tree.root] }, clock);
    watched.start(Deno.pid);
    {
      using file = await Deno.open(tree.path("hidden"), { write: true });
      await Deno.remove(tree.path("hidden"));
      await clock.advance(250);
      await until(() => clock.armed === 1);
      await file.truncate(3 * MIB);
      await clock.advance(250);
      await until(() => watched.signal.aborted);
    }
    assert.match(String(watched.signal.reason), /more than 2 MiB/);
    assert.deepEqual(watched.notCounted, []);
  },
});

Deno.test("StorageWatch: the record of permission checks has a bound of its own", async () => {
  await using tree = await makeTree({ "audit.jsonl": "" });
  const audit = tree.path("audit.jsonl");
  await Deno.truncate(audit, AUDIT_BYTES);
  assert.equal(await watch({ audit }).end(), undefined);
  await Deno.truncate(audit, AUDIT_BYTES + 1);
  assert.match(await watch({ audit }).end() ?? "", /permissions/);
});
