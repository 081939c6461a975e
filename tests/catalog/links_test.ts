import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";
import {
  names,
  only,
  paths,
  reasons,
  scanOne,
  skill,
  skillMd,
  withScript,
} from "./support.ts";

Deno.test("links: a linked skill directory is served once, the link is an alias", async () => {
  await using tree = await makeTree({
    "shared/foo/SKILL.md": skillMd("foo"),
    "foo": { link: "shared/foo" },
    "skills/bar": { link: "../shared/foo" },
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["shared/foo"]);
  assert.deepEqual([...found.aliases], [
    ["foo", "shared/foo"],
    ["bar", "shared/foo"],
  ]);
  assert.deepEqual(found.problems, []);
});

Deno.test("links: a link to a folder of skills gives each of them an alias", async () => {
  await using tree = await makeTree({
    "content/team/a/SKILL.md": skillMd("a"),
    "content/team/b/c/SKILL.md": skillMd("c"),
    "content/team-x/d/SKILL.md": skillMd("d"),
    "content/team": { dir: true },
    "short": { link: "content/team" },
    "skills": { link: "content" },
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), [
    "content/team-x/d",
    "content/team/a",
    "content/team/b/c",
  ]);
  assert.deepEqual(Object.fromEntries(found.aliases), {
    "short/a": "content/team/a",
    "short/b/c": "content/team/b/c",
    "team/a": "content/team/a",
    "team/b/c": "content/team/b/c",
    "team-x/d": "content/team-x/d",
  });
});

Deno.test("links: a SKILL.md that is another skill's, linked, is an alias of it", async () => {
  await using tree = await makeTree({
    "b/SKILL.md": skillMd("b"),
    "a/SKILL.md": { link: "../b/SKILL.md" },
    "c/SKILL.md": { link: "../b/SKILL.md" },
    "c/beside.txt": "",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["b"]);
  assert.deepEqual([...found.aliases], [["a", "b"], ["c", "b"]]);
  assert.deepEqual(reasons(found), ["linked-skill-md c"]);
});

Deno.test("links: a SKILL.md linked to a file of its own directory is served there", async () => {
  await using tree = await makeTree({
    "a/docs/real.md": skillMd("a"),
    "a/SKILL.md": { link: "docs/real.md" },
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(paths(found, "a"), ["SKILL.md", "docs/real.md"]);
  assert.equal(skill(found, "a").skillFile, tree.path("a/docs/real.md"));
  assert.deepEqual(found.problems, []);
});

Deno.test("links: a SKILL.md linked to a document elsewhere in the root is served and not listed", async () => {
  await using tree = await makeTree({
    "docs/a.md": skillMd("a"),
    "a/SKILL.md": { link: "../docs/a.md" },
    "a/x.txt": "",
  });
  const found = await scanOne(tree.root);
  assert.equal(skill(found, "a").body, "# a\n");
  assert.deepEqual(paths(found, "a"), ["x.txt"]);
  assert.deepEqual(reasons(found), [
    "linked-skill-md a/SKILL.md",
    "no-skill-md docs",
  ]);
});

Deno.test("links: a SKILL.md that leads out, is broken or hidden is refused, its neighbours served", async () => {
  await using tree = await makeTree({
    "outside.md": skillMd("x"),
    "root/out/SKILL.md": { link: "../../outside.md" },
    "root/broken/SKILL.md": { link: "nowhere" },
    "root/circle/SKILL.md": { link: "SKILL.md" },
    "root/hidden/.x.md": skillMd("x"),
    "root/hidden/SKILL.md": { link: ".x.md" },
    "root/out/inner/SKILL.md": skillMd("inner"),
    "root/ok/SKILL.md": skillMd("ok"),
  });
  const found = await scanOne(tree.path("root"));
  assert.deepEqual(names(found), ["ok", "out/inner"]);
  assert.deepEqual(reasons(found), [
    "symlink-escape broken/SKILL.md",
    "symlink-escape circle/SKILL.md",
    "symlink-escape hidden/SKILL.md",
    "symlink-escape out/SKILL.md",
  ]);
  assert.match(found.problems[0]!.detail, /broken link/);
  assert.match(found.problems[3]!.detail, /out of the root/);
});

Deno.test("links: a root whose SKILL.md leads out is a refused skill, nothing in it is served", async () => {
  await using tree = await makeTree({
    "outside.md": skillMd("x"),
    "root/SKILL.md": { link: "../outside.md" },
    "root/a/SKILL.md": skillMd("a"),
  });
  const found = await scanOne(tree.path("root"));
  assert.deepEqual(names(found), []);
  assert.deepEqual(reasons(found), ["symlink-escape SKILL.md"]);
});

Deno.test("links: directory links that leave the root or are broken are reported, worded apart", async () => {
  await using tree = await makeTree({
    "away/x/SKILL.md": skillMd("x"),
    "root/ok/SKILL.md": skillMd("ok"),
    "root/x": { link: "../away/x" },
    "root/y": { link: "nowhere" },
    "root/skills": { link: "../away" },
  });
  const found = await scanOne(tree.path("root"));
  assert.deepEqual(names(found), ["ok"]);
  assert.deepEqual(reasons(found), [
    "symlink-escape skills",
    "symlink-escape x",
    "symlink-escape y",
  ]);
  assert.match(
    found.problems[1]!.detail,
    /link to a directory outside the root \("\.\.\/away\/x"\)/,
  );
  assert.match(found.problems[2]!.detail, /broken link: it is not there/);
  assert.deepEqual(found.problems.map(({ severity }) => severity), [
    "error",
    "error",
    "error",
  ]);
});

Deno.test("links: what a link says is made visible, and no real path is told", async () => {
  await using tree = await makeTree({
    "root/a/SKILL.md": skillMd("a"),
    "root/a/x": { link: "../../\u001b[31mred\u202e" },
    "root/a/y": { link: "../../secret-place" },
    "secret-place": "",
  });
  const found = await scanOne(tree.path("root"));
  const [x, y] = found.problems;
  assert.match(x!.detail, /\\u\{1b\}\[31mred\\u\{202e\}/);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(x!.detail, /[\u001b\u202e]/);
  assert.match(y!.detail, /"\.\.\/\.\.\/secret-place"/);
  assert.ok(!y!.detail.includes(tree.root));
});

Deno.test("links: a file link inside the skill is listed, with its target's size", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": withScript("a", "bin/run.js"),
    "a/lib/real.js": "12345678",
    "a/bin/run.js": { link: "../lib/real.js" },
    "a/twice.js": { link: "bin/run.js" },
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(
    skill(found, "a").files.slice(1).map(({ path, size }) => [path, size]),
    [
      ["bin/run.js", 8],
      ["lib/real.js", 8],
      ["twice.js", 8],
    ],
  );
  // The declared script is a link: no declared-script-missing.
  assert.deepEqual(found.problems, []);
});

Deno.test("links: a declared script through a linked directory is found", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": withScript("a", "bin/run.js"),
    "a/lib/run.js": "1",
    "a/bin": { link: "lib" },
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(paths(found, "a"), ["SKILL.md", "lib/run.js"]);
  assert.deepEqual(found.problems, []);
});

Deno.test("links: bundle links that leave the skill are reported and not listed", async () => {
  await using tree = await makeTree({
    "secret.txt": "s",
    "root/b/SKILL.md": skillMd("b"),
    "root/a/SKILL.md": skillMd("a"),
    "root/a/passwd": { link: "/etc/passwd" },
    "root/a/neighbour": { link: "../b/SKILL.md" },
    "root/a/dir": { link: "../plain" },
    "root/a/up": { link: "../../secret.txt" },
    "root/a/circle": { link: "." },
    "root/plain/x.txt": "",
  });
  const found = await scanOne(tree.path("root"));
  assert.deepEqual(paths(found, "a"), ["SKILL.md"]);
  assert.equal(found.aliases.size, 0);
  assert.deepEqual(
    reasons(found).filter((each) => each.startsWith("symlink-escape")),
    [
      "symlink-escape a/dir",
      "symlink-escape a/neighbour",
      "symlink-escape a/passwd",
      "symlink-escape a/up",
    ],
  );
  const alone = await scanOne(tree.path("root/a"));
  assert.deepEqual(reasons(alone), [
    "symlink-escape dir",
    "symlink-escape neighbour",
    "symlink-escape passwd",
    "symlink-escape up",
  ]);
});

Deno.test("links: a link from an inner skill into the outer one is the outer's file only", async () => {
  await using tree = await makeTree({
    "outer/SKILL.md": skillMd("outer"),
    "outer/shared.txt": "x",
    "outer/inner/SKILL.md": skillMd("inner"),
    "outer/inner/shared.txt": { link: "../shared.txt" },
  });
  const found = await scanOne(tree.root);
  assert.ok(paths(found, "outer").includes("inner/shared.txt"));
  assert.deepEqual(paths(found, "outer/inner"), ["SKILL.md"]);
  assert.equal(only(found, "symlink-escape").skill, "outer/inner");
});

Deno.test("links: a link to a hidden or ignored file opens no door to it", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "a/.env": "KEY=1",
    "a/.gitignore": "local.*\n",
    "a/local.txt": "",
    "a/env.txt": { link: ".env" },
    "a/notes.txt": { link: "local.txt" },
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(paths(found, "a"), ["SKILL.md"]);
  assert.deepEqual(reasons(found), [
    "hidden-file a/env.txt",
    "hidden-file a/notes.txt",
  ]);
});

Deno.test("links: a link to a hidden skill is told, not served", async () => {
  await using tree = await makeTree({
    ".store/x/SKILL.md": skillMd("x"),
    "node_modules/p/SKILL.md": skillMd("p"),
    "x": { link: ".store/x" },
    "p": { link: "node_modules/p" },
    "ok/SKILL.md": skillMd("ok"),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["ok"]);
  assert.equal(found.aliases.size, 0);
  assert.deepEqual(reasons(found), ["hidden-skill p", "hidden-skill x"]);
});

Deno.test("aliasesOf: an alias never takes a name a directory has, even a refused one", async () => {
  await using tree = await makeTree({
    "real/bird/SKILL.md": skillMd("bird"),
    "bird/SKILL.md": skillMd("bird"),
    "skills/bird/SKILL.md": skillMd("bird"),
    "skills/links": { dir: true },
    "skills/links/x": { link: "../../real/bird" },
    "skills/real": { link: "../real" },
    "skills/BIRD": { link: "../real/bird" },
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["real/bird"]);
  assert.deepEqual([...found.aliases], [["links/x", "real/bird"]]);
  assert.match(only(found, "unusable-alias").detail, /"BIRD" does not stand/);
});

Deno.test("aliasesOf: one link name for two skills stands for neither", async () => {
  await using tree = await makeTree({
    "real/a/SKILL.md": skillMd("a"),
    "real/b/SKILL.md": skillMd("b"),
    "x": { link: "real/a" },
    "skills/X": { link: "../real/b" },
    "bad name": { link: "real/a" },
  });
  const found = await scanOne(tree.root);
  assert.equal(found.aliases.size, 0);
  assert.deepEqual(reasons(found), [
    "unusable-alias bad name",
    "unusable-alias skills/X",
  ]);
});

Deno.test("aliasesOf: their number is bounded and the bound reported", async () => {
  await using tree = await makeTree({
    "real/a/SKILL.md": skillMd("a"),
    "x1": { link: "real/a" },
    "x2": { link: "real/a" },
    "x3": { link: "real/a" },
  });
  const found = await scanOne(tree.root, { limits: { aliases: 2 } });
  assert.deepEqual([...found.aliases.keys()], ["x1", "x2"]);
  assert.match(only(found, "unusable-alias").detail, /more than 2/);
});
