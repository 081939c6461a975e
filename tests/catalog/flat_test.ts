import assert from "node:assert/strict";
import { openInSkill } from "../../src/catalog/bundle_file.ts";
import { Catalog } from "../../src/catalog/catalog.ts";
import { diffSnapshots } from "../../src/catalog/diff.ts";
import { type ScanOptions, scanRoots } from "../../src/catalog/scan.ts";
import type { Snapshot } from "../../src/catalog/types.ts";
import { EMPTY_DECLARATION } from "../../src/skill/declaration.ts";
import { makeTree } from "../support/tree.ts";
import {
  names,
  only,
  paths,
  plain,
  reasons,
  scanOne,
  settledDisk,
  skill,
  skillMd,
} from "./support.ts";

/** Scans roots whose markdown files are skills. */
function scanFlat(
  roots: readonly string[],
  options: ScanOptions = {},
): Promise<Snapshot> {
  return scanRoots(
    plain(...roots).map((root) => ({ ...root, flat: true })),
    options,
  );
}

const NOTES = "---\ntriggers: [notes]\n---\nKeep notes.\n";

Deno.test("flat: markdown files outside skills are skills, named by their paths", async () => {
  await using tree = await makeTree({
    "style.md": "# Style\n",
    "nested/deep/notes.md": NOTES,
    "skills/dropped.md": NOTES,
    "README.md": "no",
    "nested/README.md": "no",
    "nested/Readme.md": NOTES,
    "nested/plain.txt": "no",
    ".hidden.md": "no",
    "node_modules/x/y.md": "no",
    "real/SKILL.md": skillMd("real"),
    "real/references/more.md": "of the skill",
    "real/beside.md": "of the skill",
  });
  const found = await scanFlat([tree.root]);
  assert.deepEqual(names(found), [
    "dropped",
    "nested/Readme",
    "nested/deep/notes",
    "real",
    "style",
  ]);
  const style = skill(found, "style");
  assert.deepEqual(
    [style.flat, style.hidden, style.activation, style.body],
    [true, "always-on", { kind: "always" }, "# Style\n"],
  );
  assert.deepEqual(paths(found, "style"), ["style.md"]);
  assert.equal(style.skillFile, tree.path("style.md"));
  assert.equal(style.workspace, undefined);
  const notes = skill(found, "nested/deep/notes");
  assert.deepEqual([notes.flat, notes.hidden], [true, undefined]);
  assert.equal(notes.activation.kind, "keyword");
  assert.equal(skill(found, "real").flat, false);
  assert.deepEqual(reasons(found), []);
});

Deno.test("flat: a root that does not say so serves no single files", async () => {
  await using tree = await makeTree({
    "style.md": "# Style\n",
    "real/SKILL.md": skillMd("real"),
  });
  assert.deepEqual(names(await scanOne(tree.root)), ["real"]);
});

Deno.test("flat: nothing beside the file is read through it", async () => {
  await using tree = await makeTree({
    "style.md": "---\nreferences: [other.txt, ../x]\n---\n",
    "other.txt": "secret",
    "notes.md": NOTES,
    "sub/deep.txt": "secret",
  });
  const found = await scanFlat([tree.root]);
  const style = skill(found, "style");
  {
    const opened = await openInSkill(style, "style.md");
    assert.ok(opened.ok);
    await using file = opened.value;
    assert.equal(file.size, 38);
  }
  for (
    const path of [
      "other.txt",
      "notes.md",
      "sub/deep.txt",
      "SKILL.md",
      ".",
      "../x",
    ]
  ) {
    const opened = await openInSkill(style, path);
    assert.equal(opened.ok, false, path);
  }
  assert.deepEqual(style.references, []);
  assert.match(only(found, "reference-refused").detail, /single file/);
});

