/** The client's own roots: as they are learned, and with real clients. */

import { deepEqual, equal, ok } from "node:assert/strict";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { ClientRoots, ROOTS_MS } from "../../src/server/client_roots.ts";
import {
  connect,
  type Json,
  LINES,
  processTest,
  type TestClient,
} from "../support/clients.ts";
import { RawServer } from "../support/raw_server.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const INITIALIZE = {
  method: "initialize",
  params: { capabilities: { roots: {} } },
};

/** Roots over a clock that a test turns, where all is a directory but `/file`. */
function roots() {
  const timers: (() => void)[] = [];
  let changes = 0;
  const it = new ClientRoots(() => changes++, {
    isDirectory: (path) => Promise.resolve(path !== "/file"),
    after: (ms, run) => {
      equal(ms, ROOTS_MS);
      timers.push(run);
    },
  });
  return {
    it,
    timers,
    changes: () => changes,
    answer: (...uris: string[]) =>
      it.ask(() => Promise.resolve({ roots: uris.map((uri) => ({ uri })) })),
  };
}

Deno.test("ClientRoots: a client that names none is not waited for", async () => {
  for (const params of [{}, undefined, { capabilities: { roots: null } }]) {
    const { it, timers } = roots();
    it.hear({ method: "initialize", params });
    it.hear({ method: "tools/list", params: INITIALIZE.params });
    deepEqual(await it.current(), []);
    equal(timers.length, 0);
  }
});

Deno.test("ClientRoots: the answer is waited for, and not longer than the bound", async () => {
  const { it, timers, answer, changes } = roots();
  it.hear(INITIALIZE);
  let got: readonly string[] | undefined;
  const waiting = it.current().then((paths) => got = paths);
  equal(got, undefined);
  await answer("file:///w", "file:///w/", "file:///v");
  await waiting;
  deepEqual(got, ["/w", "/w/", "/v"]);

  const late = roots();
  late.it.hear(INITIALIZE);
  late.timers[0]!();
  deepEqual(await late.it.current(), []);
  equal(late.changes(), 0);
  await late.answer("file:///w");
  deepEqual(await late.it.current(), ["/w"]);
  equal(late.changes(), 1);
  equal(timers.length, 1);
  equal(changes(), 1);
});

Deno.test("ClientRoots: only directories of this machine count, and not too many", async () => {
  const { it, answer } = roots();
  await answer(
    "file:///a%20b",
    "file:///file",
    "file://elsewhere/x",
    "http://x/y",
    "file:///nul%00",
    "file:///slash%2Fin",
    `file:///${"x".repeat(5000)}`,
    "/plain",
    "FILE:///upper",
  );
  deepEqual(await it.current(), ["/a b", "/upper"]);
  await answer(...Array.from({ length: 40 }, (_, i) => `file:///r${i}`));
  equal((await it.current()).length, 16);
});

Deno.test("ClientRoots: a refusal means none, the last question counts, and the same again is no change", async () => {
  const { it, answer, changes } = roots();
  await answer("file:///w");
  await answer("file:///w");
  equal(changes(), 1);
  const slow = Promise.withResolvers<{ roots: { uri: string }[] }>();
  const first = it.ask(() => slow.promise);
  await answer("file:///v");
  slow.resolve({ roots: [{ uri: "file:///old" }] });
  await first;
  deepEqual(await it.current(), ["/v"]);
  await it.ask(() => Promise.reject(new Error("-32601")));
  deepEqual(await it.current(), []);
  await it.ask(() => Promise.resolve({ roots: null } as never));
  deepEqual(await it.current(), []);
});

Deno.test("ClientRoots: whatever a client answers, absolute paths come out", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(
        fc.string().map((text) => `file://${text}`),
        fc.string(),
        fc.webUrl(),
      )),
      async (uris) => {
        const { it, answer } = roots();
        await answer(...uris);
        for (const path of await it.current()) ok(path.startsWith("/"), path);
      },
    ),
  );
});

async function served(client: TestClient): Promise<string[]> {
  const { structured } = await client.call("skill_list");
  return structured.skills.map(({ name }: Json) => name);
}

const FILES = {
  "root/r/SKILL.md": "---\nname: r\ndescription: R.\n---\n",
  "w/.agents/skills/a.md": "---\ntriggers: [a]\n---\n# a\n",
  "v/.openhands/skills/b.md": "---\ntriggers: [b]\n---\n# b\n",
  "file": "",
};

for (const line of LINES) {
  Deno.test({
    name:
      `client roots (${line}): the first answer holds their skills, and later roots come by themselves`,
    ...processTest,
    async fn() {
      await using tree = await makeTree(FILES);
      const uri = (name: string) => pathToFileURL(tree.path(name)).href;
      const uris = [uri("w"), uri("file"), uri("gone")];
      await using client = await connect(line, {
        args: ["--skills", tree.path("root")],
        roots: uris,
      });
      if (line === "v2") {
        // On 2026-07-28 a server asks nothing by itself.
        deepEqual(await served(client), ["r"]);
        return;
      }
      deepEqual(await served(client), ["r", "workspace/a"]);
      uris.splice(0, uris.length, uri("v"));
      await client.sdk.sendRootsListChanged();
      await until(async () =>
        (await served(client)).join() === "r,workspace/b"
      );
      await tree.write({
        "v/.agents/skills/c.md": FILES["w/.agents/skills/a.md"],
      });
      await until(async () =>
        (await served(client)).join() === "r,workspace/b,workspace/c"
      );
      deepEqual(client.errors, []);
    },
  });

  Deno.test({
    name:
      `client roots (${line}): --workspace stands, and the client is not asked`,
    ...processTest,
    async fn() {
      await using tree = await makeTree(FILES);
      let asked = 0;
      const roots = {
        map: () => {
          asked++;
          return [];
        },
      };
      await using client = await connect(line, {
        args: [
          "--skills",
          tree.path("root"),
          "--workspace",
          tree.path("v"),
        ],
        roots: roots as unknown as string[],
      });
      deepEqual(await served(client), ["r", "workspace/b"]);
      equal(asked, 0);
    },
  });
}

Deno.test({
  name:
    "client roots: a client that never answers holds up the first list for the bound alone",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    await using server = new RawServer({
      args: ["--skills", tree.path("root")],
    });
    const first = await server.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: { roots: { listChanged: true } },
      clientInfo: { name: "mute", version: "1" },
    });
    ok(first.result);
    await server.notify("notifications/initialized");
    const tools = await server.request("tools/list");
    ok(tools.result.tools.length > 0);
    const listed = await server.request("tools/call", {
      name: "skill_list",
      arguments: {},
    });
    deepEqual(
      listed.result.structuredContent.skills.map(({ name }: Json) => name),
      ["r"],
    );
  },
});
