import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";
import { names, only, reasons, scanAll, scanOne, skillMd } from "./support.ts";

Deno.test("settle: one name twice in one root refuses both and names both", async () => {
  await using tree = await makeTree({
    "bird/SKILL.md": skillMd("bird"),
    "skills/bird/SKILL.md": skillMd("bird"),
    "cat/SKILL.md": skillMd("cat"),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["cat"]);
  assert.deepEqual(reasons(found), [
    "duplicate-name bird",
    "duplicate-name skills/bird",
  ]);
  for (const { detail, severity, skill } of found.problems) {
    assert.equal(severity, "error");
    assert.equal(skill, "bird");
    assert.match(detail, /"bird" of root 1, "skills\/bird" of root 1/);
  }
});

Deno.test("settle: one name in two roots refuses both, with both roots", async () => {
  await using tree = await makeTree({
    "one/bird/SKILL.md": skillMd("bird"),
    "two/bird/SKILL.md": skillMd("bird"),
    "two/cat/SKILL.md": skillMd("cat"),
  });
  const roots = [tree.path("one"), tree.path("two")];
  const found = await scanAll(roots);
  assert.deepEqual(names(found), ["cat"]);
  assert.deepEqual(found.problems.map(({ root }) => root), roots);
  assert.match(found.problems[0]!.detail, /of root 1, "bird" of root 2/);
  // That this serves the other root's: filter_test.ts.
  assert.match(found.problems[0]!.hint, /--skill-dir takes ignore/);
});

Deno.test("settle: names equal but for case are one name", async () => {
  await using tree = await makeTree({
    "one/Bird/SKILL.md": skillMd("Bird"),
    "two/bIrD/SKILL.md": skillMd("bIrD"),
    "three/BIRD/SKILL.md": skillMd("BIRD"),
  });
  const found = await scanAll(
    ["one", "two", "three"].map((name) => tree.path(name)),
  );
  assert.deepEqual(names(found), []);
  assert.deepEqual(reasons(found), [
    "duplicate-name Bird",
    "duplicate-name bIrD",
    "duplicate-name BIRD",
  ]);
});

Deno.test("settle: a later root's name below an earlier root's skill is refused", async () => {
  await using tree = await makeTree({
    "one/Acme/SKILL.md": skillMd("Acme"),
    "two/acme/pay/SKILL.md": skillMd("pay"),
    "two/acme-x/SKILL.md": skillMd("acme-x"),
    "three/ACME/Ship/SKILL.md": skillMd("Ship"),
  });
  const found = await scanAll(
    ["one", "two", "three"].map((name) => tree.path(name)),
  );
  assert.deepEqual(names(found), ["Acme", "acme-x"]);
  assert.deepEqual(reasons(found), [
    "inside-other-skill acme/pay",
    "inside-other-skill ACME/Ship",
  ]);
  for (const { reason, detail } of found.problems) {
    if (reason !== "left-out") assert.match(detail, /"Acme" of root 1/);
  }
});

Deno.test("settle: a later root's directory below an earlier root's skill is refused", async () => {
  await using tree = await makeTree({
    "one/SKILL.md": skillMd("one"),
    "one/vendor/x/SKILL.md": skillMd("x"),
  });
  const found = await scanAll([tree.path("one"), tree.path("one/vendor")]);
  assert.deepEqual(names(found), ["one"]);
  assert.equal(only(found, "inside-other-skill").path, "x");
});

Deno.test("settle: an earlier root's name below a later root's skill is served", async () => {
  await using tree = await makeTree({
    "one/acme/pay/SKILL.md": skillMd("pay"),
    "two/acme/SKILL.md": skillMd("acme"),
  });
  const found = await scanAll([tree.path("one"), tree.path("two")]);
  assert.deepEqual(names(found), ["acme", "acme/pay"]);
});

Deno.test("settle: a root given twice is read once", async () => {
  await using tree = await makeTree({
    "r/a/SKILL.md": skillMd("a"),
    "again": { link: "r" },
  });
  const found = await scanAll([tree.path("r"), tree.path("again")]);
  assert.deepEqual(names(found), ["a"]);
  assert.deepEqual(reasons(found), ["root-overlap ."]);
});

Deno.test("settle: a directory in two roots is served once, from the earlier one", async () => {
  await using tree = await makeTree({
    "acme/pay/SKILL.md": skillMd("pay"),
    "acme/ship/SKILL.md": skillMd("ship"),
  });
  const inner = await scanAll([tree.path("acme"), tree.root]);
  assert.deepEqual(names(inner), ["pay", "ship"]);
  assert.match(
    only(inner, "root-overlap").detail,
    /^2 skills.*root 1.*acme\/pay is pay/,
  );
  const outer = await scanAll([tree.root, tree.path("acme")]);
  assert.deepEqual(names(outer), ["acme/pay", "acme/ship"]);
  only(outer, "root-overlap");
});

Deno.test("noteLookalikes: skills that share only a last segment are served with a note", async () => {
  await using tree = await makeTree({
    "a/review/SKILL.md": skillMd("review"),
    "b/Review/SKILL.md": skillMd("Review"),
    "c/other/SKILL.md": skillMd("other"),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), ["a/review", "b/Review", "c/other"]);
  const note = only(found, "shared-last-segment");
  assert.equal(note.severity, "note");
  assert.match(note.detail, /a\/review, b\/Review/);
});

Deno.test("name-mismatch: a frontmatter name that claims a neighbour is reported and names nothing", async () => {
  await using tree = await makeTree({
    "aaa/SKILL.md": skillMd("bird"),
    "bird/SKILL.md": skillMd("bird"),
    "acme/pay/SKILL.md": skillMd("acme/pay"),
    "nameless/SKILL.md": "---\ndescription: d\n---\n",
    "odd/SKILL.md": skillMd('"\\e[31m ../x"'),
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(names(found), [
    "aaa",
    "acme/pay",
    "bird",
    "nameless",
    "odd",
  ]);
  assert.deepEqual(reasons(found), [
    "name-mismatch aaa/SKILL.md",
    "name-mismatch odd/SKILL.md",
  ]);
  const [first, second] = found.problems.filter(({ reason }) =>
    reason === "name-mismatch"
  );
  assert.equal(first!.skill, "aaa");
  assert.match(second!.detail, /\\u\{1b\}\[31m/);
});
