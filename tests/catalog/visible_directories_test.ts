import assert from "node:assert/strict";
import { diskFs } from "../../src/catalog/scan_fs.ts";
import { visibleDirectories } from "../../src/catalog/visible_directories.ts";
import { makeTree, type Tree } from "../support/tree.ts";

function seen(tree: Tree, path: string, skill = "group/s") {
  return visibleDirectories(
    tree.root,
    { dir: tree.path(skill), rootIndex: 0 },
    path,
  );
}

Deno.test("visibleDirectories: what a scan would walk, empty ones too, in order", async () => {
  await using tree = await makeTree({
    ".gitignore": "build/\n/group/s/out\n",
    "group/.ignore": "tmp\n",
    "group/s/SKILL.md": "x",
    "group/s/.gitignore": "!kept\nkept/inner\n",
    "group/s/b/file": "x",
    "group/s/a": { dir: true },
    "group/s/.hidden": { dir: true },
    "group/s/node_modules": { dir: true },
    "group/s/build": { dir: true },
    "group/s/out": { dir: true },
    "group/s/tmp": { dir: true },
    "group/s/kept/inner": { dir: true },
    "group/s/kept/other/deep": { dir: true },
    "group/s/bad\\name": { dir: true },
    "group/s/link": { link: "b" },
    "group/s/plain": "a file",
  });
  assert.deepEqual(seen(tree, ""), ["a", "b", "kept"]);
  assert.deepEqual(seen(tree, "a"), []);
  assert.deepEqual(seen(tree, "kept"), ["other"]);
  assert.deepEqual(seen(tree, "kept/other"), ["deep"]);
  for (
    const none of [
      ".hidden",
      "node_modules",
      "build",
      "out",
      "tmp",
      "kept/inner",
      "link",
      "plain",
      "missing",
      "..",
      "a/../b",
      "/",
      "bad\\name",
    ]
  ) assert.equal(seen(tree, none), undefined, none);
});

Deno.test("visibleDirectories: the root itself as the skill", async () => {
  await using tree = await makeTree({ "SKILL.md": "x", "d": { dir: true } });
  assert.deepEqual(seen(tree, "", ""), ["d"]);
  assert.deepEqual(seen(tree, "d", ""), []);
});

Deno.test("visibleDirectories: a link on the way leads nowhere", async () => {
  await using tree = await makeTree({
    "s/SKILL.md": "x",
    "s/a/b/c": { dir: true },
    "outside/b/secret": { dir: true },
  });
  assert.deepEqual(seen(tree, "a/b", "s"), ["c"]);
  await Deno.remove(tree.path("s", "a"), { recursive: true });
  await Deno.symlink("../outside", tree.path("s", "a"));
  assert.equal(seen(tree, "a/b", "s"), undefined);
  assert.equal(seen(tree, "a", "s"), undefined);
});

Deno.test("visibleDirectories: one directory costs a bounded look", async () => {
  await using tree = await makeTree({ "s/SKILL.md": "x" });
  let looked = 0;
  const fs = {
    ...diskFs(),
    *readDir() {
      for (;;) {
        const name = `d${looked++}`;
        yield { name, isFile: false, isDirectory: true, isSymlink: false };
      }
    },
  };
  const skill = { dir: tree.path("s"), rootIndex: 0 };
  assert.equal(visibleDirectories(tree.root, skill, "", fs)?.length, 10_000);
  assert.ok(looked < 10_010);
});
