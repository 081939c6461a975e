import assert from "node:assert/strict";
import { ContextStore } from "../../src/context/context_files.ts";
import { diskFs, type ScanFs } from "../../src/catalog/scan_fs.ts";
import { makeTree, type Tree } from "../support/tree.ts";

/** Lets time pass for every stamp: nothing changed lately. */
async function settle(tree: Tree): Promise<void> {
  await new Deno.Command("sh", {
    args: [
      "-c",
      'find "$0" -exec touch -h -d "10 seconds ago" {} +',
      tree.root,
    ],
  }).output();
}

/** The disk with all changes ten seconds old, counting reads of directories. */
function oldFs(): { fs: ScanFs; reads: () => number } {
  let reads = 0;
  const real = diskFs();
  const aged: ScanFs["stat"] = (path) => ({
    ...real.stat(path),
    ctime: new Date(real.stat(path).mtime!.getTime()),
  });
  const fs: ScanFs = {
    ...real,
    stat: aged,
    readDir(path) {
      reads += 1;
      return real.readDir(path);
    },
  };
  return { fs, reads: () => reads };
}

Deno.test("ContextStore: looks when first used, and again only when a stamp moved", async () => {
  await using tree = await makeTree({
    "AGENTS.md": "one",
    "a/b/c.txt": "",
  });
  await settle(tree);
  const { fs, reads } = oldFs();
  const store = new ContextStore({ workspaces: () => [tree.root], fs });
  assert.equal(reads(), 0);
  const texts = async () =>
    (await store.current(undefined)).files.map(({ text }) => text);
  assert.deepEqual(await texts(), ["one"]);
  const first = reads();
  assert.ok(first > 0);
  assert.deepEqual(await texts(), ["one"]);
  assert.equal(reads(), first, "stamps were enough");

  await tree.write({ "AGENTS.md": "two" });
  assert.deepEqual(await texts(), ["two"]);
  await settle(tree);
  await texts();
  await tree.write({ "a/b/CLAUDE.md": "nested" });
  assert.deepEqual(await texts(), ["two", "nested"]);
  await settle(tree);
  await texts();
  await Deno.remove(tree.path("AGENTS.md"));
  assert.deepEqual(await texts(), ["nested"]);
});

Deno.test("ContextStore: what a link leads to is followed as it changes", async () => {
  await using tree = await makeTree({
    "docs/guide.md": "one",
    "AGENTS.md": { link: "docs/guide.md" },
  });
  await settle(tree);
  const { fs } = oldFs();
  const store = new ContextStore({ workspaces: () => [tree.root], fs });
  const text = async () => (await store.current("x")).files[0]?.text;
  assert.equal(await text(), "one");
  await Deno.writeTextFile(tree.path("docs/guide.md"), "other");
  assert.equal(await text(), "other");
  await Deno.remove(tree.path("docs/guide.md"));
  assert.equal(await text(), undefined);
});

Deno.test("ContextStore: each client gets its own, other workspaces are looked for at once, forget looks again", async () => {
  await using tree = await makeTree({
    "one/CLAUDE.md": "1",
    "two/CLAUDE.md": "2",
  });
  await settle(tree);
  const { fs, reads } = oldFs();
  let workspaces = [tree.path("one")];
  const store = new ContextStore({ workspaces: () => workspaces, fs });
  const [claude, other] = await Promise.all([
    store.current("claude-code"),
    store.current("other"),
  ]);
  assert.equal(claude.files.length, 0);
  assert.equal(other.files.length, 1);
  assert.equal(reads(), 1, "one search for both");
  workspaces = [tree.path("two")];
  assert.equal((await store.current("other")).files[0]?.text, "2");
  const before = reads();
  store.forget();
  await store.current("other");
  assert.ok(reads() > before);
});

Deno.test("ContextStore: a file that changed just now is read again, whatever its stamp says", async () => {
  await using tree = await makeTree({ "AGENTS.md": "one" });
  const real = diskFs();
  const now = new Date();
  // A clock that stands still: no stamp tells the second change.
  const fs: ScanFs = {
    ...real,
    stat: (path) => ({ ...real.stat(path), mtime: now, ctime: now }),
  };
  const store = new ContextStore({ workspaces: () => [tree.root], fs });
  assert.equal((await store.current("x")).files[0]?.text, "one");
  await Deno.writeTextFile(tree.path("AGENTS.md"), "two");
  assert.equal((await store.current("x")).files[0]?.text, "two");
});
