/** Edits of many kinds against the whole engine, watched by the system. */

import assert from "node:assert/strict";
import { createEngine } from "../../src/server/engine.ts";
import type { Changes } from "../../src/watch/types.ts";
import { setup } from "../support/config.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const skill = (name: string, body = "Body."): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}\n`;

/** A watched engine over `skills` in the tree, settled. */
async function live(tree: Tree, flags: Record<string, unknown> = {}) {
  const { config } = setup({
    flags: { skills: [tree.path("skills")], ...flags },
  });
  const engine = createEngine(config);
  const seen: Changes[] = [];
  engine.live.onChange((changes) => seen.push(changes));
  engine.live.start();
  await engine.live.ready();
  return {
    engine,
    seen,
    /** What the next change is, and that it is the only one. */
    async after(edit: () => void | Promise<void>): Promise<Changes> {
      seen.length = 0;
      await edit();
      await until(() => seen.length > 0);
      await engine.live.ready();
      return seen[0]!;
    },
    [Symbol.dispose]: () => engine.runner.closeSync(),
  };
}

const changed = (changes: Changes): string[] =>
  changes.changed.flatMap(({ name, skillFile, added, removed, changed }) => [
    ...(skillFile ? [`${name}/SKILL.md`] : []),
    ...[...added, ...removed, ...changed].map((path) => `${name}/${path}`),
  ]);

Deno.test("Live: the first scan announces nothing, and a swap file neither", async () => {
  await using tree = await makeTree({
    "skills/a/SKILL.md": skill("a"),
    "skills/a/x.md": "x",
  });
  using it = await live(tree);
  assert.deepEqual(it.seen, []);
  await tree.write({
    "skills/a/.x.md.swp": "x",
    "skills/a/4913": "",
    "skills/a/node_modules/m/index.js": "x",
  });
  await Deno.remove(tree.path("skills/a/4913"));
  const changes = await it.after(() => tree.write({ "skills/a/x.md": "xx" }));
  assert.deepEqual(changed(changes), ["a/x.md"]);
  assert.equal(it.seen.length, 1);
});

Deno.test("Live: an atomic save, an edit in place and two of the same length are each a change", async () => {
  await using tree = await makeTree({
    "skills/a/SKILL.md": skill("a"),
    "skills/a/x.md": "0",
  });
  using it = await live(tree);
  const saved = await it.after(async () => {
    await tree.write({ "skills/a/.x.tmp": "1" });
    await Deno.rename(
      tree.path("skills/a/.x.tmp"),
      tree.path("skills/a/x.md"),
    );
  });
  assert.deepEqual(changed(saved), ["a/x.md"]);
  for (const text of ["2", "3"]) {
    const edit = await it.after(() => tree.write({ "skills/a/x.md": text }));
    assert.deepEqual(changed(edit), ["a/x.md"]);
  }
});

Deno.test("Live: rm -rf of a skill and of the root, and both made again", async () => {
  await using tree = await makeTree({
    "skills/a/SKILL.md": skill("a"),
    "skills/a/deep/x.md": "x",
    "skills/b/SKILL.md": skill("b"),
  });
  using it = await live(tree);
  const rm = (path: string) => () =>
    Deno.remove(tree.path(path), { recursive: true });
  const make = (name: string) => () =>
    tree.write({
      [`skills/${name}/SKILL.md`]: skill(name),
      [`skills/${name}/deep/x.md`]: "x",
    });
  assert.deepEqual((await it.after(rm("skills/a"))).removed, ["a"]);
  assert.deepEqual((await it.after(make("a"))).added, ["a"]);
  await edits(it, tree);
  assert.deepEqual((await it.after(rm("skills"))).removed, ["a", "b"]);
  await until(() => it.engine.live.states()[0]!.state === "degraded");
  assert.deepEqual((await it.after(make("a"))).added, ["a"]);
  await until(() => it.engine.live.states()[0]!.state === "watching");
  await edits(it, tree);
});