Deno.test("flat: it declares nothing and is left out of the extension, with one note a root", async () => {
  await using tree = await makeTree({
    "a.md":
      "---\nname: a\ndescription: A.\nmcp-host:\n  version: 1\n  run:\n    - script: x.js\n      interpreter: deno\n---\n",
    "b.md": "# b",
    "x.js": "",
  });
  const found = await scanFlat([tree.root]);
  assert.equal(skill(found, "a").declaration, EMPTY_DECLARATION);
  assert.match(only(found, "declaration").detail, /single file/);
  assert.match(skill(found, "a").leftOut ?? "", /single file/);
  assert.match(skill(found, "b").leftOut ?? "", /single file/);
  assert.match(only(found, "left-out").detail, /2 single files/);
});

Deno.test("flat: a name that a file and a directory share is served from neither", async () => {
  await using tree = await makeTree({
    "x.md": "# x",
    "x/SKILL.md": skillMd("x"),
    "Y.md": "# y",
    "y.md": "# y",
    "z.md": "# z",
  });
  const found = await scanFlat([tree.root]);
  assert.deepEqual(names(found), ["z"]);
  const doubled = found.problems.filter(({ reason }) =>
    reason === "duplicate-name"
  );
  assert.deepEqual(
    doubled.map(({ path }) => path),
    [
      "Y.md",
      "x.md",
      "x",
      "y.md",
    ].sort(),
  );
  assert.match(doubled[0]!.detail, /^2 places have this name/);
});

Deno.test("flat: names that cannot be served are told, and hide no neighbours", async () => {
  await using tree = await makeTree({
    "my notes.md": "x",
    "ok.md": "x",
    "workspace.md": "x",
    "workspace/in.md": "x",
  });
  const found = await scanFlat([tree.root]);
  assert.deepEqual(names(found), ["ok", "workspace"]);
  assert.deepEqual(reasons(found), [
    "unusable-name my notes.md",
    "reserved-name workspace/in.md",
  ]);
});

Deno.test("flat: ignore files and the root's globs leave files out", async () => {
  await using tree = await makeTree({
    ".gitignore": "drafts/\n*.tmp.md\n",
    "a.md": "a",
    "b.tmp.md": "b",
    "drafts/c.md": "c",
    "old/d.md": "d",
  });
  const found = await scanRoots([{
    path: tree.root,
    include: [],
    ignore: ["old/*"],
    watch: true,
    flat: true,
  }]);
  assert.deepEqual(names(found), ["a"]);
});

Deno.test("flat: links out are told and not followed, links inside are other names", async () => {
  await using outside = await makeTree({ "secret.md": "# secret" });
  await using tree = await makeTree({
    "out.md": { link: outside.path("secret.md") },
    "real.md": "# real",
    "other.md": { link: "real.md" },
    "group/one.md": "# one",
    "linked": { link: "group" },
    "broken.md": { link: "nowhere.md" },
  });
  const found = await scanFlat([tree.root]);
  assert.deepEqual(names(found), ["group/one", "real"]);
  assert.deepEqual([...found.aliases], [
    ["linked/one", "group/one"],
    ["other", "real"],
  ]);
  assert.deepEqual(reasons(found), [
    "symlink-escape broken.md",
    "symlink-escape out.md",
  ]);
});

Deno.test("flat: beside a SKILL.md that is refused nothing is a skill", async () => {
  await using outside = await makeTree({ "SKILL.md": skillMd("x") });
  await using tree = await makeTree({
    "bad/SKILL.md": { link: outside.path("SKILL.md") },
    "bad/notes.md": "of the skill",
    "bad/references/more.md": "of the skill",
    "single.md": "# one",
  });
  assert.deepEqual(names(await scanFlat([tree.root])), ["single"]);
});

Deno.test("flat: a root that is itself a skill has no flat files", async () => {
  await using tree = await makeTree({
    "root/SKILL.md": skillMd("root"),
    "root/notes.md": "of the skill",
  });
  const found = await scanFlat([tree.path("root")]);
  assert.deepEqual(names(found), ["root"]);
});

