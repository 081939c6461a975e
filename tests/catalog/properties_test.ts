import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { openInSkill } from "../../src/catalog/bundle_file.ts";
import type { Snapshot } from "../../src/catalog/types.ts";
import { foldName, SEGMENT } from "../../src/skill/names.ts";
import { checkPath } from "../../src/skill/paths.ts";
import { type Entry, makeTree } from "../support/tree.ts";
import { scanAll, skillMd } from "./support.ts";

const segment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "A", "skills", "x.txt") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ".h",
      "node_modules",
      "b c",
      "p%2eq",
      "ü",
      "back\\slash",
      "SKILL.md",
      "skill.md",
      ".gitignore",
    ),
  },
);
const path = fc.array(segment, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));
const skillPath = fc.oneof(
  path,
  fc.constantFrom("a", "A", "b", "skills/a", "skills/b", "a/b"),
).map((each) => `${each}/SKILL.md`);
const content = fc.constantFrom(
  skillMd("a"),
  "no frontmatter",
  "---\nname: [\n---\n",
  "",
  "a/\n*.txt\n!x.txt\n",
);
const target = fc.oneof(
  path,
  fc.constantFrom("..", "../..", "/etc/passwd", ".", "../a", "../../../.."),
);
const entry: fc.Arbitrary<[string, Entry]> = fc.oneof(
  fc.tuple(skillPath, content),
  fc.tuple(path, content),
  fc.tuple(path, target.map((link) => ({ link }))),
);
/** Half of the entries lie in one skill, so that its list is long. */
const placed = fc.tuple(fc.boolean(), entry).map((
  [inside, [at, what]],
): [string, Entry] => [inside ? `a/${at}` : at, what]);
const trees = fc.array(placed, { maxLength: 20 })
  .map((entries): [string, Entry][] => [
    ...entries,
    ["a/SKILL.md", skillMd("a")],
  ]);

/** Lays the entries that fit: a later one never replaces an earlier one. */
async function layOut(entries: readonly [string, Entry][]) {
  const tree = await makeTree();
  for (const [at, what] of entries) {
    try {
      const parent = await Deno.realPath(tree.path(dirname(at)))
        .catch(() => tree.root);
      // Nothing is written through a link that leaves the tree.
      if (!parent.startsWith(tree.root)) continue;
      await Deno.lstat(tree.path(at)).then(
        () => {},
        () => tree.write({ [at]: what }),
      );
    } catch {
      // A file stands where a directory is needed: this entry is left out.
    }
  }
  return tree;
}

function forAllTrees(
  check: (snapshot: Snapshot, root: string) => Promise<void>,
  runs = 60,
): Promise<void> {
  return fc.assert(
    fc.asyncProperty(trees, async (entries) => {
      await using tree = await layOut(entries);
      await check(await scanAll([tree.root]), tree.root);
    }),
    { numRuns: runs },
  );
}

Deno.test("property: every listed path passes the path rule and opens with its size", async () => {
  await forAllTrees(async (snapshot) => {
    for (const skill of snapshot.skills.values()) {
      for (const { path, size } of skill.files) {
        assert.ok(checkPath(path).ok, path);
        const opened = await openInSkill(skill, path);
        if (!opened.ok) assert.fail(`${skill.name} ${path}`);
        assert.equal(opened.value.size, size);
        await opened.value[Symbol.asyncDispose]();
      }
      const listed = skill.files.map((file) => file.path);
      assert.deepEqual(listed, [...new Set(listed)].sort());
    }
  });
});

Deno.test("property: every served name is made of segments and unique under case folding", async () => {
  await forAllTrees((snapshot, root) => {
    const folded = [...snapshot.skills.keys()].map(foldName);
    assert.equal(new Set(folded).size, folded.length);
    for (const [name, skill] of snapshot.skills) {
      assert.equal(skill.name, name);
      assert.ok(name.split("/").every((part) => SEGMENT.test(part)));
      assert.ok(skill.dir.startsWith(root) && skill.skillFile.startsWith(root));
    }
    for (const [alias, name] of snapshot.aliases) {
      assert.ok(snapshot.skills.has(name));
      assert.ok(!snapshot.skills.has(alias));
    }
    return Promise.resolve();
  });
});

Deno.test("property: no directory that holds SKILL.md is dropped without a word", async () => {
  await forAllTrees(async (snapshot, root) => {
    const served = new Set([...snapshot.skills.values()].map(({ dir }) => dir));
    const aliased = new Set(snapshot.aliases.keys());
    const told = snapshot.problems.map(({ path }) => path);
    const single = served.has(root);
    for await (const found of skillFolders(root, "")) {
      const dir = join(root, found);
      if (served.has(dir)) continue;
      const spoken = told.some((path) =>
        path === (found === "" ? "." : found) ||
        path.toLowerCase() ===
          `${found}/skill.md`.replace(/^\//, "").toLowerCase() ||
        found.startsWith(`${path}/`)
      );
      const behindHidden = /(^|\/)(\.h|node_modules)(\/|$)/.test(found);
      const isAlias = aliased.has(found) ||
        aliased.has(found.replace(/^skills\//, ""));
      assert.ok(
        single || spoken || behindHidden || isAlias ||
          isCut(root, snapshot, found),
        `${found} of ${JSON.stringify(snapshot.problems)}`,
      );
    }
  });
});

/** Whether a rule file or a refused root accounts for the silence. */
function isCut(root: string, snapshot: Snapshot, found: string): boolean {
  if (snapshot.problems.some(({ path }) => /^skill\.md$/i.test(path))) {
    return true;
  }
  const parts = found.split("/");
  return parts.some((_, index) => {
    try {
      return Deno.lstatSync(
        join(root, ...parts.slice(0, index), ".gitignore"),
      ).isFile;
    } catch {
      return false;
    }
  });
}

async function* skillFolders(
  root: string,
  rel: string,
): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(join(root, rel))) {
    const path = rel === "" ? entry.name : `${rel}/${entry.name}`;
    if (entry.name === "SKILL.md") yield rel;
    if (entry.isDirectory && entry.name !== "SKILL.md") {
      yield* skillFolders(root, path);
    }
  }
}

Deno.test("property: what is on disk does not depend on the order it was written in", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(skillPath, fc.constant(skillMd("a"))), {
        selector: ([path]) => path,
        maxLength: 8,
      }),
      async (entries) => {
        await using one = await layOut(
          entries.filter(([p]) => !/SKILL\.md\/|skill\.md\/|x\.txt\//.test(p)),
        );
        await using two = await layOut(
          entries.filter(([p]) => !/SKILL\.md\/|skill\.md\/|x\.txt\//.test(p))
            .toReversed(),
        );
        const [first, second] = await Promise.all([
          scanAll([one.root]),
          scanAll([two.root]),
        ]);
        // When and where on the disk a file was written is not part of it.
        const stamps = ["modifiedMs", "changedMs", "createdMs", "ino"];
        const plain = (snapshot: Snapshot, root: string) =>
          JSON.stringify(
            [
              [...snapshot.skills.values()],
              [...snapshot.aliases],
              snapshot.problems,
            ],
            (key, value) => stamps.includes(key) ? undefined : value,
          ).replaceAll(root, "").replace(/skillfence-test-\w+/g, "");
        assert.equal(plain(first, one.root), plain(second, two.root));
      },
    ),
    { numRuns: 25 },
  );
});
