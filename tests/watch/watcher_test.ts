/** The watcher against real directories; the scan is played by the test. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { systemEffects } from "../../src/watch/effects.ts";
import { Watcher } from "../../src/watch/watcher.ts";
import type { WatchTarget } from "../../src/watch/targets.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";

/** A watcher that covers `dirs`, and what it woke for. */
async function watching(
  targets: readonly WatchTarget[],
  dirs: readonly string[],
) {
  const wakes: (readonly string[] | undefined)[] = [];
  const watcher = new Watcher({
    targets,
    effects: systemEffects(),
    onWake: (hints) => wakes.push(hints),
  });
  watcher.start();
  await watcher.cover(new Set(dirs));
  return {
    wakes,
    watcher,
    [Symbol.dispose]: () => watcher.closeSync(),
  };
}

/** The system's own count of watches of this process. */
function inotifyWatches(): number {
  let count = 0;
  for (const { name } of Deno.readDirSync("/proc/self/fdinfo")) {
    try {
      const text = Deno.readTextFileSync(`/proc/self/fdinfo/${name}`);
      count += text.match(/^inotify/gm)?.length ?? 0;
    } catch {
      // Closed while the others were read.
    }
  }
  return count;
}

const root = (path: string, watch = true): WatchTarget => ({
  path,
  root: 1,
  watch,
});

Deno.test("Watcher wakes once for many writes, and names where", async () => {
  await using tree = await makeTree({ "a/SKILL.md": "x", "a/sub/f": "x" });
  using it = await watching([root(tree.root)], [
    tree.root,
    tree.path("a"),
    tree.path("a/sub"),
  ]);
  for (let n = 0; n < 20; n++) await tree.write({ "a/sub/f": `${n}` });
  await until(() => it.wakes.length > 0);
  assert.deepEqual(it.wakes, [[tree.path("a/sub/f")]]);
  assert.deepEqual(it.watcher.states(), [{
    path: tree.root,
    root: 1,
    state: "watching",
  }]);
});

Deno.test("Watcher never wakes for hidden, ignored or left out paths, nor for reads", async () => {
  await using tree = await makeTree({
    ".gitignore": "*.log\nbuild/\n",
    "a/SKILL.md": "x",
    "a/node_modules/p/i.js": "x",
  });
  using it = await watching([root(tree.root)], [tree.root, tree.path("a")]);
  await tree.write({
    "a/.SKILL.md.swp": "x",
    "a/.git/HEAD": "x",
    "a/run.log": "x",
    "a/build/out": "x",
    "a/node_modules/p/i.js": "y",
    "a/node_modules/q/i.js": "y",
  });
  await Deno.readTextFile(tree.path("a/SKILL.md"));
  await tree.write({ "a/SKILL.md": "y" });
  await until(() => it.wakes.length > 0);
  assert.deepEqual(it.wakes, [[tree.path("a/SKILL.md")]]);
});

Deno.test("Watcher: a hidden directory above a root does not hide it", async () => {
  await using tree = await makeTree({ ".config/skills/a/SKILL.md": "x" });
  const path = tree.path(".config/skills");
  using it = await watching([root(path)], [path, join(path, "a")]);
  await tree.write({
    ".config/beside.md": "x",
    ".config/skills/a/SKILL.md": "y",
  });
  await until(() => it.wakes.length > 0);
  assert.deepEqual(it.wakes, [[join(path, "a/SKILL.md")]]);
});

Deno.test("Watcher: 20,000 files in node_modules cost no watch", async () => {
  await using tree = await makeTree({ "a/SKILL.md": "x" });
  for (let d = 0; d < 200; d++) {
    const dir = tree.path(`a/node_modules/p${d}`);
    Deno.mkdirSync(dir, { recursive: true });
    for (let f = 0; f < 100; f++) Deno.writeTextFileSync(join(dir, `${f}`), "");
  }
  const before = inotifyWatches();
  using it = await watching([root(tree.root)], [tree.root, tree.path("a")]);
  assert.equal(inotifyWatches() - before, 2);
  void it;
});

