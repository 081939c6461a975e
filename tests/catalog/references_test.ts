import assert from "node:assert/strict";
import { copiesIn } from "../../src/catalog/copies.ts";
import { resolveDeclared } from "../../src/catalog/reference_path.ts";
import { diskFs } from "../../src/catalog/scan_fs.ts";
import type { Snapshot } from "../../src/catalog/types.ts";
import { makeTree } from "../support/tree.ts";
import { only, reasons, scanAll, scanOne, skill, skillMd } from "./support.ts";

function citing(name: string, ...declared: string[]): string {
  return skillMd(name, `references: ${JSON.stringify(declared)}`);
}

/** `id copy` of each row, or `- name` for one that is not found. */
function rows(snapshot: Snapshot, name: string): string[] {
  return skill(snapshot, name).references.map((row) =>
    row.status === "found"
      ? `${row.file.id} ${row.copy ?? "-"}`
      : `not-found ${row.name}`
  );
}

/** Details of the problems of one skill with a reason. */
function told(snapshot: Snapshot, reason: string): string[] {
  return snapshot.problems.filter((each) => each.reason === reason)
    .map(({ detail }) => detail);
}

Deno.test("resolveDeclared: by its text alone, below the root or refused", () => {
  for (
    const [declared, skillRel, rel, copy] of [
      ["../references/a.md", "git", "references/a.md", "references/a.md"],
      ["../references/b/a.md", "git", "references/b/a.md", "references/b/a.md"],
      [
        "../../references/a.md",
        "acme/pay",
        "references/a.md",
        "references/a.md",
      ],
      [
        "../references/a.md",
        "acme/pay",
        "acme/references/a.md",
        "references/a.md",
      ],
      [
        ".././references/x/../a.md",
        "git",
        "references/a.md",
        "references/a.md",
      ],
      ["a.md", "git", "git/a.md", undefined],
      ["../git/a.md", "git", "git/a.md", undefined],
      ["../gitx/a.md", "git", "gitx/a.md", "gitx/a.md"],
      ["a.md", "", "a.md", undefined],
      ["../100%.md", "git", "100%.md", "100%.md"],
    ] as const
  ) assert.deepEqual(resolveDeclared(declared, skillRel), { rel, copy });
  for (
    const [declared, why] of [
      ["/etc/passwd", /absolute/],
      ["../../etc/passwd", /out of the root/],
      ["x/../../../y", /out of the root/],
      ["..\\a.md", /backslash/],
      ["../%2e%2e/a.md", /percent/],
      ["../a\0.md", /NUL/],
      ["../a//b.md", /empty segment/],
      ["file:///etc/passwd", /empty segment/],
      ["../a/", /./],
      ["..", /no file/],
      ["", /./],
      ["../ /a", /blank/],
      [`../${"a".repeat(2000)}`, /longer/],
    ] as const
  ) {
    const found = resolveDeclared(declared, "git");
    assert.match("why" in found ? found.why : "accepted", why, declared);
  }
});

