import assert from "node:assert/strict";
import { dirname } from "node:path";
import fc from "fast-check";
import { Catalog } from "../../src/catalog/catalog.ts";
import { diffSnapshots } from "../../src/catalog/diff.ts";
import { Hints } from "../../src/catalog/hints.ts";
import { scanRoots } from "../../src/catalog/scan.ts";
import { diskFs } from "../../src/catalog/scan_fs.ts";
import type { Snapshot } from "../../src/catalog/types.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { foldName } from "../../src/skill/names.ts";
import { names, plain, settledDisk, skill, skillMd } from "./support.ts";

async function family() {
  return await makeTree({
    "a/SKILL.md": skillMd("a", "references: [../refs/r.md]"),
    "a/x.txt": "x",
    "a/in/SKILL.md": skillMd("in"),
    "b/SKILL.md": skillMd("b"),
    "b/deep/y.txt": "y",
    "acme/c/SKILL.md": skillMd("c"),
    "refs/r.md": "r",
    "loose/notes.txt": "",
  });
}

Deno.test("Hints.touches: what is hinted, what lies in it, and what lies around it", () => {
  const root = {
    path: "/cfg/skills",
    realPath: "/real/skills",
    workspace: undefined,
  };
  const hints = new Hints(
    ["/real/skills/a/b/x.txt", "/cfg/skills/c", "/elsewhere/d"],
    root,
  );
  for (const rel of ["", "a", "a/b", "a/b/x.txt", "c", "c/d/e"]) {
    assert.equal(hints.touches(rel), true, rel);
  }
  for (const rel of ["ab", "a/bc", "a/c", "d", "cc", "b"]) {
    assert.equal(hints.touches(rel), false, rel);
  }
  assert.equal(new Hints(["/real/skills"], root).touches("z"), true);
  assert.equal(new Hints(["/cfg"], root).touches("z"), true);
  assert.equal(new Hints([], root).touches("z"), false);
  // Where case and normal form do not count, they do not count here either.
  const folded = new Hints(["/cfg/skills/\u00c9a/x"], root, foldName);
  assert.equal(folded.touches("e\u0301A"), true);
});

Deno.test("Catalog.rescan: with hints only what they touch is listed, looked at and read again", async () => {
  await using tree = await family();
  const { fs, asked } = settledDisk();
  const catalog = new Catalog({ roots: plain(tree.root), fs });
  const before = await catalog.snapshot();
  await tree.write({ "b/deep/y.txt": "longer" });
  asked.length = 0;
  const after = await catalog.rescan({ hints: [tree.path("b/deep/y.txt")] });
  const below = asked.map((each) => each.replace(tree.root, ""));
  assert.deepEqual(below, [
    "list ",
    "list /b",
    "look /b/SKILL.md",
    "list /b/deep",
    "look /b/deep/y.txt",
    "look /refs/r.md",
  ]);
  assert.deepEqual(diffSnapshots(before, after).changed, [{
    name: "b",
    skillFile: false,
    added: [],
    removed: [],
    changed: ["deep/y.txt"],
  }]);
  // What did not move is the very same value.
  for (const name of ["a", "a/in", "acme/c"]) {
    assert.equal(skill(after, name), skill(before, name), name);
  }
  assert.equal(
    after.shared.get("1:refs/r.md"),
    before.shared.get("1:refs/r.md"),
  );
});

Deno.test("Catalog.rescan: the root's own ignore file does not keep skills from being recalled, a change of it does", async () => {
  await using tree = await family();
  await tree.write({ ".gitignore": "*.log\n" });
  const { fs, asked } = settledDisk();
  const catalog = new Catalog({ roots: plain(tree.root), fs });
  await catalog.snapshot();
  asked.length = 0;
  await catalog.rescan({ hints: [tree.path("b/deep/y.txt")] });
  assert.ok(!asked.includes(`list ${tree.path("a")}`));
  await tree.write({ ".gitignore": "x.txt\n" });
  const after = await catalog.rescan({ hints: [tree.path(".gitignore")] });
  assert.ok(!skill(after, "a").files.some(({ path }) => path === "x.txt"));
});

