/** Edits of single files and in workspaces, watched by the system. */

import assert from "node:assert/strict";
import { createEngine, type Surroundings } from "../../src/server/engine.ts";
import type { Changes } from "../../src/watch/types.ts";
import type { Flags } from "../../src/config/flags.ts";
import { setup } from "../support/config.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";
import { jsonDirectory } from "../../src/config/json_directory.ts";
import { readConfig } from "../../src/config/read_config.ts";

const NOTE = "---\ntriggers: [note]\n---\nKeep notes.\n";

/** A watched engine, settled. */
async function live(flags: Flags, surroundings: Surroundings = {}) {
  const { config } = flags.skills === undefined
    ? setup({ flags })
    : readConfig({
      env: {},
      flags,
      cwd: "/",
      bundledSkills: "/no-such-root",
      jsonDirectory,
    });
  const engine = createEngine(config, surroundings);
  const seen: Changes[] = [];
  engine.live.onChange((changes) => seen.push(changes));
  engine.live.start();
  await engine.live.ready();
  return {
    engine,
    seen,
    names: async () => [...(await engine.catalog.snapshot()).skills.keys()],
    [Symbol.dispose]: () => engine.runner.closeSync(),
  };
}

/** The next change, once it is there. */
async function next(
  seen: Changes[],
  edit: () => Promise<void>,
): Promise<Changes> {
  seen.length = 0;
  await edit();
  await until(() => seen.length > 0);
  return seen[0]!;
}

Deno.test("Live: flat files that come, change and go are each a change", async () => {
  await using tree = await makeTree({ "flat/d/a.md": NOTE });
  using it = await live({
    skills: [{ json: JSON.stringify({ dir: tree.path("flat"), flat: true }) }],
  });
  assert.deepEqual(await it.names(), ["d/a"]);
  const added = await next(
    it.seen,
    () => tree.write({ "flat/b.md": NOTE, "flat/d/other.txt": "" }),
  );
  assert.deepEqual([added.added, added.changed], [["b"], []]);
  const changed = await next(
    it.seen,
    () => tree.write({ "flat/d/a.md": `${NOTE}More.\n` }),
  );
  assert.deepEqual(
    changed.changed.map(({ name, skillFile, changed }) => [
      name,
      skillFile,
      changed,
    ]),
    [["d/a", true, []]],
  );
  const removed = await next(
    it.seen,
    () => Deno.remove(tree.path("flat/b.md")),
  );
  assert.deepEqual(removed.removed, ["b"]);
});

Deno.test("Live: folders of a workspace are noticed when they appear, and watched", async () => {
  await using tree = await makeTree({ "w/src/a.ts": "" });
  using it = await live({ workspaces: [tree.path("w")] });
  assert.deepEqual(await it.names(), []);
  const paths = () =>
    it.engine.live.states().filter(({ path }) => path.startsWith(tree.root));
  assert.deepEqual(paths(), []);
  const added = await next(
    it.seen,
    () => tree.write({ "w/.agents/skills/a.md": NOTE }),
  );
  assert.deepEqual(added.added, ["workspace/a"]);
  await until(() => paths().length === 1);
  assert.deepEqual(paths()[0], {
    path: tree.path("w/.agents/skills"),
    root: undefined,
    folder: ".agents/skills",
    state: "watching",
  });
  const changed = await next(
    it.seen,
    () => tree.write({ "w/.agents/skills/a.md": `${NOTE}More.\n` }),
  );
  assert.deepEqual(changed.changed.map(({ name }) => name), ["workspace/a"]);
  const more = await next(
    it.seen,
    () => tree.write({ "w/.openhands/skills/deep/b.md": NOTE }),
  );
  assert.deepEqual(more.added, ["workspace/deep/b"]);
  const gone = await next(
    it.seen,
    () => Deno.remove(tree.path("w/.agents"), { recursive: true }),
  );
  assert.deepEqual(gone.removed, ["workspace/a"]);
});

Deno.test("Live: a folder that becomes a link out serves nothing, and what it led to is not watched", async () => {
  await using tree = await makeTree({
    "w/.agents/skills/a.md": NOTE,
    "out/secret.md": NOTE,
  });
  using it = await live({ workspaces: [tree.path("w")] });
  assert.deepEqual(await it.names(), ["workspace/a"]);
  const gone = await next(it.seen, async () => {
    await Deno.rename(
      tree.path("w/.agents/skills"),
      tree.path("w/.agents/old"),
    );
    await Deno.symlink(tree.path("out"), tree.path("w/.agents/skills"));
  });
  assert.deepEqual(gone.removed, ["workspace/a"]);
  const { problems } = await it.engine.catalog.snapshot();
  assert.ok(problems.some(({ reason }) => reason === "symlink-escape"));
  assert.deepEqual(
    it.engine.live.states().filter(({ path }) => path.startsWith(tree.root)),
    [],
  );
});

Deno.test("Live: other roots of the client are looked into, watched and announced", async () => {
  await using tree = await makeTree({
    "w/.agents/skills/a.md": NOTE,
    "v/.agents/skills/b.md": NOTE,
  });
  let workspaces = [tree.path("w")];
  using it = await live({}, { workspaces: () => Promise.resolve(workspaces) });
  assert.deepEqual(await it.names(), ["workspace/a"]);
  const moved = await next(it.seen, async () => {
    workspaces = [tree.path("v")];
    await it.engine.live.reload();
  });
  assert.deepEqual([moved.added, moved.removed], [
    ["workspace/b"],
    ["workspace/a"],
  ]);
  await it.engine.live.ready();
  const later = await next(
    it.seen,
    () => tree.write({ "v/.agents/skills/c.md": NOTE }),
  );
  assert.deepEqual(later.added, ["workspace/c"]);
});

Deno.test("Engine.context.workspaces: real paths, each once, of the owner's before the client's", async () => {
  await using tree = await makeTree({
    "w": { dir: true },
    "link": { link: "w" },
    "v": { dir: true },
  });
  const client = { workspaces: () => Promise.resolve([tree.path("v")]) };
  using own = await live({
    workspaces: [tree.path("link"), tree.path("w"), tree.path("gone")],
  }, client);
  assert.deepEqual(await own.engine.context.workspaces(), [tree.path("w")]);
  using clients = await live({}, client);
  assert.deepEqual(await clients.engine.context.workspaces(), [tree.path("v")]);
});
