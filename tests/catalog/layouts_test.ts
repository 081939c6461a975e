import assert from "node:assert/strict";
import { basename } from "node:path";
import { makeTree } from "../support/tree.ts";
import {
  names,
  only,
  paths,
  reasons,
  scanAll,
  scanOne,
  skill,
  skillMd,
} from "./support.ts";

Deno.test("scanRoots: a skill is named by its directory's path below the root", async () => {
  await using tree = await makeTree({
    "weather/SKILL.md": skillMd("weather"),
    "acme/billing/refunds/SKILL.md": skillMd("refunds"),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["acme/billing/refunds", "weather"]);
  assert.equal(skill(found, "weather").dir, tree.path("weather"));
  assert.equal(
    skill(found, "weather").skillFile,
    tree.path("weather/SKILL.md"),
  );
  assert.equal(skill(found, "weather").description, "About weather.");
  assert.equal(skill(found, "weather").body, "# weather\n");
  assert.deepEqual(found.problems, []);
});

Deno.test("scanRoots: a root that holds SKILL.md is one skill, named by its directory", async () => {
  await using tree = await makeTree({
    "tool/SKILL.md": skillMd("tool"),
    "tool/inner/SKILL.md": skillMd("inner"),
    "tool/inner/deep/SKILL.md": skillMd("deep"),
  });
  const found = await scanOne(tree.path("tool"));
  assert.deepEqual(names(found), ["tool"]);
  assert.deepEqual(paths(found, "tool"), [
    "SKILL.md",
    "inner/SKILL.md",
    "inner/deep/SKILL.md",
  ]);
  assert.match(only(found, "nested-in-root").detail, /2 more SKILL\.md/);
});

Deno.test("scanRoots: a linked root is named by its real directory", async () => {
  await using tree = await makeTree({
    "real-name/SKILL.md": skillMd("real-name"),
    "link": { link: "real-name" },
  });
  assert.deepEqual(names(await scanOne(tree.path("link"))), ["real-name"]);
});

Deno.test("scanRoots: a leading skills/ is dropped", async () => {
  await using tree = await makeTree({
    "skills/weather/SKILL.md": skillMd("weather"),
    "skills/acme/skills/pay/SKILL.md": skillMd("pay"),
  });
  assert.deepEqual(names(await scanOne(tree.root)), [
    "acme/skills/pay",
    "weather",
  ]);
});

for (
  const [what, entry] of Object.entries({
    "a skill": skillMd("skills"),
    "a broken skill": "no frontmatter",
    "a skill that cannot be served": { link: "missing" },
    "a directory in its place": { dir: true as const },
  })
) {
  Deno.test(`scanRoots: skills/ is kept where <root>/skills is ${what}`, async () => {
    await using tree = await makeTree({
      "skills/SKILL.md": entry,
      "skills/weather/SKILL.md": skillMd("weather"),
      "weather/SKILL.md": skillMd("weather"),
    });
    const found = names(await scanOne(tree.root));
    assert.deepEqual(
      found.filter((name) => name !== "skills"),
      ["skills/weather", "weather"],
    );
  });
}

Deno.test("scanRoots: nested skills of one root are both served, the outer lists the inner's files", async () => {
  await using tree = await makeTree({
    "outer/SKILL.md": skillMd("outer"),
    "outer/inner/SKILL.md": skillMd("inner"),
    "outer/inner/x.txt": "12345",
    "outer/y.txt": "1",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["outer", "outer/inner"]);
  assert.deepEqual(paths(found, "outer"), [
    "SKILL.md",
    "inner/SKILL.md",
    "inner/x.txt",
    "y.txt",
  ]);
  assert.deepEqual(paths(found, "outer/inner"), ["SKILL.md", "x.txt"]);
  const inner = skill(found, "outer/inner");
  assert.equal(inner.files.find(({ path }) => path === "x.txt")!.size, 5);
  assert.equal(inner.bytes, skillMd("inner").length + 5);
  assert.deepEqual(found.problems, []);
});

Deno.test("scanRoots: several roots keep their order and their skills their root", async () => {
  await using tree = await makeTree({
    "one/b/SKILL.md": skillMd("b"),
    "two/a/SKILL.md": skillMd("a"),
  });
  const roots = [tree.path("one"), tree.path("two")];
  const found = await scanAll(roots);
  assert.deepEqual(names(found), ["a", "b"]);
  assert.equal(skill(found, "a").rootIndex, 1);
  assert.equal(skill(found, "b").rootIndex, 0);
  assert.deepEqual(found.roots.map(({ path }) => path), roots);
});

Deno.test("scanRoots: a missing root and a root that is a file are reported, the others served", async () => {
  await using tree = await makeTree({
    "file": "",
    "ok/a/SKILL.md": skillMd("a"),
  });
  const found = await scanAll([
    tree.path("missing"),
    tree.path("file"),
    tree.path("ok"),
  ]);
  assert.deepEqual(names(found), ["a"]);
  assert.deepEqual(reasons(found), ["root-unreadable .", "root-unreadable ."]);
  assert.deepEqual(found.problems.map(({ root }) => basename(root)), [
    "missing",
    "file",
  ]);
  assert.deepEqual(found.roots.map(({ realPath }) => realPath), [
    undefined,
    undefined,
    tree.path("ok"),
  ]);
});

Deno.test("scanRoots: an empty root says so", async () => {
  await using tree = await makeTree();
  only(await scanOne(tree.root), "no-skills");
});

Deno.test("scanRoots: a directory name that is no segment is refused and named", async () => {
  await using tree = await makeTree({
    "has blank/SKILL.md": skillMd("x"),
    "_lead/in/SKILL.md": skillMd("x"),
    [`${"n".repeat(65)}/SKILL.md`]: skillMd("x"),
    [`${"n".repeat(64)}/SKILL.md`]: skillMd("n".repeat(64)),
    "ünï/SKILL.md": skillMd("x"),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["n".repeat(64)]);
  assert.deepEqual(reasons(found), [
    "unusable-name _lead/in",
    "unusable-name has blank",
    `unusable-name ${"n".repeat(65)}`,
    "unusable-name ünï",
  ]);
});

Deno.test("scanRoots: a direct child with files and no SKILL.md at any depth is a problem", async () => {
  await using tree = await makeTree({
    "notes/deep/readme.txt": "",
    "skills/drafts/a.txt": "",
    "skills/good/SKILL.md": skillMd("good"),
    "skills/loose.txt": "",
    "group/readme.txt": "",
    "group/sub/skill/SKILL.md": skillMd("skill"),
    "empty/nothing": { dir: true },
    "only-hidden/.git/config": "",
    "plain.txt": "",
  });
  assert.deepEqual(reasons(await scanOne(tree.root)), [
    "no-skill-md notes",
    "no-skill-md skills/drafts",
  ]);
});

Deno.test("scanRoots: a child without SKILL.md that holds what a skill refers to is none", async () => {
  const citing = (path: string) =>
    `---\nname: a\ndescription: A.\nreferences: [${path}]\n---\nA.\n`;
  await using tree = await makeTree({
    "a/SKILL.md": citing("../references/deep/style.md"),
    "references/deep/style.md": "Style.",
    "references/more.md": "",
    "references-old/style.md": "",
    "skills/b/SKILL.md": citing("../shared/terms.md"),
    "skills/shared/terms.md": "Terms.",
    "skills/left/terms.md": "",
  });
  assert.deepEqual(
    reasons(await scanOne(tree.root)).filter((each) =>
      each.startsWith("no-skill-md")
    ),
    ["no-skill-md references-old", "no-skill-md skills/left"],
  );
});

Deno.test("scanRoots: skills/ with loose files and no skill is a problem", async () => {
  await using tree = await makeTree({ "skills/flat.md": "# flat" });
  assert.deepEqual(reasons(await scanOne(tree.root)), ["no-skill-md skills"]);
});
