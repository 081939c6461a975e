/** What happens when the system has no watches left, and when it fails. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { OpenWatch, WatchEvent } from "../../src/watch/effects.ts";
import { LOOK_MS, RETRY_MS, Watcher } from "../../src/watch/watcher.ts";
import { QUIET_MS } from "../../src/watch/quiet_window.ts";
import { needs } from "../support/kernel.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";
import { FakeTime } from "./fake_time.ts";

/** A watch whose events the test makes. */
class FakeWatch implements OpenWatch {
  readonly #events: WatchEvent[] = [];
  #wake: () => void = () => {};
  #ended = false;
  #error: unknown;
  constructor(readonly paths: readonly string[]) {}

  tell(event: WatchEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  fail(error: unknown): void {
    this.#error = error;
    this.close();
  }

  close(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else if (this.#error !== undefined) throw this.#error;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}

/** A watcher over one root whose system the test plays. */
function played(options: { room: number }) {
  const time = new FakeTime();
  const open: FakeWatch[] = [];
  const wakes: (readonly string[] | undefined)[] = [];
  const system = { ...options };
  const watcher = new Watcher({
    targets: [{ path: "/root", root: 1, watch: true }],
    effects: {
      now: time.now,
      after: time.after,
      realPath: (path) => path,
      identity: (path) => path,
      watch: (paths) => {
        if (paths.length > system.room) {
          throw new Error('OS file watch limit reached. about ["/root/x"]');
        }
        const watch = new FakeWatch(paths);
        open.push(watch);
        return watch;
      },
    },
    onWake: (hints) => wakes.push(hints),
  });
  watcher.start();
  return {
    time,
    open,
    wakes,
    watcher,
    system, /** The one that is listened to. */
    listened: () => open[1]!,
  };
}

const DIRS = new Set(["/root", "/root/a", "/root/b", "/root/c"]);

Deno.test("Watcher without watches left is degraded with the remedy, tries again ever more rarely, and recovers", async () => {
  const it = played({ room: 2 });
  assert.deepEqual(await it.watcher.cover(DIRS), []);
  const [state] = it.watcher.states();
  assert.equal(state!.state, "degraded");
  assert.match(state!.reason!, /fs\.inotify\.max_user_watches.*--poll/);

  it.time.pass(RETRY_MS);
  assert.deepEqual(it.wakes, [undefined]);
  await it.watcher.cover(DIRS);
  it.time.pass(RETRY_MS);
  assert.equal(it.wakes.length, 1);
  it.time.pass(RETRY_MS);
  assert.equal(it.wakes.length, 2);

  it.system.room = 100;
  assert.deepEqual(await it.watcher.cover(DIRS), [
    "/root/a",
    "/root/b",
    "/root/c",
  ]);
  assert.equal(it.watcher.states()[0]!.state, "watching");
  it.watcher.closeSync();
});

Deno.test("Watcher: an overflow and more events than Deno keeps are a look at everything", async () => {
  const it = played({ room: 100 });
  await it.watcher.cover(DIRS);
  const listened = it.listened();
  listened.tell({ kind: "other", paths: [], flag: "rescan" });
  await until(() => it.time.waiting > 1);
  await new Promise((resolve) => setTimeout(resolve, 0));
  it.time.pass(QUIET_MS);
  assert.deepEqual(it.wakes, [undefined]);
  for (let n = 0; n < 600; n++) {
    listened.tell({ kind: "access", paths: ["/root/a/x"] });
  }
  listened.tell({ kind: "modify", paths: ["/root/a/y"] });
  await new Promise((resolve) => setTimeout(resolve, 0));
  it.time.pass(QUIET_MS);
  assert.deepEqual(it.wakes, [undefined, undefined]);
  it.watcher.closeSync();
});

Deno.test("Watcher whose watch fails is degraded, and opens it again", async () => {
  const it = played({ room: 100 });
  await it.watcher.cover(DIRS);
  it.listened().fail(new Error("the backend failed"));
  await until(() => it.watcher.states()[0]!.state === "degraded");
  it.time.pass(RETRY_MS);
  await until(() => it.watcher.states()[0]!.state === "watching");
  await until(() => it.wakes.length > 0);
  assert.equal((await it.watcher.cover(DIRS)).length, 3);
  it.watcher.closeSync();
});

Deno.test("Watcher waits for nothing and watches nothing once it is closed", async () => {
  const it = played({ room: 100 });
  await it.watcher.cover(DIRS);
  it.listened().tell({ kind: "modify", paths: ["/root/a/x"] });
  it.watcher.closeSync();
  it.time.pass(LOOK_MS * 10);
  assert.deepEqual(it.wakes, []);
  assert.equal(it.time.waiting, 0);
  assert.equal(it.watcher.states()[0]!.state, "off");
});

// The limit of a user namespace of its own: the machine's is left alone.
Deno.test(
  "Watcher: the system's own limit on watches degrades a root, with the remedy",
  needs("userns"),
  async () => {
    await using tree = await makeTree();
    for (let n = 0; n < 50; n++) Deno.mkdirSync(tree.path(`d${n}`));
    const script = fileURLToPath(
      new URL("limited_watcher.ts", import.meta.url),
    );
    const { stdout, stderr } = await new Deno.Command("unshare", {
      args: [
        "-Ur",
        "sh",
        "-c",
        'echo 20 > /proc/sys/user/max_inotify_watches && exec "$@"',
        "sh",
        Deno.execPath(),
        "run",
        "-A",
        script,
        tree.root,
      ],
    }).output();
    const text = new TextDecoder();
    assert.match(
      text.decode(stdout),
      /"state":"degraded".*fs\.inotify\.max_user_watches.*--poll/,
      text.decode(stderr),
    );
  },
);