Deno.test("Catalog.rescan: without hints everything is looked at, and only what moved is read", async () => {
  await using tree = await family();
  const { fs, asked } = settledDisk();
  const catalog = new Catalog({ roots: plain(tree.root), fs });
  await catalog.snapshot();
  await tree.write({ "b/SKILL.md": skillMd("b", "x: 1") });
  asked.length = 0;
  const after = await catalog.rescan();
  const done = (what: string) =>
    asked.filter((each) => each.startsWith(`${what} `))
      .map((each) => each.slice(what.length + 1 + tree.root.length));
  assert.deepEqual(done("read"), ["/b/SKILL.md"]);
  assert.ok(done("look").includes("/a/x.txt"));
  assert.equal(done("list").length, 9);
  assert.equal(skill(after, "b").frontmatter?.["x"], 1);
});

Deno.test("Catalog.rescan: a document read right after its file changed is read again", async () => {
  await using tree = await family();
  const disk = diskFs();
  const reads: string[] = [];
  const catalog = new Catalog({
    roots: plain(tree.root),
    fs: {
      ...disk,
      readStart: (path, cap) => (reads.push(path), disk.readStart(path, cap)),
    },
  });
  await tree.write({ "b/SKILL.md": skillMd("b", "x: 2") });
  await catalog.snapshot();
  reads.length = 0;
  await catalog.rescan({ hints: [] });
  assert.ok(reads.includes(tree.path("b/SKILL.md")));
});

Deno.test("Catalog.rescan: a shared file that moved changes its citers without their being walked", async () => {
  await using tree = await family();
  const { fs, asked } = settledDisk();
  const catalog = new Catalog({ roots: plain(tree.root), fs });
  const before = await catalog.snapshot();
  await tree.write({ "refs/r.md": "---\nname: New\n---\n" });
  asked.length = 0;
  const after = await catalog.rescan({ hints: [tree.path("refs/r.md")] });
  assert.ok(!asked.includes(`list ${tree.path("a")}`));
  const [row] = skill(after, "a").references;
  assert.equal(row?.status === "found" && row.file.name, "New");
  assert.deepEqual(diffSnapshots(before, after).references, ["1:refs/r.md"]);
  await Deno.remove(tree.path("refs/r.md"));
  const gone = await catalog.rescan({ hints: [tree.path("refs/r.md")] });
  assert.equal(skill(gone, "a").references[0]?.status, "not-found");
  assert.ok(gone.problems.some(({ reason }) => reason === "reference-missing"));
});

Deno.test("Catalog.rescan: another directory in the root's place is looked at as a whole", async () => {
  await using tree = await makeTree({
    "root/a/SKILL.md": skillMd("a"),
    "new/b/SKILL.md": skillMd("b"),
    "new/a/SKILL.md": skillMd("a", "x: 1"),
  });
  const { fs } = settledDisk();
  const catalog = new Catalog({ roots: plain(tree.path("root")), fs });
  await catalog.snapshot();
  await Deno.rename(tree.path("root"), tree.path("old"));
  await Deno.rename(tree.path("new"), tree.path("root"));
  const after = await catalog.rescan({ hints: [] });
  assert.deepEqual(names(after), ["a", "b"]);
  assert.equal(skill(after, "a").frontmatter?.["x"], 1);
});

Deno.test("Catalog.rescan: hints given during a scan count for the one that follows", async () => {
  await using tree = await family();
  const { fs } = settledDisk();
  const catalog = new Catalog({ roots: plain(tree.root), fs });
  await catalog.snapshot();
  const running = catalog.rescan({ hints: [] });
  // The scan has begun to read by the next turn.
  await Promise.resolve();
  await Promise.resolve();
  await tree.write({ "a/x.txt": "moved", "b/deep/y.txt": "moved" });
  const [, one, two] = await Promise.all([
    running,
    catalog.rescan({ hints: [tree.path("a/x.txt")] }),
    catalog.rescan({ hints: [tree.path("b/deep/y.txt")] }),
  ]);
  assert.equal(one, two);
  const size = (name: string, path: string) =>
    skill(one, name).files.find((file) => file.path === path)?.size;
  assert.deepEqual([size("a", "x.txt"), size("b", "deep/y.txt")], [5, 5]);
});

