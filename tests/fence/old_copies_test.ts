import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { removeOldCopies } from "../../src/fence/runtime/old_copies.ts";
import { RuntimeFinder } from "../../src/fence/runtime.ts";
import { CacheDir } from "../../src/fence/cache_dir.ts";
import {
  stampOf,
  unpackExecutable,
} from "../../src/fence/runtime/unpack_executable.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const DAY = 24 * 60 * 60 * 1000;

/** Unpacks these bytes into the tree's cache; returns the copy's path. */
async function copyOf(tree: Tree, text: string): Promise<string> {
  await tree.write({ [text]: text });
  const unpacked = await unpackExecutable(
    {
      from: tree.path(text),
      offset: 0,
      size: text.length,
      sha256: createHash("sha256").update(text).digest("hex"),
    },
    tree.path("cache"),
    () => Promise.resolve(true),
  );
  assert.ok(unpacked.ok);
  return unpacked.value;
}

function names({ root }: Tree): string[] {
  return [...Deno.readDirSync(`${root}/cache`)].map(({ name }) => name).sort();
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

Deno.test("removeOldCopies: a copy of another version goes after 30 days without use, with its record", async () => {
  await using tree = await makeTree({ cache: { dir: true } });
  const old = await copyOf(tree, "old");
  const current = await copyOf(tree, "current");
  const tidy = (days: number) =>
    removeOldCopies(tree.path("cache"), current, Date.now() + days * DAY);
  await tidy(29);
  assert.ok(exists(old));
  await tidy(31);
  assert.ok(!exists(old) && !exists(`${old}.json`));
  assert.ok(exists(current) && exists(`${current}.json`));
});

Deno.test("removeOldCopies: to look at a copy is not to use it", async () => {
  await using tree = await makeTree({ cache: { dir: true } });
  const old = await copyOf(tree, "old");
  const current = await copyOf(tree, "current");
  const dir = tree.path("cache");
  const age = async (path: string, days: number) => {
    const then = new Date(Date.now() - days * DAY);
    await Deno.utime(path, then, then);
  };
  await age(old, 40);
  const record = `${old}.json`;
  await Deno.writeTextFile(record, JSON.stringify(await stampOf(old)));
  await age(record, 20);
  await removeOldCopies(dir, current);
  assert.ok(exists(old));
  // What that has read has a new time of access now.
  await Deno.utime(record, new Date(), new Date(Date.now() - 40 * DAY));
  await removeOldCopies(dir, current);
  assert.ok(!exists(old));
});

Deno.test("removeOldCopies: a copy that some server started from since stays", async () => {
  await using tree = await makeTree({ cache: { dir: true } });
  const other = await copyOf(tree, "other");
  const current = await copyOf(tree, "current");
  const dir = tree.path("cache");
  // As a server of that version does when it finds its runtime.
  await removeOldCopies(dir, other, Date.now() + 20 * DAY);
  await removeOldCopies(dir, current, Date.now() + 40 * DAY);
  assert.ok(exists(other));
  await removeOldCopies(dir, current, Date.now() + 51 * DAY);
  assert.ok(!exists(other));
});

Deno.test("removeOldCopies: what is not surely a copy of ours stays, whatever its age", async () => {
  await using tree = await makeTree({
    "cache/deno-0123456789abcdef": "without a record",
    "cache/deno-0123456789abcdee/file": "a directory",
    "cache/deno-0123456789abcdee.json": "{}",
    "cache/deno-0123456789abcdefa": "a name too long",
    "cache/deno-2.9.6": "another name",
    "cache/probe-0123456789abcdef.json": "{}",
    "cache/runtime-0123456789abcdef": "judged by its source",
    "elsewhere": "outside",
  });
  const changed = await copyOf(tree, "changed");
  await Deno.writeTextFile(changed, "written over");
  const current = await copyOf(tree, "current");
  if (Deno.build.os !== "windows") {
    await Deno.symlink(
      tree.path("elsewhere"),
      tree.path("cache/deno-0123456789abcded"),
    );
  }
  const before = names(tree);
  await removeOldCopies(tree.path("cache"), current, Date.now() + 900 * DAY);
  assert.deepEqual(names(tree), before);
});

Deno.test({
  name: "removeOldCopies: a copy of another account stays",
  // Only root can make one.
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
  async fn() {
    await using tree = await makeTree({ cache: { dir: true } });
    const theirs = await copyOf(tree, "theirs");
    const current = await copyOf(tree, "current");
    await Deno.chown(`${theirs}.json`, 65534, 65534);
    await removeOldCopies(tree.path("cache"), current, Date.now() + 90 * DAY);
    assert.ok(exists(theirs));
  },
});

Deno.test("removeOldCopies: no directory and no record are no error", async () => {
  await removeOldCopies("/no/such/cache", "/no/such/cache/deno-1");
});

Deno.test({
  name: "RuntimeFinder: a carried runtime that was removed is unpacked again",
  // A script stands for the runtime.
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree({ cache: { dir: true } });
    const text = "#!/bin/sh\necho 'deno 2.9.6 (stable)'\n";
    await tree.write({ server: text });
    await Deno.chmod(tree.path("cache"), 0o700);
    const cache = new CacheDir({
      explicit: tree.path("cache"),
      env: () => undefined,
      tmpDir: tree.root,
    });
    const finder = new RuntimeFinder({
      sources: {
        explicit: undefined,
        carried: {
          from: tree.path("server"),
          offset: 0,
          size: text.length,
          sha256: createHash("sha256").update(text).digest("hex"),
          version: "2.9.6",
        },
        running: undefined,
        searchPath: undefined,
      },
      cache,
      probe: () => Promise.resolve(undefined),
    });
    const first = await finder.get();
    assert.ok(first.ok, JSON.stringify(first));
    await Deno.remove(first.value.path);
    await Deno.remove(`${first.value.path}.json`);
    const second = await finder.get();
    assert.ok(second.ok && second.value.path === first.value.path);
    assert.ok(exists(second.value.path));
  },
});
