/** Watches are not touched while events come thick. */

import assert from "node:assert/strict";
import { until } from "../support/until.ts";
import { type Played, played } from "./played.ts";

const DIRS = new Set(["/root", "/root/a", "/root/b"]);
const TOO_BUSY = /come and go too fast to be watched/;

const turn = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

/** Tells of a directory that was replaced, and of more than is little. */
async function burst(it: Played): Promise<void> {
  const main = it.open.findLast(({ paths }) => paths.length === 1)!;
  main.tell({ kind: "remove", paths: ["/root/a"] });
  for (let n = 0; n < 40; n++) {
    main.tell({ kind: "modify", paths: ["/root/b/x"] });
  }
  await turn();
}

Deno.test("Watcher opens and closes nothing in a burst, is degraded, looks every 5 s, and goes on after it", async () => {
  const it = played({ room: 100 });
  await it.watcher.cover(DIRS);
  const opened = it.open.length;
  await burst(it);
  assert.deepEqual(await it.watcher.cover(DIRS), []);
  assert.equal(it.open.length, opened);
  assert.match(it.watcher.states()[0]!.reason!, TOO_BUSY);
  for (let ms = 0; ms < 10_500; ms += 100) {
    await burst(it);
    it.time.pass(100);
  }
  assert.equal(it.open.length, opened);
  // The window of the events themselves wakes it every 5 s too.
  const blind = it.wakes.filter((hints) => hints === undefined).length;
  assert.ok(blind >= 2, `${blind}`);
  const before = it.wakes.length;
  it.time.pass(1_000);
  assert.ok(it.wakes.slice(before).includes(undefined));
  assert.deepEqual(await it.watcher.cover(DIRS), ["/root/a", "/root/b"]);
  assert.equal(it.watcher.states()[0]!.state, "watching");
  it.watcher.closeSync();
});

Deno.test("Watcher leaves watches alone for ever longer after a call that took long", async () => {
  const it = played({ room: 100 });
  await it.watcher.cover(DIRS);
  let before = 0;
  for (let n = 0; n < 3; n++) {
    it.system.watchMs = 3_000;
    await burst(it);
    it.time.pass(500);
    await it.watcher.cover(DIRS);
    it.system.watchMs = 0;
    const begun = it.time.now();
    await burst(it);
    it.time.pass(500);
    await it.watcher.cover(DIRS);
    assert.match(it.watcher.states()[0]!.reason!, TOO_BUSY);
    while (it.watcher.states()[0]!.state !== "watching") {
      it.time.pass(500);
      await it.watcher.cover(DIRS);
    }
    const rested = it.time.now() - begun;
    assert.ok(rested > before * 1.5, `${rested} after ${before}`);
    before = rested;
  }
  it.watcher.closeSync();
});

Deno.test("Watcher that is closed in a burst lets go of its watches when that is over", async () => {
  const it = played({ room: 100 });
  await it.watcher.cover(DIRS);
  await burst(it);
  it.watcher.closeSync();
  assert.ok(it.open.some(({ ended }) => !ended));
  it.time.pass(1_000);
  await until(() => it.open.every(({ ended }) => ended));
  assert.equal(it.time.waiting, 0);
});
