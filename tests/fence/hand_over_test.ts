import assert from "node:assert/strict";
import { HAND_OVER_LIMITS, handOver } from "../../src/fence/disk/hand_over.ts";
import { asRoot, NOBODY } from "../support/as_root.ts";
import { makeTree, type Tree } from "../support/tree.ts";

function uidOf(path: string): number | null {
  return Deno.lstatSync(path).uid;
}

function hand(tree: Tree, limits = HAND_OVER_LIMITS) {
  return handOver(tree.path("data"), NOBODY, limits);
}

Deno.test({
  name: "handOver: everything of ours below goes along, and becomes private",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      "data/a/b/file": "x",
      "data/top": "y",
    });
    assert.equal(await hand(tree), "done");
    for (const path of ["data", "data/a", "data/a/b", "data/a/b/file"]) {
      assert.equal(uidOf(tree.path(path)), NOBODY.uid, path);
    }
    assert.equal((await Deno.stat(tree.path("data"))).mode! & 0o777, 0o700);
  },
});

Deno.test({
  name:
    "handOver: links are not followed, second names and other accounts' files stay whose they are",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      "outside/secret": "x",
      "outside/named": "y",
      "data/a/to-file": { link: "../../outside/secret" },
      "data/a/to-dir": { link: "../../outside" },
      "data/theirs/file": "z",
    });
    await Deno.link(tree.path("outside", "named"), tree.path("data", "second"));
    await Deno.chown(tree.path("data", "theirs"), 4242, 4242);
    assert.equal(await hand(tree), "done");
    assert.equal(uidOf(tree.path("outside")), 0);
    assert.equal(uidOf(tree.path("outside", "secret")), 0);
    assert.equal(uidOf(tree.path("outside", "named")), 0);
    assert.equal(uidOf(tree.path("data", "theirs")), 4242);
    assert.equal(uidOf(tree.path("data", "theirs", "file")), NOBODY.uid);
  },
});

Deno.test({
  name:
    "handOver: a link in the directory's own place is an error, and not followed",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      "outside/x": "1",
      data: { link: "outside" },
    });
    await assert.rejects(hand(tree));
    assert.equal(uidOf(tree.path("outside")), 0);
  },
});

Deno.test({
  name:
    "handOver: beyond its limits the directory stays ours, and is resumed later",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "data/a/b/c/file": "x" });
    const deep = { ...HAND_OVER_LIMITS, levels: 3 };
    assert.equal(await hand(tree, deep), "too-much");
    const many = { ...HAND_OVER_LIMITS, entries: 3 };
    assert.equal(await hand(tree, many), "too-much");
    assert.equal(uidOf(tree.path("data")), 0);
    assert.equal(await hand(tree, { entries: 4, levels: 4 }), "done");
    assert.equal(uidOf(tree.path("data", "a", "b", "c", "file")), NOBODY.uid);
  },
});

/** Does `swap` right after the directory that holds `name` was listed. */
async function whileListing(
  name: string,
  swap: () => void,
  act: () => Promise<unknown>,
): Promise<void> {
  const { readDirSync } = Deno;
  let swapped = false;
  Deno.readDirSync = (path) => {
    const entries = [...readDirSync(path)];
    const isWalk = String(path).startsWith("/proc/");
    if (isWalk && !swapped && entries.some((entry) => entry.name === name)) {
      swapped = true;
      swap();
    }
    return entries[Symbol.iterator]();
  };
  try {
    await act();
  } finally {
    Deno.readDirSync = readDirSync;
  }
  assert.ok(swapped);
}

Deno.test({
  name:
    "handOver: a directory swapped for a link, before or while it is gone through, gives nothing outside away",
  ...asRoot,
  async fn() {
    for (const name of ["sub", "file"]) {
      await using tree = await makeTree({
        "outside/file": "x",
        "data/sub/file": "y",
      });
      const swap = () => {
        Deno.renameSync(tree.path("data", "sub"), tree.path("data", "away"));
        Deno.symlinkSync("../outside", tree.path("data", "sub"));
      };
      await whileListing(name, swap, () => hand(tree));
      assert.equal(uidOf(tree.path("outside")), 0, name);
      assert.equal(uidOf(tree.path("outside", "file")), 0, name);
    }
  },
});
