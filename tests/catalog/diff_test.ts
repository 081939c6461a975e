/** What differs between two snapshots, on real trees. */

import assert from "node:assert/strict";
import { diffSnapshots } from "../../src/catalog/diff.ts";
import { scanRoots } from "../../src/catalog/scan.ts";
import type { Snapshot } from "../../src/catalog/types.ts";
import { makeTree } from "../support/tree.ts";

const NOTHING = { added: [], removed: [], changed: [], references: [] };

const skill = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\nBody.\n`;

async function scan(root: string): Promise<Snapshot> {
  return await scanRoots([{
    path: root,
    include: [],
    ignore: [],
    watch: true,
  }]);
}

Deno.test("diffSnapshots of two scans of the same tree is empty", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skill("a"),
    "a/x.md": "x",
  });
  assert.deepEqual(
    diffSnapshots(await scan(tree.root), await scan(tree.root)),
    NOTHING,
  );
});

Deno.test("diffSnapshots tells added and removed skills, and files by what became of them", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skill("a"),
    "a/gone.md": "x",
    "a/kept.md": "x",
    "a/same.md": "x",
    "b/SKILL.md": skill("b"),
    "c/SKILL.md": skill("c"),
  });
  const before = await scan(tree.root);
  await Deno.remove(tree.path("a/gone.md"));
  await Deno.remove(tree.path("b"), { recursive: true });
  await tree.write({
    "a/kept.md": "yy",
    "a/new.md": "x",
    "d/SKILL.md": skill("d"),
  });
  assert.deepEqual(diffSnapshots(before, await scan(tree.root)), {
    ...NOTHING,
    added: ["d"],
    removed: ["b"],
    changed: [{
      name: "a",
      skillFile: false,
      added: ["new.md"],
      removed: ["gone.md"],
      changed: ["kept.md"],
    }],
  });
});

Deno.test("diffSnapshots: the body, the frontmatter and the list of references each change SKILL.md", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skill("a"),
    "references/r.md": "r",
  });
  for (
    const text of [
      skill("a") + "More.\n",
      skill("a", "version: '2'\n"),
      skill("a", "references: [../references/r.md]\n"),
    ]
  ) {
    const before = await scan(tree.root);
    await tree.write({ "a/SKILL.md": text });
    const { changed } = diffSnapshots(before, await scan(tree.root));
    assert.deepEqual(changed.map(({ name, skillFile }) => [name, skillFile]), [
      ["a", true],
    ]);
  }
});

Deno.test("diffSnapshots tells a shared file by its id and by its copies", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skill("a", "references: [../references/r.md]\n"),
    "b/SKILL.md": skill("b", "references: [../references/r.md]\n"),
    "references/r.md": "r",
  });
  const before = await scan(tree.root);
  await tree.write({ "references/r.md": "longer" });
  const edited = await scan(tree.root);
  assert.deepEqual(diffSnapshots(before, edited), {
    ...NOTHING,
    references: ["1:references/r.md"],
    changed: ["a", "b"].map((name) => ({
      name,
      skillFile: false,
      added: [],
      removed: [],
      changed: ["references/r.md"],
    })),
  });
  await Deno.remove(tree.path("references/r.md"));
  const gone = await scan(tree.root);
  const vanished = diffSnapshots(edited, gone);
  assert.deepEqual(vanished.references, ["1:references/r.md"]);
  assert.deepEqual(vanished.changed.map(({ removed }) => removed), [
    ["references/r.md"],
    ["references/r.md"],
  ]);
  assert.deepEqual(diffSnapshots(gone, edited).references, [
    "1:references/r.md",
  ]);
});

Deno.test("diffSnapshots: two edits of the same length within a second are two changes", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skill("a"),
    "a/x.md": "1",
  });
  const before = await scan(tree.root);
  await tree.write({ "a/x.md": "2" });
  await Deno.utime(tree.path("a/x.md"), new Date(), 1_700_000_000.25);
  const first = await scan(tree.root);
  await tree.write({ "a/x.md": "3" });
  await Deno.utime(tree.path("a/x.md"), new Date(), 1_700_000_000.75);
  const second = await scan(tree.root);
  assert.equal(diffSnapshots(before, first).changed.length, 1);
  assert.equal(diffSnapshots(first, second).changed.length, 1);
});
