/** What is served where, with several roots. */

import assert from "node:assert/strict";
import { scanRoots } from "../../../src/catalog/scan.ts";
import { childrenAt } from "../../../src/server/resources/directories.ts";
import { ServedSkills } from "../../../src/server/resources/served_skills.ts";
import { makeTree } from "../../support/tree.ts";

const text = (name: string) => `---\nname: ${name}\ndescription: D.\n---\nx\n`;

Deno.test("ServedSkills: one address names one file, when names of two roots nest", async () => {
  await using tree = await makeTree({
    "one/a/b/SKILL.md": text("b"),
    "one/a/b/c.md": "inner",
    "two/a/SKILL.md": text("a"),
    "two/a/b/c.md": "outer",
    "two/a/b/only-outer.md": "outer",
    "two/a/z.md": "outer",
  });
  const roots = ["one", "two"].map((name) => ({
    path: tree.path(name),
    include: [],
    ignore: [],
    watch: false,
  }));
  const served = new ServedSkills(await scanRoots(roots));
  assert.deepEqual(served.names, ["a", "a/b"]);
  const paths = (name: string) =>
    served.files(served.skill(name)!).map(({ path }) => `${name}/${path}`);
  const all = [...paths("a"), ...paths("a/b")];
  assert.deepEqual(all, [
    "a/SKILL.md",
    "a/z.md",
    "a/b/SKILL.md",
    "a/b/c.md",
  ]);
  for (const place of all) {
    const file = served.file(place)!;
    assert.equal(`${file.skill.name}/${file.path}`, place);
  }
  assert.equal(served.file("a/b/only-outer.md"), undefined);
  assert.deepEqual([...childrenAt(served, "a/b")!.keys()], [
    "SKILL.md",
    "c.md",
  ]);
});
