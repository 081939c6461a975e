import assert from "node:assert/strict";
import { join } from "node:path";
import { DEFAULT_LIMITS } from "../../src/catalog/limits.ts";
import { diskFs } from "../../src/catalog/scan_fs.ts";
import { makeTree } from "../support/tree.ts";
import {
  names,
  only,
  paths,
  reasons,
  scanOne,
  skill,
  skillMd,
} from "./support.ts";

Deno.test("limits: the defaults are those of the reference", () => {
  assert.equal(DEFAULT_LIMITS.skills, 20_000);
  assert.equal(DEFAULT_LIMITS.files, 2_000);
  assert.equal(DEFAULT_LIMITS.directories, 2_000);
  assert.equal(DEFAULT_LIMITS.skillFileBytes, 262_144);
});

Deno.test("limits: files per skill, SKILL.md always among them, told once", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/1.txt": "",
    "a/2.txt": "",
    "a/3.txt": "",
    "a/sub/4.txt": "",
    "b/SKILL.md": skillMd("b"),
    "b/1.txt": "",
    "b/2.txt": "",
  });
  const found = await scanOne(tree.root, { limits: { files: 3 } });
  assert.deepEqual(paths(found, "a"), ["1.txt", "2.txt", "SKILL.md"]);
  assert.deepEqual(paths(found, "b"), ["1.txt", "2.txt", "SKILL.md"]);
  assert.deepEqual(reasons(found), ["file-limit a"]);
});

Deno.test("limits: shallow files come before deep ones", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/assets/x/1.txt": "",
    "a/assets/x/2.txt": "",
    "a/scripts/run.js": "",
  });
  const found = await scanOne(tree.root, { limits: { files: 2 } });
  assert.deepEqual(paths(found, "a"), ["SKILL.md", "scripts/run.js"]);
});

Deno.test("limits: a full list does not hide a nested skill", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/1.txt": "",
    "a/2.txt": "",
    "a/inner/SKILL.md": skillMd("inner"),
    "a/inner/3.txt": "",
  });
  const found = await scanOne(tree.root, { limits: { files: 2 } });
  assert.deepEqual(names(found), ["a", "a/inner"]);
  assert.deepEqual(paths(found, "a/inner"), ["3.txt", "SKILL.md"]);
});

Deno.test("limits: a linked file counts too", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/1.txt": "",
    "a/l1": { link: "1.txt" },
    "a/l2": { link: "1.txt" },
  });
  const found = await scanOne(tree.root, { limits: { files: 3 } });
  assert.deepEqual(paths(found, "a"), ["1.txt", "SKILL.md", "l1"]);
  assert.deepEqual(reasons(found), ["file-limit a"]);
});

Deno.test("limits: what a bound leaves does not depend on the disk's order", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/3.txt": "",
    "a/1.txt": "",
    "a/2.txt": "",
    "b/SKILL.md": skillMd("b"),
    "b/d2/x.txt": "",
    "b/d1/x.txt": "",
    "b/d3/x.txt": "",
    "c/SKILL.md": skillMd("c"),
    "c/l2": { link: "SKILL.md" },
    "c/l1": { link: "SKILL.md" },
    "c/l3": { link: "SKILL.md" },
  });
  const disk = diskFs();
  for (const direction of [1, -1]) {
    const fs = {
      ...disk,
      readDir: (path: string) =>
        [...disk.readDir(path)].sort((a, b) =>
          a.name < b.name ? -direction : direction
        ),
    };
    const found = await scanOne(tree.root, {
      limits: { files: 2, directories: 2, skills: 2 },
      fs,
    });
    assert.deepEqual(names(found), ["a", "b"]);
    assert.deepEqual(paths(found, "a"), ["1.txt", "SKILL.md"]);
    assert.deepEqual(paths(found, "b"), ["SKILL.md", "d1/x.txt"]);
    const all = await scanOne(tree.root, { limits: { files: 2 }, fs });
    assert.deepEqual(paths(all, "c"), ["SKILL.md", "l1"]);
  }
});

Deno.test("limits: an outer skill's path may be too long where the inner's is not", async () => {
  const long = ["1", "2", "3", "4", "5"].map((each) => each.repeat(200));
  const inner = `a/${long.slice(0, 3).join("/")}/inner`;
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    [`${inner}/SKILL.md`]: skillMd("inner"),
    [`${inner}/${long.slice(3).join("/")}/${"x".repeat(50)}`]: "",
  });
  // The inner skill's own name is unusable here; a root of its own serves it.
  const found = await scanOne(tree.root);
  assert.deepEqual(paths(found, "a").length, 2);
  assert.match(
    reasons(found).join(),
    new RegExp(`unusable-path ${inner}/4+/5+/x{50}`),
  );
  const own = await scanOne(tree.path(inner));
  assert.equal(paths(own, "inner").length, 2);
});

