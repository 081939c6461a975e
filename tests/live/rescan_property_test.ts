/** Whatever is done to a tree: what a rescan says is what a fresh scan says. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import * as z from "zod";
import { scanRoots } from "../../src/catalog/scan.ts";
import type { Snapshot } from "../../src/catalog/types.ts";
import { createEngine } from "../../src/server/engine.ts";
import { changesBetween } from "../../src/server/live_changes.ts";
import {
  connect,
  type Json,
  LINES,
  processTest,
  type TestClient,
} from "../support/clients.ts";
import { setup } from "../support/config.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";
import { clear, histories, leadsOut, make } from "./edits.ts";

const PROMPTS = { prompts: new Map(), problems: [] };

/** An engine over one directory, and what a scan without memory finds. */
function engineOver(root: string) {
  const { config } = setup({ flags: { skills: [root] } });
  const engine = createEngine(config);
  return {
    engine,
    fresh: () =>
      scanRoots(config.roots, { limits: { skills: config.maxSkills } }),
    [Symbol.dispose]: () => engine.runner.closeSync(),
  };
}

function between(before: Snapshot, after: Snapshot) {
  return changesBetween({ skills: before, prompts: PROMPTS }, {
    skills: after,
    prompts: PROMPTS,
  });
}

Deno.test("property: after any edits a rescan finds and tells what two fresh scans differ in", async () => {
  await using tree = await makeTree();
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      await clear(tree.root);
      const [first, ...rest] = history;
      await make(tree.root, first!);
      using it = engineOver(tree.root);
      let before = await it.fresh();
      assert.deepEqual(await it.engine.catalog.snapshot(), before);
      for (const edits of rest) {
        await make(tree.root, edits);
        const told = await it.engine.live.reload();
        const after = await it.fresh();
        assert.deepEqual(await it.engine.catalog.snapshot(), after);
        assert.deepEqual(told, between(before, after));
        before = after;
      }
    }),
    { numRuns: 150 },
  );
});

Deno.test("property: after any edits the watched catalogue becomes what a fresh scan finds", async () => {
  await using tree = await makeTree();
  // Deno tells no event of a new link that leads out of what is watched. Such a
  // link is never followed: only the problem that says so comes later.
  const told = histories.map((history) =>
    history.map((edits) => edits.filter((each) => !leadsOut(each)))
  );
  await fc.assert(
    fc.asyncProperty(told, async (history) => {
      await clear(tree.root);
      const [first, ...rest] = history;
      await make(tree.root, first!);
      using it = engineOver(tree.root);
      const moved = new Set<string>();
      it.engine.live.onChange(({ added, removed, changed }) => {
        for (const name of [...added, ...removed]) moved.add(name);
        for (const { name } of changed) moved.add(name);
      });
      it.engine.live.start();
      await it.engine.live.ready();
      let before = await it.fresh();
      for (const edits of rest) {
        moved.clear();
        await make(tree.root, edits);
        const after = await it.fresh();
        await until(async () =>
          same(await it.engine.catalog.snapshot(), after)
        );
        const { added, removed, changed } = between(before, after);
        const wanted = [
          ...added,
          ...removed,
          ...changed.map(({ name }) => name),
        ];
        assert.deepEqual(wanted.filter((name) => !moved.has(name)), []);
        before = after;
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
});

function same(one: Snapshot, other: Snapshot): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

Deno.test({
  name:
    "property: after any edits every listed address reads, and digests equal the bytes read",
  ...processTest,
  async fn() {
    await using tree = await makeTree();
    await using clients = new AsyncDisposableStack();
    const args = ["--skills", tree.root];
    const all: TestClient[] = [];
    for (const line of LINES) {
      all.push(clients.use(await connect(line, { args })));
    }
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        await clear(tree.root);
        const client = all[turn++ % all.length]!;
        for (const edits of history) {
          await make(tree.root, edits);
          await client.call("skill_list", { reload: true });
          await readsAll(client);
        }
        assert.deepEqual(client.errors, []);
      }),
      { numRuns: 45 },
    );
  },
});

async function readsAll(client: TestClient): Promise<void> {
  const digests = new Map<string, { digest: string; size: number }>();
  for (
    const { uri, resources } of await pages(client, "skills/list", "skills")
  ) {
    assert.ok(resources.some((each: Json) => each.uri === uri), uri);
    for (const file of resources) {
      const known = digests.get(file.uri);
      if (known !== undefined) assert.deepEqual(file, known);
      digests.set(file.uri, file);
    }
  }
  for (const [uri, { digest, size }] of digests) {
    const bytes = await bytesAt(client, uri);
    assert.equal(bytes.length, size, uri);
    const hex = createHash("sha256").update(bytes).digest("hex");
    assert.equal(`sha256:${hex}`, digest, uri);
  }
  for (const { uri } of await pages(client, "resources/list", "resources")) {
    await bytesAt(client, uri);
  }
}

async function pages(
  client: TestClient,
  method: string,
  key: string,
): Promise<Json[]> {
  const items: Json[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.sdk.request(
      { method, params: cursor === undefined ? {} : { cursor } },
      z.looseObject({}),
    );
    items.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

async function bytesAt(client: TestClient, uri: string): Promise<Uint8Array> {
  // As a request of its own: the SDK's word for it answers from its memory.
  const { contents: [content] } = await client.sdk.request(
    { method: "resources/read", params: { uri } },
    z.looseObject({}),
  );
  assert.equal(content.uri, uri);
  return content.blob === undefined
    ? new TextEncoder().encode(content.text)
    : Uint8Array.from(atob(content.blob), (unit) => unit.charCodeAt(0));
}