Deno.test("references: rows stand in declared order, with a copy below the shared root", async () => {
  await using tree = await makeTree({
    "git/SKILL.md": citing(
      "git",
      "../references/scm/style.md",
      "../references/gone.md",
      "../shared.txt",
    ),
    "acme/pay/SKILL.md": citing("pay", "../../references/scm/style.md"),
    "references/scm/style.md":
      "---\nname: Commit style\nowner: ops\n---\n# Style\n",
    "shared.txt": "plain",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(rows(found, "git"), [
    "1:references/scm/style.md references/scm/style.md",
    "not-found gone",
    "1:shared.txt shared.txt",
  ]);
  assert.deepEqual([...found.shared.keys()].sort(), [
    "1:references/scm/style.md",
    "1:shared.txt",
  ]);
  const style = found.shared.get("1:references/scm/style.md")!;
  assert.equal(style.name, "Commit style");
  assert.deepEqual(style.metadata, { name: "Commit style", owner: "ops" });
  assert.deepEqual(style.citedBy, ["acme/pay", "git"]);
  assert.equal(style.realPath, tree.path("references/scm/style.md"));
  assert.equal(style.size, (await Deno.lstat(style.realPath)).size);
  assert.equal(typeof style.modifiedMs, "number");
  const plain = found.shared.get("1:shared.txt")!;
  assert.equal(plain.name, "shared");
  assert.equal(plain.metadata, undefined);
  assert.match(told(found, "reference-missing").join(), /gone\.md.*not there/);
  const [row] = skill(found, "acme/pay").references;
  assert.ok(row?.status === "found" && row.file === style);
});

Deno.test("references: whatever could show another file is refused, in its place, without a path of the machine", async () => {
  await using tree = await makeTree({
    "outside.md": "secret",
    "root/git/SKILL.md": citing(
      "git",
      "../../outside.md",
      "/etc/passwd",
      "../link.md",
      "../dirlink/passwd",
      "../.hidden/a.md",
      "../node_modules/a.md",
      "../ignored.md",
      "../tohidden.md",
      "../other/notes.md",
      "../other/nested/deep/notes.md",
      "../folder",
      "../binary.md",
      "../large.md",
      "../fine.md",
    ),
    "root/.gitignore": "ignored.md\n",
    "root/link.md": { link: "../outside.md" },
    "root/dirlink": { link: "/etc" },
    "root/.hidden/a.md": "x",
    "root/tohidden.md": { link: ".hidden/a.md" },
    "root/node_modules/a.md": "x",
    "root/ignored.md": "x",
    "root/other/SKILL.md": skillMd("other"),
    "root/other/notes.md": "x",
    "root/other/nested/deep/notes.md": "x",
    "root/folder/a.md": "x",
    "root/binary.md": new Uint8Array([0xff, 0xfe, 0x00]),
    "root/large.md": new Uint8Array(1024 * 1024 + 1).fill(0x61),
    "root/fine.md": new Uint8Array(1024 * 1024).fill(0x61),
  });
  const found = await scanOne(tree.path("root"));
  const all = rows(found, "git");
  assert.deepEqual(all.slice(0, 3), [
    "not-found outside",
    "not-found passwd",
    "not-found link",
  ]);
  assert.equal(all.filter((row) => row.startsWith("not-found")).length, 13);
  assert.equal(all[13], "1:fine.md fine.md");
  assert.deepEqual([...found.shared.keys()], ["1:fine.md"]);
  const refusals = told(found, "reference-refused");
  assert.equal(refusals.length, 13);
  for (
    const [declared, why] of [
      ["../../outside.md", /out of the root/],
      ["/etc/passwd", /absolute/],
      ["../link.md", /link that leads out/],
      ["../dirlink/passwd", /link that leads out/],
      ["../.hidden/a.md", /leading dot/],
      ["../node_modules/a.md", /node_modules/],
      ["../ignored.md", /\.gitignore:1/],
      ["../tohidden.md", /leading dot/],
      ["../other/notes.md", /another skill/],
      ["../other/nested/deep/notes.md", /another skill/],
      ["../folder", /not a regular file/],
      ["../binary.md", /not UTF-8/],
      ["../large.md", /larger than 1,024 KiB/],
    ] as const
  ) {
    const said = refusals.find((each) => each.includes(`"${declared}"`));
    assert.match(said ?? "", why, declared);
    assert.ok(!said?.includes(tree.root), said);
  }
});

Deno.test("references: nothing outside the root is even looked at for a declaration", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": citing("a", "../../../../etc/passwd", "/etc/passwd", "../b"),
    "b": "x",
  });
  const disk = diskFs();
  const asked: string[] = [];
  const noting = <T>(call: (path: string) => T) => (path: string) => {
    asked.push(path);
    return call(path);
  };
  await scanOne(tree.root, {
    fs: {
      ...disk,
      realPath: noting(disk.realPath),
      lstat: noting(disk.lstat),
      stat: noting(disk.stat),
    },
  });
  assert.ok(asked.includes(tree.path("b")));
  assert.deepEqual(asked.filter((path) => !path.startsWith(tree.root)), []);
});

Deno.test("references: a link inside the root is followed, counts as its target and brings no copy", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": citing("a", "../link.md", "../real/x.md"),
    "b/SKILL.md": citing("b", "../linked/x.md"),
    "real/x.md": "x",
    "link.md": { link: "real/x.md" },
    "linked": { link: "real" },
  });
  const found = await scanOne(tree.root);
  // The second declaration of a is the same file again.
  assert.deepEqual(rows(found, "a"), ["1:real/x.md -"]);
  assert.deepEqual(rows(found, "b"), ["1:real/x.md -"]);
  assert.equal(told(found, "reference-no-copy").length, 2);
  assert.match(only(found, "reference-redundant").detail, /declared twice/);
});

Deno.test("references: a file of the skill itself is found, has no copy and needs no declaration", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": citing("a", "references/x.md", "../a/inner/y.md", ".env"),
    "a/references/x.md": "x",
    "a/.env": "x",
    "a/inner/SKILL.md": citing("inner", "../references/x.md"),
    "a/inner/y.md": "x",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(rows(found, "a"), [
    "1:a/references/x.md -",
    "1:a/inner/y.md -",
    "not-found .env",
  ]);
  assert.equal(told(found, "reference-redundant").length, 2);
  // The outer skill's file is not the nested one's to show.
  assert.deepEqual(rows(found, "a/inner"), ["not-found x"]);
});