Deno.test("flat: 10 MB are cut where a SKILL.md is, and what is not UTF-8 is told", async () => {
  await using tree = await makeTree({
    "big.md": new Uint8Array(10 * 1024 * 1024).fill(0x61),
    "odd.md": new Uint8Array([0x23, 0x20, 0xff, 0x0a]),
    "open.md": "---\ntriggers: [a]\n",
  });
  const found = await scanFlat([tree.root]);
  const big = skill(found, "big");
  assert.deepEqual([big.truncated, big.body.length], [true, 256 * 1024]);
  assert.equal(big.files[0]!.size, 10 * 1024 * 1024);
  assert.match(only(found, "skill-md-limit").detail, /^the file is longer/);
  assert.equal(skill(found, "odd").body, "# \ufffd\n");
  assert.equal(only(found, "bad-utf8").skill, "odd");
  assert.equal(skill(found, "open").hidden, undefined);
  assert.equal(only(found, "malformed-frontmatter").skill, "open");
});

Deno.test("flat: a skill of the frontmatter is hidden as it says", async () => {
  await using tree = await makeTree({
    "rule.md": "---\npaths: ['*.ts']\n---\n",
    "kept.md": "---\ntriggers: [a]\ndisable-model-invocation: true\n---\n",
    "dir/SKILL.md": skillMd("dir", "disable_model_invocation: true"),
  });
  const found = await scanFlat([tree.root]);
  assert.deepEqual(
    [...found.skills.values()].map(({ name, hidden }) => [name, hidden]),
    [
      ["dir", "disable-model-invocation"],
      ["kept", "disable-model-invocation"],
      ["rule", "path-rule"],
    ],
  );
});

Deno.test("flat: 10,000 files are served, and of a rescan with hints only what moved is looked at", async () => {
  const files: Record<string, string> = {};
  for (let i = 0; i < 10_000; i++) files[`n/f${i}.md`] = `# ${i}\n`;
  await using tree = await makeTree(files);
  const { fs, asked } = settledDisk();
  const catalog = new Catalog({
    roots: plain(tree.root).map((root) => ({ ...root, flat: true })),
    fs,
  });
  const before = await catalog.snapshot();
  assert.equal(before.skills.size, 10_000);
  assert.deepEqual(before.problems.map(({ reason }) => reason), ["left-out"]);
  await tree.write({ "n/f7.md": "# other\n" });
  asked.length = 0;
  const after = await catalog.rescan({ hints: [tree.path("n/f7.md")] });
  assert.equal(skill(after, "n/f7").body, "# other\n");
  assert.deepEqual(
    asked.filter((each) => !each.startsWith("list ")),
    [`look ${tree.path("n/f7.md")}`, `read ${tree.path("n/f7.md")}`],
  );
  assert.equal(skill(after, "n/f8"), skill(before, "n/f8"));
  assert.deepEqual(diffSnapshots(before, after).changed, [{
    name: "n/f7",
    skillFile: true,
    added: [],
    removed: [],
    changed: [],
  }]);
  asked.length = 0;
  await catalog.rescan();
  assert.deepEqual(asked.filter((each) => each.startsWith("read ")), []);
  const few = await scanFlat([tree.root], { limits: { skills: 100 } });
  assert.equal(few.skills.size, 100);
  only(few, "skill-limit");
});

Deno.test("flat: a rescan with hints finds files that come, go and turn into directories", async () => {
  await using tree = await makeTree({ "a.md": "# a", "d/b.md": "# b" });
  const catalog = new Catalog({
    roots: plain(tree.root).map((root) => ({ ...root, flat: true })),
    fs: settledDisk().fs,
  });
  await catalog.snapshot();
  await tree.write({ "d/c.md": "# c" });
  await Deno.remove(tree.path("a.md"));
  await tree.write({ "a/SKILL.md": skillMd("a") });
  await Deno.remove(tree.path("d/b.md"));
  const after = await catalog.rescan({
    hints: ["a.md", "a", "d/b.md", "d/c.md"].map((path) => tree.path(path)),
  });
  assert.deepEqual(names(after), ["a", "d/c"]);
  assert.equal(skill(after, "a").flat, false);
});
