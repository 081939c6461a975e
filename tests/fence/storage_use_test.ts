import assert from "node:assert/strict";
import { join } from "node:path";
import { removedFiles } from "../../src/fence/run/removed_files.ts";
import { storageUse } from "../../src/fence/run/storage_use.ts";
import { makeTree } from "../support/tree.ts";
import { onUnix } from "./processes.ts";

const MIB = 1024 * 1024;
const PLENTY = { bytes: 1e9, files: 1e6 };

Deno.test("storageUse: files, directories and links below the directories count", async () => {
  await using tree = await makeTree({
    "one/a": "x".repeat(100_000),
    "one/deep/er/b": "x".repeat(200_000),
    "one/link": { link: "../outside" },
    "one/dangling": { link: "nowhere" },
    "two/c": "x".repeat(50_000),
    "outside/huge": "x".repeat(4 * MIB),
  });
  const use = await storageUse([tree.path("one"), tree.path("two")], PLENTY);
  assert.equal(use.files, 7);
  assert.equal(use.closed, false);
  // The room it takes may be a little more; what a link leads to is not in it.
  assert.ok(use.bytes >= 350_000 && use.bytes < MIB, `${use.bytes}`);
});

Deno.test("storageUse: what is absent holds nothing", async () => {
  await using tree = await makeTree({ file: "x" });
  const dirs = [tree.path("missing"), tree.path("file", "below")];
  assert.deepEqual(await storageUse(dirs, PLENTY), {
    bytes: 0,
    files: 0,
    closed: false,
  });
});

Deno.test("storageUse: stops at the bound on bytes and on files", async () => {
  await using tree = await makeTree(Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`many/${i}`, "x".repeat(1000)]),
  ));
  const some = await storageUse([tree.root], { ...PLENTY, files: 10 });
  assert.equal(some.files, 11);
  const few = await storageUse([tree.root], { ...PLENTY, bytes: 5_000 });
  assert.ok(few.bytes > 5_000 && few.files < 10);
});

Deno.test("storageUse: a hole counts with its length", async () => {
  await using tree = await makeTree({ hole: "" });
  await Deno.truncate(tree.path("hole"), 32 * MIB);
  const { bytes } = await storageUse([tree.root], PLENTY);
  assert.equal(bytes, 32 * MIB);
});

Deno.test({
  name: "storageUse: a directory that is closed to us is told",
  // Root looks into every directory.
  ignore: Deno.build.os === "windows" || Deno.uid() === 0,
  async fn() {
    await using tree = await makeTree({ "closed/file": "x" });
    await Deno.chmod(tree.path("closed"), 0);
    try {
      assert.equal((await storageUse([tree.root], PLENTY)).closed, true);
    } finally {
      await Deno.chmod(tree.path("closed"), 0o700);
    }
  },
});

Deno.test({
  name: "storageUse: what lies too deep to be reached is told",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    // Built from the inside out: no path to the innermost is short enough.
    const name = "d".repeat(200);
    let inner = tree.path("start");
    await Deno.mkdir(inner);
    for (let level = 0; level < 30; level++) {
      const next = tree.path(`level-${level}`);
      await Deno.mkdir(next);
      await Deno.rename(inner, join(next, name));
      inner = next;
    }
    const use = await storageUse([tree.root], PLENTY);
    assert.equal(use.closed, true);
    // Not even its removal gets there by path.
    for (let level = 29; level >= 0; level--) {
      await Deno.rename(join(inner, name), tree.path(`out-${level}`));
      await Deno.remove(inner);
      inner = tree.path(`out-${level}`);
    }
  },
});

Deno.test("storageUse: a big tree does not keep others waiting", async () => {
  await using tree = await makeTree(Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [`${i}`, ""]),
  ));
  // To count takes less than to make: the same directory, again and again.
  const dirs = Array.from({ length: 100 }, () => tree.root);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const began = performance.now();
  const { files } = await storageUse(dirs, PLENTY);
  const took = performance.now() - began;
  clearInterval(timer);
  assert.equal(files, 20_000);
  assert.ok(turns >= Math.floor(took / 60) - 1, `${turns} turns in ${took} ms`);
});

Deno.test({
  name: "removedFiles: counts removed files that a process holds, each once",
  ignore: Deno.build.os !== "linux", // reads /proc
  async fn() {
    await using tree = await makeTree({ kept: "", gone: "" });
    const opened = ["kept", "gone", "gone"].map((name) =>
      Deno.openSync(tree.path(name), { read: true, write: true })
    );
    try {
      await Deno.remove(tree.path("gone"));
      for (const file of opened) {
        await file.truncate(3 * MIB);
      }
      assert.deepEqual(removedFiles(Deno.pid, [tree.root]), {
        bytes: 3 * MIB,
        files: 1,
      });
      // Another file system is another matter.
      assert.deepEqual(removedFiles(Deno.pid, ["/proc"]), {
        bytes: 0,
        files: 0,
      });
    } finally {
      for (const file of opened) file.close();
    }
    assert.deepEqual(removedFiles(2 ** 22 + 1, [tree.root]), {
      bytes: 0,
      files: 0,
    });
  },
});