const PLACES = [
  "a/SKILL.md",
  "a/x.txt",
  "a/b/SKILL.md",
  "a/b/y.txt",
  "a/.gitignore",
  "a/link",
  "c/SKILL.md",
  "c/d/e/SKILL.md",
  "skills/SKILL.md",
  "skills/f/SKILL.md",
  "refs/r.md",
  ".gitignore",
  "SKILL.md",
  // Single files, where a root takes them.
  "a.md",
  "c/f.md",
  "skills.md",
];
const TEXTS = [
  skillMd("a", "references: [../refs/r.md, ../../refs/r.md]"),
  skillMd("b"),
  skillMd("c"),
  "x.txt\nb\n",
  "c/\n!c/d\n",
  "no frontmatter",
];
const FOLDERS = ["a", "a/b", "c", "c/d", "refs", "skills", "skills/f"];
const edit = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      at: fc.constantFrom(...PLACES),
      text: fc.constantFrom(...TEXTS),
    }),
  },
  fc.record({ gone: fc.constantFrom(...FOLDERS, ...PLACES) }),
  fc.record({
    from: fc.constantFrom(...FOLDERS),
    to: fc.constantFrom(...FOLDERS),
  }),
  fc.record({
    link: fc.constantFrom("a/link", "c/link", "g", "g.md"),
    to: fc.constantFrom("../a", "x.txt", "a/b", "SKILL.md", "../..", "a.md"),
  }),
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** Makes an edit if it can be made; the paths that a watcher would tell. */
async function apply(tree: Tree, each: Edit): Promise<string[]> {
  try {
    if ("gone" in each) {
      await Deno.remove(tree.path(each.gone), { recursive: true });
      return [tree.path(each.gone)];
    }
    if ("from" in each) {
      await Deno.rename(tree.path(each.from), tree.path(each.to));
      return [tree.path(each.from), tree.path(each.to)];
    }
    const at = "link" in each ? each.link : each.at;
    const made: string[] = [];
    for (let dir = dirname(at); dir !== "."; dir = dirname(dir)) made.push(dir);
    await Deno.mkdir(tree.path(dirname(at)), { recursive: true });
    if ("link" in each) await Deno.symlink(each.to, tree.path(at));
    else await Deno.writeTextFile(tree.path(at), each.text);
    return [at, ...made].map((path) => tree.path(path));
  } catch {
    // It does not fit what is there; perhaps a directory was made for it.
    return "at" in each ? [tree.path(dirname(each.at))] : [tree.root];
  }
}

/** Everything a reader of the snapshot could see. */
function seen(snapshot: Snapshot): unknown {
  return [
    snapshot.roots,
    [...snapshot.skills],
    [...snapshot.aliases],
    snapshot.problems,
    [...snapshot.shared],
  ];
}

Deno.test("property: a rescan with the hints of random edits is what a fresh scan finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(edit, { maxLength: 4 }), { maxLength: 4 }),
      fc.boolean(),
      async (rounds, flat) => {
        await using tree = await makeTree({
          "a/SKILL.md": TEXTS[0]!,
          "a/b/SKILL.md": TEXTS[1]!,
          "c/SKILL.md": TEXTS[2]!,
          "c/d/e/SKILL.md": TEXTS[2]!,
          "refs/r.md": "r",
          "c/f.md": TEXTS[2]!,
        });
        const { fs } = settledDisk();
        const roots = plain(tree.root).map((root) => ({ ...root, flat }));
        const catalog = new Catalog({ roots, fs });
        await catalog.snapshot();
        for (const edits of rounds) {
          const hints: string[] = [];
          for (const each of edits) hints.push(...await apply(tree, each));
          const again = await catalog.rescan({ hints });
          const fresh = await scanRoots(roots, { fs });
          assert.deepEqual(seen(again), seen(fresh));
        }
      },
    ),
    { numRuns: 250 },
  );
});