Deno.test("references: what is no list of texts is left out and told, and their number is bounded", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a", "references: ../x.md"),
    "b/SKILL.md": skillMd("b", "references: [1, ../x.md, {a: b}]"),
    "c/SKILL.md": skillMd("c", "references:"),
    "d/SKILL.md": citing(
      "d",
      ...Array.from({ length: 129 }, (_, i) => `../${i}.md`),
    ),
    "x.md": "x",
  });
  const found = await scanOne(tree.root);
  assert.deepEqual(rows(found, "a"), []);
  assert.deepEqual(rows(found, "b"), ["1:x.md x.md"]);
  assert.deepEqual(rows(found, "c"), []);
  assert.equal(rows(found, "d").length, 128);
  const types = told(found, "frontmatter-type");
  assert.equal(types.length, 3);
  assert.match(types.join(), /not a list/);
  assert.match(only(found, "reference-limit").detail, /more than 128/);
});

Deno.test("references: a shared file's broken frontmatter is told and the file served", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": citing("a", "../x.md", "../y.md", "../z.md"),
    "x.md": "---\na: b: c\n---\n",
    "y.md": "---\nname: 5\n---\n",
    "z.md": "---\nnever closed\n",
  });
  const found = await scanOne(tree.root);
  assert.equal(found.shared.get("1:x.md")?.metadata, undefined);
  assert.equal(found.shared.get("1:y.md")?.name, "y");
  assert.equal(found.shared.get("1:z.md")?.metadata, undefined);
  const { path, severity } = only(found, "malformed-frontmatter");
  assert.deepEqual([path, severity], ["x.md", "warning"]);
});

Deno.test("references: ids carry the root's number and never cross roots", async () => {
  await using tree = await makeTree({
    "one/a/SKILL.md": citing("a", "../x.md", "../../two/x.md"),
    "one/x.md": "x",
    "two/b/SKILL.md": citing("b", "../x.md"),
    "two/x.md": "x",
  });
  const found = await scanAll([tree.path("one"), tree.path("two")]);
  assert.deepEqual(rows(found, "a"), ["1:x.md x.md", "not-found x"]);
  assert.deepEqual(rows(found, "b"), ["2:x.md x.md"]);
  assert.deepEqual([...found.shared.keys()], ["1:x.md", "2:x.md"]);
});

Deno.test("copiesIn: a nested skill's copies are the outer one's too, unless it is left out", async () => {
  await using tree = await makeTree({
    "out/SKILL.md": citing(
      "out",
      "../references/o.md",
      "../in/references/z.md",
    ),
    "out/in/SKILL.md": citing("in", "../../references/i.md"),
    "out/odd/SKILL.md": citing("other", "../../references/i.md"),
    "references/o.md": "o",
    "references/i.md": "i",
    "in/references/z.md": "z",
  });
  const found = await scanOne(tree.root);
  const paths = (name: string) =>
    copiesIn(found).get(name)?.map(({ path, file }) => `${path} ${file.id}`);
  assert.deepEqual(paths("out"), [
    "in/references/i.md 1:references/i.md",
    "references/o.md 1:references/o.md",
  ]);
  assert.deepEqual(paths("out/in"), ["references/i.md 1:references/i.md"]);
  assert.equal(paths("out/odd"), undefined);
  assert.match(only(found, "reference-no-copy").detail, /nested skill/);
});

Deno.test("left-out: copies of nested skills count for the outer one", async () => {
  await using tree = await makeTree({
    "out/SKILL.md": skillMd("out"),
    ...Object.fromEntries(
      Array.from({ length: 509 }, (_, i) => [`out/f${i}`, ""]),
    ),
    "out/in/SKILL.md": citing("in", "../../a.md", "../../b.md"),
    "a.md": "a",
    "b.md": "b",
  });
  const found = await scanOne(tree.root);
  assert.match(skill(found, "out").leftOut ?? "", /513 files/);
  assert.equal(skill(found, "out/in").leftOut, undefined);
  assert.deepEqual(reasons(found), []);
});

Deno.test("references: a file swapped for a link while it is read is not served", async () => {
  await using tree = await makeTree({
    "outside.md": "---\nname: secret\n---\n",
    "root/a/SKILL.md": citing("a", "../x.md"),
    "root/x.md": "x",
  });
  const disk = diskFs();
  const shared = tree.path("root/x.md");
  const found = await scanOne(tree.path("root"), {
    fs: {
      ...disk,
      readStart(path, cap) {
        if (path !== shared) return disk.readStart(path, cap);
        Deno.removeSync(shared);
        Deno.symlinkSync(tree.path("outside.md"), shared);
        return disk.readStart(tree.path("outside.md"), cap);
      },
    },
  });
  assert.deepEqual(rows(found, "a"), ["not-found x"]);
  assert.equal(found.shared.size, 0);
});
