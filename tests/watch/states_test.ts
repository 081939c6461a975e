/** How well a real server watches, as its clients and `doctor` tell it. */

import assert from "node:assert/strict";
import { skillfence } from "../cli/command.ts";
import {
  connect,
  type Json,
  processTest,
  serveCommand,
  type TestClient,
} from "../support/clients.ts";
import { needs } from "../support/kernel.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const skill = (name: string, about: string): string =>
  `---\nname: ${name}\ndescription: ${about}\n---\nBody.\n`;

/** Two roots that are there, one that is missing, and one not to be watched. */
const flags = (tree: Tree): string[] => [
  ...["one", "two", "late"].flatMap((name) => ["--skills", tree.path(name)]),
  "--skill-dir",
  JSON.stringify({ dir: tree.path("still"), watch: false }),
];

const FILES = {
  "one/a/SKILL.md": skill("a", "first"),
  "two/b/SKILL.md": skill("b", "first"),
  "still/s/SKILL.md": skill("s", "first"),
};

/** Name -> description of what is served now; no look is asked for. */
async function served(client: TestClient): Promise<Map<string, string>> {
  const { structured } = await client.call("skill_list");
  return new Map(
    structured.skills.map(({ name, description }: Json) => [name, description]),
  );
}

async function watch(client: TestClient): Promise<Json[]> {
  return (await client.call("skill_list")).structured.watch;
}

Deno.test({
  name:
    "watching: skill_list and doctor say of every root whether it is watched, degraded or off",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    await using client = await connect("v2", { args: flags(tree) });
    await until(async () => (await watch(client))[0].state === "watching");
    const expected = [
      { root: 1, state: "watching" },
      { root: 2, state: "watching" },
      {
        root: 3,
        state: "degraded",
        reason:
          "the directory does not exist; the server looks for it every second",
      },
      { root: 4, state: "off" },
    ];
    assert.deepEqual(await watch(client), expected);
    const { stdout } = await skillfence(["doctor", "--json", ...flags(tree)]);
    assert.deepEqual(
      JSON.parse(stdout).watch.map(({ path: _, ...rest }: Json) => rest),
      expected,
    );
  },
});

Deno.test({
  name:
    "watching: an edit in any root is served by itself, and a root that is missing, deleted and made anew comes back",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    await using client = await connect("v1", { args: flags(tree) });
    await until(async () => (await watch(client))[1].state === "watching");
    for (const [root, name] of [["one", "a"], ["two", "b"]] as const) {
      await tree.write({ [`${root}/${name}/SKILL.md`]: skill(name, "second") });
      await until(async () => (await served(client)).get(name) === "second");
    }
    for (let turn = 0; turn < 2; turn++) {
      await tree.write({ "late/l/SKILL.md": skill("l", `turn ${turn}`) });
      await until(async () => (await served(client)).has("l"));
      await until(async () => (await watch(client))[2].state === "watching");
      await tree.write({ "late/l/SKILL.md": skill("l", `again ${turn}`) });
      await until(async () =>
        (await served(client)).get("l") === `again ${turn}`
      );
      await Deno.remove(tree.path("late"), { recursive: true });
      await until(async () => !(await served(client)).has("l"));
      await until(async () => (await watch(client))[2].state === "degraded");
    }
  },
});

Deno.test({
  name: "watching: with --poll a root that is not watched is looked at too",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    // Alone: other roots would have everything looked at now and then.
    const dir = JSON.stringify({ dir: tree.path("still"), watch: false });
    await using client = await connect("v2", {
      args: ["--skill-dir", dir, "--poll", "1"],
    });
    assert.deepEqual(await watch(client), [{ root: 1, state: "off" }]);
    assert.equal((await served(client)).get("s"), "first");
    await tree.write({ "still/s/SKILL.md": skill("s", "second") });
    await until(async () => (await served(client)).get("s") === "second");
  },
});

// The limit of a user namespace of its own: the machine's is left alone.
Deno.test({
  name:
    "watching: a server that gets no more watches says so with the remedy, and finds on reload what moved",
  ...needs("userns"),
  ...processTest,
  async fn() {
    const files: Record<string, string> = {};
    for (let n = 0; n < 60; n++) {
      files[`s/k${n}/SKILL.md`] = skill(`k${n}`, "first");
    }
    await using tree = await makeTree(files);
    const { command, args } = serveCommand(["--skills", tree.path("s")]);
    await using client = await connect("v2", {
      command: {
        command: "unshare",
        args: [
          ...["-Ur", "sh", "-c"],
          'echo 20 > /proc/sys/user/max_inotify_watches && exec "$@"',
          ...["sh", command, ...args],
        ],
      },
    });
    const state = await until(async () => {
      const [row] = await watch(client);
      return row.state === "degraded" && row;
    });
    assert.match(state.reason, /fs\.inotify\.max_user_watches.*--poll/);
    assert.ok(!JSON.stringify(state).includes(tree.root));
    for (let n = 0; n < 60; n++) {
      await tree.write({ [`s/k${n}/SKILL.md`]: skill(`k${n}`, "second") });
    }
    await client.call("skill_list", { reload: true });
    const { structured } = await client.call("skill_list", { query: "k59" });
    assert.equal(structured.skills[0].description, "second");
  },
});
