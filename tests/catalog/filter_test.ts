import assert from "node:assert/strict";
import { scanRoots } from "../../src/catalog/scan.ts";
import { makeTree } from "../support/tree.ts";
import { names, only, paths, plain, reasons, skillMd } from "./support.ts";

async function nested() {
  return await makeTree({
    "acme/billing/SKILL.md": skillMd("billing"),
    "acme/billing/refunds/SKILL.md": skillMd("refunds"),
    "acme2/SKILL.md": skillMd("acme2"),
    "git-commit/SKILL.md": skillMd("git-commit"),
  });
}

async function kept(
  root: string,
  globs: { include?: string[]; ignore?: string[] },
) {
  return await scanRoots(plain(root).map((each) => ({ ...each, ...globs })));
}

Deno.test("scanRoots: include keeps only names that match as a whole, and a star crosses slashes", async () => {
  await using tree = await nested();
  for (
    const [include, expected] of [
      [["acme/*"], ["acme/billing", "acme/billing/refunds"]],
      [["git-*", "acme2"], ["acme2", "git-commit"]],
      [["billing"], []],
      [["*/refunds"], ["acme/billing/refunds"]],
      [[], ["acme/billing", "acme/billing/refunds", "acme2", "git-commit"]],
    ] as [string[], string[]][]
  ) {
    assert.deepEqual(names(await kept(tree.root, { include })), expected);
  }
});

Deno.test("scanRoots: ignore wins over include, and a root left empty says why", async () => {
  await using tree = await nested();
  const found = await kept(tree.root, { include: ["acme*"], ignore: ["*"] });
  assert.deepEqual(names(found), []);
  assert.deepEqual(reasons(found), ["filtered ."]);
  assert.match(only(found, "filtered").detail, /4 of its skills: .*acme2/);
});

Deno.test("scanRoots: ignoring a skill leaves those nested in it, and its files stay the outer one's", async () => {
  await using tree = await nested();
  const inner = await kept(tree.root, { ignore: ["acme/billing"] });
  assert.deepEqual(names(inner), [
    "acme/billing/refunds",
    "acme2",
    "git-commit",
  ]);
  const outer = await kept(tree.root, { ignore: ["*/refunds"] });
  assert.deepEqual(paths(outer, "acme/billing"), [
    "SKILL.md",
    "refunds/SKILL.md",
  ]);
});

Deno.test("scanRoots: filters belong to one root, so a name ignored there loads from the next", async () => {
  await using tree = await makeTree({
    "one/a/SKILL.md": skillMd("a"),
    "two/a/SKILL.md": skillMd("a"),
  });
  const [one, two] = plain(tree.path("one"), tree.path("two"));
  const found = await scanRoots([{ ...one!, ignore: ["a"] }, two!]);
  assert.equal(found.skills.get("a")?.rootIndex, 1);
  assert.deepEqual(reasons(found), ["filtered ."]);
});

Deno.test("scanRoots: a glob that does not compile serves nothing of its root and is a problem", async () => {
  await using tree = await nested();
  for (const globs of [{ ignore: ["[a"] }, { include: ["{a", "*"] }]) {
    const found = await kept(tree.root, globs);
    assert.deepEqual(names(found), []);
    assert.match(only(found, "bad-glob").detail, /"[[{]a" is no glob/);
  }
});
