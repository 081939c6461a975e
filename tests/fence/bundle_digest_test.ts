import assert from "node:assert/strict";
import fc from "fast-check";
import {
  BundleDigests,
  manifestDigest,
} from "../../src/fence/plan/bundle_digest.ts";
import { inspectTree } from "../../src/fence/preflight/inspect_tree.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const OPTIONS = { writable: false, maxFiles: 20_000, maxBytes: 1e9 };

async function digestOf(tree: Tree, digests = new BundleDigests()) {
  const facts = await inspectTree(tree.root, OPTIONS);
  return await digests.digest(tree.root, facts);
}

Deno.test("BundleDigests: the same bytes at the same paths, the same digest elsewhere", async () => {
  const entries = { "b/x": "1", "a": "2", "l": { link: "a" } };
  await using one = await makeTree(entries);
  await using two = await makeTree({
    "l": { link: "a" },
    "a": "2",
    "b/x": "1",
  });
  const first = await digestOf(one);
  assert.equal(first.digest, (await digestOf(two)).digest);
  assert.match(first.digest, /^sha256:[0-9a-f]{64}$/);
  assert.deepEqual([...first.manifest.keys()], ["a", "b/x", "l"]);
});

Deno.test("BundleDigests: every kind of change shows, with the kept digests of before", async () => {
  await using tree = await makeTree({
    "a": "12345",
    "b": "x",
    ".hidden/c": "y",
    "node_modules/d": "z",
    "l": { link: "a" },
  });
  const digests = new BundleDigests();
  const seen = new Set([(await digestOf(tree, digests)).digest]);
  const changes: (() => Promise<void>)[] = [
    () => Deno.writeTextFile(tree.path("a"), "12346"),
    () => Deno.writeTextFile(tree.path(".hidden", "c"), "Y"),
    () => Deno.writeTextFile(tree.path("node_modules", "d"), "Z"),
    () => Deno.writeTextFile(tree.path("new"), ""),
    () => Deno.rename(tree.path("b"), tree.path("c")),
    async () => {
      await Deno.remove(tree.path("l"));
      await Deno.symlink("c", tree.path("l"));
    },
    () => Deno.remove(tree.path("new")),
  ];
  for (const change of changes) {
    await change();
    const { digest } = await digestOf(tree, digests);
    assert.ok(!seen.has(digest), String(change));
    seen.add(digest);
  }
});

Deno.test("BundleDigests: a change that keeps size and time is seen at once", async () => {
  await using tree = await makeTree({ "a": "0" });
  const digests = new BundleDigests();
  const seen = new Set<string>();
  const time = new Date(1_700_000_000_000);
  for (let i = 0; i < 30; i++) {
    await Deno.writeTextFile(tree.path("a"), String.fromCharCode(65 + i));
    await Deno.utime(tree.path("a"), time, time);
    seen.add((await digestOf(tree, digests)).digest);
  }
  assert.equal(seen.size, 30);
});

Deno.test("BundleDigests: a file that lies still is read once", async () => {
  await using tree = await makeTree({ "a": "1" });
  // A clock ahead of the file's: it has lain still for a while.
  const digests = new BundleDigests(() => Date.now() + 10_000);
  const facts = await inspectTree(tree.root, OPTIONS);
  const first = await digests.digest(tree.root, facts);
  await Deno.remove(tree.path("a"));
  // Facts of before, file gone: only a kept digest can answer.
  assert.equal((await digests.digest(tree.root, facts)).digest, first.digest);
  const forgetful = await new BundleDigests().digest(tree.root, facts);
  assert.equal(forgetful.manifest.get("a"), "unreadable");
});

Deno.test("BundleDigests: large files are read in pieces to the same digest", async () => {
  const bytes = new Uint8Array(3_000_001).map((_, i) => i * 7);
  await using tree = await makeTree({ "big": bytes });
  const { manifest } = await digestOf(tree);
  const { createHash } = await import("node:crypto");
  assert.equal(
    manifest.get("big"),
    `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
  );
});

Deno.test("BundleDigests: closed directories are not covered", async () => {
  await using tree = await makeTree({
    "a": "1",
    ".venv/python": { link: "/usr/bin/env" },
    ".venv/x": "1",
  });
  const before = (await digestOf(tree)).digest;
  await Deno.writeTextFile(tree.path(".venv", "x"), "2");
  assert.equal((await digestOf(tree)).digest, before);
});

Deno.test("manifestDigest: order does not matter, every name and value does", () => {
  const manifest = fc.dictionary(
    fc.string({ minLength: 1 }),
    fc.string(),
    { maxKeys: 8 },
  ).map((each) => Object.entries(each));
  fc.assert(fc.property(manifest, manifest, (a, b) => {
    const digest = manifestDigest(new Map(a));
    assert.equal(digest, manifestDigest(new Map([...a].reverse())));
    const same =
      JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());
    assert.equal(digest === manifestDigest(new Map(b)), same);
  }));
});

Deno.test("BundleDigests: 2,000 files that lie still take less than reading them", async () => {
  await using tree = await makeTree();
  for (let i = 0; i < 2_000; i++) {
    if (i % 100 === 0) Deno.mkdirSync(tree.path(`d${i / 100}`));
    Deno.writeTextFileSync(
      tree.path(`d${Math.floor(i / 100)}`, `f${i}`),
      `${i}`,
    );
  }
  const digests = new BundleDigests(() => Date.now() + 10_000);
  const timed = async () => {
    const started = performance.now();
    const { manifest } = await digestOf(tree, digests);
    assert.equal(manifest.size, 2_000);
    return performance.now() - started;
  };
  const first = await timed();
  const again = Math.min(await timed(), await timed());
  assert.ok(again < first, `${again} ms after ${first} ms`);
});

Deno.test({
  name:
    "BundleDigests: a pipe or a link put in a file's place is not waited for or followed",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree({ "skill/a": "1", "skill/b": "2" });
    await tree.write({ "secret": "outside" });
    const root = tree.path("skill");
    const facts = await inspectTree(root, OPTIONS);
    await Deno.remove(tree.path("skill", "a"));
    await new Deno.Command("mkfifo", { args: [tree.path("skill", "a")] })
      .output();
    await Deno.remove(tree.path("skill", "b"));
    await Deno.symlink("../secret", tree.path("skill", "b"));
    const { manifest } = await new BundleDigests().digest(root, facts);
    assert.deepEqual([...manifest.values()], ["unreadable", "unreadable"]);
  },
});
