import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";
import { names, only, paths, reasons, scanOne, skillMd } from "./support.ts";

Deno.test("hidden: dot entries and node_modules are neither skills nor files", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/.env": "KEY=1",
    "a/.git/config": "",
    "a/scripts/.venv/lib/typer/.agents/skills/typer/SKILL.md": skillMd("typer"),
    "a/scripts/run.js": "",
    "a/node_modules/x/skills/y/SKILL.md": skillMd("y"),
    "a/sub/node_modules": "a file of that name",
    "node_modules/z/SKILL.md": skillMd("z"),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["a"]);
  assert.deepEqual(paths(found, "a"), ["SKILL.md", "scripts/run.js"]);
  assert.deepEqual(found.problems, []);
});

Deno.test("hidden: an entry that directly holds SKILL.md is noted, with the rule and the way out", async () => {
  await using tree = await makeTree({
    ".claude/SKILL.md": skillMd("x"),
    "node_modules/SKILL.md": skillMd("x"),
    "build/SKILL.md": skillMd("build"),
    "a/SKILL.md": skillMd("a"),
    "a/SKILL.md.bak": "",
    "b/SKILL.md": skillMd("b"),
    ".gitignore": "# made\n\nbuild/\n",
    "b/.ignore": "SKILL.md\n",
    "b/x.txt": "",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["a"]);
  assert.deepEqual(reasons(found), [
    "hidden-skill .claude",
    "no-skill-md b",
    "hidden-skill b/SKILL.md",
    "hidden-skill build",
    "hidden-skill node_modules",
  ]);
  const [dot, , file, ignored, modules] = found.problems;
  assert.match(dot!.detail, /leading dot/);
  assert.match(file!.detail, /b\/\.ignore:1 `SKILL\.md`/);
  assert.match(ignored!.detail, /\.gitignore:3 `build\/`/);
  assert.match(ignored!.hint, /Remove or negate that rule/);
  assert.match(modules!.detail, /node_modules/);
  for (const { severity, hint } of [dot!, file!, ignored!, modules!]) {
    assert.equal(severity, "note");
    assert.match(hint, /--skills DIR/);
  }
});

Deno.test("ignore files: nested ones, negation, anchors and order work as in git", async () => {
  await using tree = await makeTree({
    ".gitignore": "*.log\n/top.txt\n!keep.log\nout/\n",
    "a/SKILL.md": skillMd("a"),
    "a/x.log": "",
    "a/keep.log": "",
    "a/top.txt": "",
    "a/out/x.txt": "",
    "a/sub/.gitignore": "!x.log\nlocal\n",
    "a/sub/x.log": "",
    "a/sub/local/y.txt": "",
    "a/sub/deep/local": "",
    "a/sub/keep.log": "",
    "a/both/.gitignore": "*.txt\n",
    "a/both/.ignore": "!b.txt\n",
    "a/both/a.txt": "",
    "a/both/b.txt": "",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(paths(found, "a"), [
    "SKILL.md",
    "both/b.txt",
    "keep.log",
    "sub/keep.log",
    "sub/x.log",
    "top.txt",
  ]);
});

Deno.test("ignore files: a directory brought back by a deeper file is walked, outer rules still hold in it", async () => {
  await using tree = await makeTree({
    ".gitignore": "build\n*.tmp\n",
    "a/.gitignore": "!build\n",
    "a/SKILL.md": skillMd("a"),
    "a/build/x.txt": "",
    "a/build/y.tmp": "",
    "a/build/build/z.txt": "",
    "a/[b] c/build/w.txt": "",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(paths(found, "a"), [
    "SKILL.md",
    "[b] c/build/w.txt",
    "build/build/z.txt",
    "build/x.txt",
  ]);
});

Deno.test("ignore files: nothing comes back below a hidden directory", async () => {
  await using tree = await makeTree({
    ".gitignore": "vendor/\n!vendor/good/\n",
    "a/SKILL.md": skillMd("a"),
    "a/vendor/good/SKILL.md": skillMd("good"),
    "a/vendor/.gitignore": "!*\n",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(paths(found, "a"), ["SKILL.md"]);
});

Deno.test("ignore files: a rule that would take seconds to match is left out and told", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/.gitignore": `ok.txt\n${"**/a/".repeat(12)}b\n${"x".repeat(2000)}\n`,
    [`a/${"a/".repeat(25)}c`]: "",
    "a/ok.txt": "",
  });
  const before = performance.now();
  const found = await scanOne(tree.root);
  assert.ok(performance.now() - before < 3000);
  assert.deepEqual(paths(found, "a"), ["SKILL.md", `${"a/".repeat(25)}c`]);
  assert.deepEqual(found.problems.map(({ reason, line }) => [reason, line]), [
    ["ignore-file", 2],
    ["ignore-file", 3],
  ]);
});

Deno.test("ignore files: a linked one and an oversized one are told", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/rules": "x.txt\n",
    "a/.gitignore": { link: "rules" },
    "a/x.txt": "",
    "b/SKILL.md": skillMd("b"),
    "b/.ignore": "y.txt\n" + "#".repeat(70_000),
    "b/y.txt": "",
  });
  const found = await scanOne(tree.root);
  assert.ok(paths(found, "a").includes("x.txt"));
  assert.deepEqual(paths(found, "b"), ["SKILL.md"]);
  assert.deepEqual(reasons(found), [
    "ignore-file a/.gitignore",
    "ignore-file b/.ignore",
  ]);
});

Deno.test("ignore files: those above the root do not count", async () => {
  await using tree = await makeTree({
    ".gitignore": "*\n",
    "root/a/SKILL.md": skillMd("a"),
  });
  assert.deepEqual(names(await scanOne(tree.path("root"))), ["a"]);
});

Deno.test("hidden: a root may itself lie in a hidden directory", async () => {
  await using tree = await makeTree({
    ".claude/skills/a/SKILL.md": skillMd("a"),
  });
  const found = await scanOne(tree.path(".claude/skills"));
  assert.deepEqual(names(found), ["a"]);
  assert.deepEqual(found.problems, []);
});

Deno.test("hidden: a child whose only SKILL.md is hidden holds none", async () => {
  await using tree = await makeTree({
    "a/.old/SKILL.md": skillMd("old"),
    "a/x.txt": "",
  });
  const found = await scanOne(tree.root);
  only(found, "no-skill-md");
  only(found, "hidden-skill");
});
