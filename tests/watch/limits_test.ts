/** What happens when the system has no watches left, and when it fails. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { LOOK_MS, RETRY_MS } from "../../src/watch/watcher.ts";
import { QUIET_MS } from "../../src/watch/quiet_window.ts";
import { needs } from "../support/kernel.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";
import { played } from "./played.ts";

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