/** A nested file made anew is heard of again. */
async function edits(
  it: Awaited<ReturnType<typeof live>>,
  tree: Tree,
): Promise<void> {
  await it.engine.live.ready();
  const changes = await it.after(() =>
    tree.write({ "skills/a/deep/x.md": crypto.randomUUID() })
  );
  assert.deepEqual(changed(changes), ["a/deep/x.md"]);
}

Deno.test("Live: a checkout that replaces directories, and a root that is swapped for another", async () => {
  await using tree = await makeTree({
    "skills/a/SKILL.md": skill("a"),
    "skills/a/deep/x.md": "x",
    "other/a/SKILL.md": skill("a", "Other."),
    "other/a/deep/x.md": "other",
    "other/c/SKILL.md": skill("c"),
  });
  using it = await live(tree);
  const replaced = await it.after(async () => {
    await tree.write({
      "new/SKILL.md": skill("a", "New."),
      "new/deep/x.md": "n",
    });
    await Deno.rename(tree.path("skills/a"), tree.path("old"));
    await Deno.rename(tree.path("new"), tree.path("skills/a"));
  });
  assert.deepEqual(changed(replaced), ["a/SKILL.md", "a/deep/x.md"]);
  await edits(it, tree);
  const swapped = await it.after(async () => {
    await Deno.rename(tree.path("skills"), tree.path("before"));
    await Deno.rename(tree.path("other"), tree.path("skills"));
  });
  assert.deepEqual(swapped.added, ["c"]);
  await until(() => it.engine.live.states()[0]!.state === "watching");
  await edits(it, tree);
});

Deno.test("Live: a link to the root that is pointed elsewhere", async () => {
  await using tree = await makeTree({
    "one/a/SKILL.md": skill("a"),
    "two/b/SKILL.md": skill("b"),
    "two/a/SKILL.md": skill("a"),
    "skills": { link: "one" },
  });
  using it = await live(tree);
  const pointed = await it.after(async () => {
    await Deno.symlink("two", tree.path("next"));
    await Deno.rename(tree.path("next"), tree.path("skills"));
  });
  assert.deepEqual(pointed.added, ["b"]);
  await edits(it, tree);
  const edit = await it.after(() =>
    tree.write({ "two/b/SKILL.md": skill("b", "New.") })
  );
  assert.deepEqual(changed(edit), ["b/SKILL.md"]);
});

Deno.test("Live: a change of an ignore file hides and shows skills", async () => {
  await using tree = await makeTree({
    "skills/a/SKILL.md": skill("a"),
    "skills/drafts/b/SKILL.md": skill("b"),
  });
  using it = await live(tree);
  assert.deepEqual(
    (await it.after(() => tree.write({ "skills/.gitignore": "drafts/\n" })))
      .removed,
    ["drafts/b"],
  );
  assert.deepEqual(
    (await it.after(() => Deno.remove(tree.path("skills/.gitignore")))).added,
    ["drafts/b"],
  );
  const edit = await it.after(() =>
    tree.write({ "skills/drafts/b/SKILL.md": skill("b", "New.") })
  );
  assert.deepEqual(changed(edit), ["drafts/b/SKILL.md"]);
});

Deno.test("Live: --poll finds what no event tells, in a root that is not watched", async () => {
  await using tree = await makeTree({ "skills/a/SKILL.md": skill("a") });
  const { config } = setup({ root: tree.path("skills") });
  const engine = createEngine({
    ...config,
    roots: config.roots.map((root) => ({ ...root, watch: false })),
    pollMs: 50,
  });
  const seen: Changes[] = [];
  engine.live.onChange((changes) => seen.push(changes));
  engine.live.start();
  await engine.live.ready();
  assert.equal(engine.live.states()[0]!.state, "off");
  await tree.write({ "skills/b/SKILL.md": skill("b") });
  await until(() => seen.some(({ added }) => added.includes("b")));
  engine.runner.closeSync();
});
