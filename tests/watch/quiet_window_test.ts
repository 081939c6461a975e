import assert from "node:assert/strict";
import {
  MOST_MS,
  QUIET_MS,
  QuietWindow,
} from "../../src/watch/quiet_window.ts";
import { FakeTime } from "./fake_time.ts";

function open() {
  const time = new FakeTime();
  const fired: (readonly string[] | undefined)[] = [];
  const window = new QuietWindow(time, (hints) => fired.push(hints));
  return { time, fired, window };
}

Deno.test("QuietWindow fires once, when it has been quiet for 500 ms", () => {
  const { time, fired, window } = open();
  window.note(["/a"]);
  time.pass(QUIET_MS - 1);
  window.note(["/b", "/a"]);
  time.pass(QUIET_MS - 1);
  assert.deepEqual(fired, []);
  time.pass(1);
  assert.deepEqual(fired, [["/a", "/b"]]);
  time.pass(MOST_MS * 2);
  assert.equal(fired.length, 1);
});

Deno.test("QuietWindow: a stream of events postpones it by 5 s at most", () => {
  const { time, fired, window } = open();
  for (let passed = 0; passed < MOST_MS; passed += 100) {
    window.note(["/a"]);
    time.pass(100);
  }
  assert.equal(fired.length, 1);
  window.note(["/late"]);
  time.pass(QUIET_MS);
  assert.deepEqual(fired, [["/a"], ["/late"]]);
});

Deno.test("QuietWindow: what nobody knows, and too many paths, are everything", () => {
  const { time, fired, window } = open();
  window.note(["/a"]);
  window.note(undefined);
  window.note(["/b"]);
  time.pass(QUIET_MS);
  for (let n = 0; n < 300; n++) window.note([`/${n}`]);
  time.pass(QUIET_MS);
  window.note(["/a"]);
  window.cancel();
  time.pass(QUIET_MS);
  assert.deepEqual(fired, [undefined, undefined]);
});