Deno.test("Watcher follows a root that is missing, made, deleted, replaced and re-pointed", async () => {
  await using tree = await makeTree({ "one/x": "1", "two/x": "2" });
  const path = tree.path("root");
  using it = await watching([root(path)], []);
  assert.equal(it.watcher.states()[0]!.state, "degraded");
  assert.match(it.watcher.states()[0]!.reason!, /does not exist/);

  const changed = async (what: () => void | Promise<void>) => {
    it.wakes.length = 0;
    await what();
    await until(() => it.wakes.includes(undefined));
    await it.watcher.cover(new Set([await Deno.realPath(path)]));
  };
  const hears = async () => {
    // On a busy machine the events of the change make it wait.
    await until(() => it.watcher.states()[0]!.state === "watching");
    it.wakes.length = 0;
    await Deno.writeTextFile(join(path, "y"), crypto.randomUUID());
    await until(() => it.wakes.length > 0);
  };
  await changed(() => Deno.mkdir(path));
  await hears();
  await Deno.remove(path, { recursive: true });
  await until(() => it.watcher.states()[0]!.state === "degraded");
  await changed(() => Deno.mkdir(path));
  await hears();
  await changed(async () => {
    await Deno.remove(path, { recursive: true });
    await Deno.mkdir(path);
  });
  await hears();
  await changed(async () => {
    await Deno.rename(path, tree.path("old"));
    await Deno.rename(tree.path("one"), path);
  });
  await hears();
  await changed(async () => {
    await Deno.rename(path, tree.path("one"));
    await Deno.symlink(tree.path("one"), path);
  });
  await hears();
  await changed(async () => {
    await Deno.symlink(tree.path("two"), tree.path("next"));
    await Deno.rename(tree.path("next"), path);
  });
  await hears();
});

Deno.test("Watcher hears again of a directory that was deleted and made anew", async () => {
  await using tree = await makeTree({ "a/b/f": "1", "c/f": "1" });
  const dirs = [tree.root, tree.path("a"), tree.path("a/b"), tree.path("c")];
  using it = await watching([root(tree.root)], dirs);
  for (const way of ["rm", "mv"]) {
    if (way === "rm") await Deno.remove(tree.path("a"), { recursive: true });
    else await Deno.rename(tree.path("a"), tree.path("old"));
    await tree.write({ "a/b/f": "2" });
    await until(() => it.wakes.length > 0);
    await it.watcher.cover(new Set(dirs));
    it.wakes.length = 0;
    await tree.write({ "a/b/f": "3" });
    await until(() => it.wakes.flat().includes(tree.path("a/b/f")));
    it.wakes.length = 0;
  }
});

Deno.test("Watcher with verify finds a directory whose replacement nobody told of", async () => {
  await using tree = await makeTree({ "a/f": "1" });
  const identities = new Map<string, string>();
  const system = systemEffects();
  const wakes: (readonly string[] | undefined)[] = [];
  const watcher = new Watcher({
    targets: [root(tree.root)],
    effects: {
      ...system,
      identity: (path) => identities.get(path) ?? system.identity(path),
    },
    onWake: (hints) => wakes.push(hints),
  });
  watcher.start();
  const dirs = new Set([tree.root, tree.path("a")]);
  assert.deepEqual(await watcher.cover(dirs), [tree.path("a")]);
  identities.set(tree.path("a"), "another");
  assert.deepEqual(await watcher.cover(dirs), []);
  assert.deepEqual(await watcher.cover(dirs, { verify: true }), [
    tree.path("a"),
  ]);
  watcher.closeSync();
});

Deno.test("Watcher of prompts hears of *.md directly in a directory, and of prompt files only", async () => {
  await using tree = await makeTree({
    "dir/a.md": "x",
    "dir/deep/b.md": "x",
    "files/one.md": "x",
  });
  using it = await watching([
    { path: tree.path("dir"), root: undefined, watch: true },
    {
      path: tree.path("files"),
      root: undefined,
      watch: true,
      files: new Set([tree.path("files/one.md")]),
    },
  ], []);
  await tree.write({
    "dir/.hidden.md": "x",
    "dir/notes.txt": "x",
    "dir/deep/b.md": "y",
    "files/other.md": "x",
    "dir/a.md": "y",
  });
  // An atomic save: another file takes its place.
  await tree.write({ "files/tmp": "y" });
  await Deno.rename(tree.path("files/tmp"), tree.path("files/one.md"));
  await until(() => it.wakes.length > 0);
  assert.deepEqual(
    new Set(it.wakes[0]),
    new Set([
      tree.path("dir/a.md"),
      tree.path("files/tmp"),
      tree.path("files/one.md"),
    ].filter((path) => it.wakes[0]!.includes(path))),
  );
  assert.ok(it.wakes[0]!.includes(tree.path("dir/a.md")));
  assert.ok(it.wakes[0]!.includes(tree.path("files/one.md")));
  assert.ok(!it.wakes[0]!.includes(tree.path("files/other.md")));
});

Deno.test("Watcher: watch false is off and never armed", async () => {
  await using tree = await makeTree({ "a/f": "1" });
  const before = inotifyWatches();
  using it = await watching([root(tree.root, false)], [tree.root]);
  assert.equal(inotifyWatches(), before);
  assert.equal(it.watcher.states()[0]!.state, "off");
});