Deno.test("limits: directories per skill bound the walk, empty ones included", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/d1/x.txt": "",
    "a/d2": { dir: true },
    "a/d3/x.txt": "",
    "a/d3/SKILL.md": skillMd("d3"),
    "b/SKILL.md": skillMd("b"),
    "b/d1/d2/x.txt": "",
  });
  const found = await scanOne(tree.root, { limits: { directories: 2 } });
  assert.deepEqual(names(found), ["a", "b"]);
  assert.deepEqual(paths(found, "a"), ["SKILL.md", "d1/x.txt"]);
  assert.deepEqual(paths(found, "b"), ["SKILL.md", "d1/d2/x.txt"]);
  const problem = only(found, "file-limit");
  assert.equal(problem.skill, "a");
  assert.match(problem.detail, /more than 2 directories.*searched for skills/);
});

Deno.test("limits: depth", async () => {
  await using tree = await makeTree({
    "p/q/SKILL.md": skillMd("q"),
    "p/q/r/x.txt": "",
    "p/q/r/s/SKILL.md": skillMd("s"),
  });
  const found = await scanOne(tree.root, { limits: { depth: 3 } });
  assert.deepEqual(paths(found, "p/q"), ["SKILL.md", "r/x.txt"]);
  assert.deepEqual(reasons(found), ["depth-limit p/q/r/s"]);
});

Deno.test("limits: entries per root", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "b/1": "",
    "b/2": "",
    "b/3": "",
    "b/4": "",
    "c/d/SKILL.md": skillMd("d"),
  });
  const found = await scanOne(tree.root, { limits: { entries: 6 } });
  assert.deepEqual(names(found), ["a"]);
  assert.match(only(found, "walk-limit").detail, /more than 6/);
});

Deno.test("limits: skills served, the rest counted", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "b/SKILL.md": skillMd("b"),
    "c/SKILL.md": skillMd("c"),
    "d/SKILL.md": skillMd("d"),
  });
  const found = await scanOne(tree.root, { limits: { skills: 2 } });
  assert.deepEqual(names(found), ["a", "b"]);
  const problem = only(found, "skill-limit");
  assert.match(problem.detail, /more than 2 skills: 2 are not served.* c$/);
  assert.match(problem.hint, /SKILLFENCE_MAX_SKILLS/);
});

Deno.test("limits: a name over the limit still makes a duplicate", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "b/SKILL.md": skillMd("b"),
    "skills/a/SKILL.md": skillMd("a"),
  });
  const found = await scanOne(tree.root, { limits: { skills: 1 } });
  assert.deepEqual(names(found), ["b"]);
});

Deno.test("limits: a huge SKILL.md is served cut, without reading the rest", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "b/SKILL.md": "",
    "c/SKILL.md": "",
  });
  const size = 256 * 1024 * 1024;
  await Deno.truncate(tree.path("a/SKILL.md"), size);
  const text = skillMd("b");
  await Deno.writeTextFile(
    tree.path("b/SKILL.md"),
    text + "x".repeat(262_144 - text.length),
  );
  await Deno.writeTextFile(
    tree.path("c/SKILL.md"),
    text.replaceAll("b", "c") + "x".repeat(262_144 - text.length) + "y",
  );
  const before = Deno.memoryUsage().rss;
  const found = await scanOne(tree.root);
  assert.ok(Deno.memoryUsage().rss - before < 32 * 1024 * 1024);
  const a = skill(found, "a");
  assert.equal(a.truncated, true);
  assert.equal(a.description, "About a.");
  assert.equal(a.files[0]!.size, size);
  assert.ok(a.body.length <= 262_144);
  assert.equal(skill(found, "b").truncated, false);
  assert.ok(skill(found, "b").body.endsWith("x"));
  assert.equal(skill(found, "c").truncated, true);
  assert.ok(skill(found, "c").body.endsWith("x"));
  assert.deepEqual(
    found.problems.filter(({ reason }) => reason === "skill-md-limit")
      .map(({ skill }) => skill),
    ["a", "c"],
  );
});

Deno.test("limits: frontmatter over 64 KiB costs scripts only", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a", `license: ${"x".repeat(70_000)}`),
  });
  const found = await scanOne(tree.root);
  assert.equal(skill(found, "a").instructionsOnly, true);
  assert.match(only(found, "malformed-frontmatter").detail, /64 KiB/);
});

Deno.test("ProblemLog: many problems of one kind and place become a count", async () => {
  await using tree = await makeTree({ "a/SKILL.md": skillMd("a") });
  for (let i = 0; i < 30; i++) {
    await Deno.symlink("/nowhere", join(tree.path("a"), `l${10 + i}`));
  }
  const found = await scanOne(tree.root);
  assert.equal(found.problems.length, 21);
  const count = found.problems.find(({ path }) => path === "a");
  assert.match(count!.detail, /^10 more/);
  assert.equal(count!.skill, "a");
});
