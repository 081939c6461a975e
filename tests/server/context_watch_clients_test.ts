/** Edits of context files reach clients that asked nothing since. */

import assert from "node:assert/strict";
import {
  connect,
  type Json,
  type Line,
  LINES,
  processTest,
} from "../support/clients.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const URI = "skillfence://context";
const FILES = {
  "skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\nA.\n",
  "work/AGENTS.md": "First.\n",
  "work/api/AGENTS.md": "Nested first.\n",
  "work/src/a.ts": "",
};

/** A client that subscribed to the context, once everything is watched. */
async function subscribed(line: Line, tree: Tree, root = "skills") {
  const client = await connect(line, {
    args: ["--skills", tree.path(root), "--workspace", tree.path("work")],
  });
  const { sdk } = client;
  const told: string[] = [];
  sdk.fallbackNotificationHandler = ({ method, params }: Json) => {
    if (method === "notifications/resources/updated") told.push(params.uri);
    return Promise.resolve();
  };
  if (line === "v2") await sdk.listen({ resourceSubscriptions: [URI] });
  else await sdk.subscribeResource({ uri: URI });
  /** A reload waits for everything that began before it. */
  const settle = async () => {
    await client.call("skill_list", { reload: true });
    await client.call("skill_list", { reload: true });
    told.length = 0;
  };
  await settle();
  return {
    settle,
    read: async () =>
      (await sdk.readResource({ uri: URI })).contents[0].text as string,
    /** Until it is told, with no request in between. */
    heard: async (edit: () => Promise<void>) => {
      told.length = 0;
      await edit();
      await until(() => told.length > 0);
      assert.deepEqual([...new Set(told)], [URI]);
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

for (const line of LINES) {
  Deno.test({
    name:
      `skillfence://context (${line}): edits of context files, and new ones in the workspace, are told while no one asks`,
    ...processTest,
    async fn() {
      await using tree = await makeTree(FILES);
      await using it = await subscribed(line, tree);
      assert.match(await it.read(), /First\.[^]*Nested first\./);
      await it.settle();

      await it.heard(() => tree.write({ "work/AGENTS.md": "Second.\n" }));
      assert.match(await it.read(), /Second\./);
      await it.heard(() =>
        tree.write({ "work/api/AGENTS.md": "Nested second.\n" })
      );
      assert.match(await it.read(), /Nested second\./);
      // As editors save: another file takes the place of the one.
      await it.heard(async () => {
        await tree.write({ "work/api/.tmp": "Nested third.\n" });
        await Deno.rename(
          tree.path("work/api/.tmp"),
          tree.path("work/api/AGENTS.md"),
        );
      });
      await it.heard(() => tree.write({ "work/CLAUDE.md": "New.\n" }));
      assert.match(await it.read(), /New\./);
      await it.heard(() => Deno.remove(tree.path("work/CLAUDE.md")));
      assert.doesNotMatch(await it.read(), /New\./);
    },
  });
}

Deno.test({
  name:
    "skillfence://context: whoever subscribed hears of an edit before anybody read it",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    await using it = await subscribed("v1", tree);
    await it.heard(() => tree.write({ "work/AGENTS.md": "Second.\n" }));
    assert.match(await it.read(), /Second\./);
  },
});

Deno.test({
  name:
    "skillfence://context: edits are told where no directory of skills is there, and of a workspace that comes back",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    await using it = await subscribed("v1", tree, "none");
    await it.read();
    await it.settle();
    await it.heard(() => tree.write({ "work/AGENTS.md": "Second.\n" }));
    await it.heard(() => Deno.rename(tree.path("work"), tree.path("aside")));
    await it.heard(() => Deno.rename(tree.path("aside"), tree.path("work")));
    assert.match(await it.read(), /Second\./);
  },
});
