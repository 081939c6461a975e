import assert from "node:assert/strict";
import { join } from "node:path";
import { treeDigest, unpackTree } from "../../src/fence/unpack_tree.ts";
import { makeTree } from "../support/tree.ts";

function names(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map((entry) => entry.name).sort();
}

const SKILLS = {
  "bundled/one/SKILL.md": "# one\n",
  "bundled/one/scripts/run.mjs": "console.log(1)\n",
  "bundled/a-b/SKILL.md": "# ab\n",
  "bundled/a/SKILL.md": "# a\n",
};

Deno.test("unpackTree: every file, under a name with the content's digest", async () => {
  await using tree = await makeTree({ ...SKILLS, cache: { dir: true } });
  const digest = await treeDigest(tree.path("bundled"));
  const path = await unpackTree(
    tree.path("bundled"),
    digest,
    tree.path("cache"),
  );
  assert.ok(path.ok);
  assert.equal(
    path.value,
    tree.path("cache", `skills-${digest.slice(0, 16)}`),
  );
  assert.equal(await treeDigest(path.value), digest);
  assert.equal(names(tree.path("cache")).length, 1);
});

Deno.test("unpackTree: a changed, added or removed file brings it back", async () => {
  await using tree = await makeTree({ ...SKILLS, cache: { dir: true } });
  const digest = await treeDigest(tree.path("bundled"));
  const unpack = () =>
    unpackTree(tree.path("bundled"), digest, tree.path("cache"));
  const path = await unpack();
  assert.ok(path.ok);
  const changes = [
    () => Deno.writeTextFile(join(path.value, "one", "SKILL.md"), "# mine\n"),
    () => Deno.writeTextFile(join(path.value, "new"), ""),
    () => Deno.remove(join(path.value, "a"), { recursive: true }),
  ];
  for (const change of changes) {
    await change();
    assert.notEqual(await treeDigest(path.value), digest);
    assert.ok((await unpack()).ok);
    assert.equal(await treeDigest(path.value), digest);
  }
  assert.equal(names(tree.path("cache")).length, 1);
});

Deno.test("unpackTree: what was not built with that digest is refused and not kept", async () => {
  await using tree = await makeTree({ ...SKILLS, cache: { dir: true } });
  const refused = await unpackTree(
    tree.path("bundled"),
    "0".repeat(64),
    tree.path("cache"),
  );
  assert.ok(!refused.ok);
  assert.deepEqual(names(tree.path("cache")), []);
});

Deno.test("unpackTree: many at the same time all find it whole", async () => {
  await using tree = await makeTree({ ...SKILLS, cache: { dir: true } });
  const digest = await treeDigest(tree.path("bundled"));
  const all = await Promise.all(
    Array.from(
      { length: 6 },
      () => unpackTree(tree.path("bundled"), digest, tree.path("cache")),
    ),
  );
  for (const one of all) assert.ok(one.ok, one.ok ? "" : one.message);
  assert.equal(names(tree.path("cache")).length, 1);
});

Deno.test("treeDigest: names count as contents do", async () => {
  await using tree = await makeTree({ "x/a": "1", "y/b": "1", "z/a": "2" });
  const digests = await Promise.all(
    ["x", "y", "z"].map((name) => treeDigest(tree.path(name))),
  );
  assert.equal(new Set(digests).size, 3);
});

Deno.test("unpackTree: files lose the ending that hides them from deno compile", async () => {
  await using tree = await makeTree({
    "plain/a/x.mjs": "one",
    "plain/SKILL.md": "two",
    "packed/a/x.mjs.packed": "one",
    "packed/SKILL.md.packed": "two",
    "cache": { dir: true },
  });
  const path = await unpackTree(
    tree.path("packed"),
    await treeDigest(tree.path("plain")),
    tree.path("cache"),
  );
  assert.ok(path.ok);
  assert.equal(await Deno.readTextFile(`${path.value}/a/x.mjs`), "one");
  assert.deepEqual(
    [...Deno.readDirSync(path.value)].map((entry) => entry.name).sort(),
    ["SKILL.md", "a"],
  );
});
