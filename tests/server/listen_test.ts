/** `subscriptions/listen` over stdio, message by message. */

import assert from "node:assert/strict";
import { StdioTransport } from "../../src/server/stdio_transport.ts";
import type { Json } from "../support/clients.ts";
import { RawServer } from "../support/raw_server.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const INDEX = "skillfence://skills";
const OF = "io.modelcontextprotocol/subscriptionId";
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const skill = (body: string): string =>
  `---\nname: a\ndescription: About a.\n---\n${body}\n`;

async function listen(
  server: RawServer,
  notifications: Record<string, unknown>,
): Promise<{ id: number; honored: Json }> {
  const id = await server.send("subscriptions/listen", {
    _meta: META,
    notifications,
  });
  const { params } = await server.message((message) =>
    message.method === "notifications/subscriptions/acknowledged" &&
    message.params._meta[OF] === id
  );
  return { id, honored: params.notifications };
}

/** What reached one stream so far, in short. */
function heard(server: RawServer, id: number): string[] {
  return server.lines.map((line) => JSON.parse(line)).filter((message) =>
    message.params?._meta?.[OF] === id &&
    message.method !== "notifications/subscriptions/acknowledged"
  ).map(({ method, params }) =>
    params.uri ?? method.replace("notifications/", "")
  );
}

/** Edits until the first look has been made and the edit is heard of. */
async function edit(tree: Tree, server: RawServer, id: number) {
  const before = heard(server, id).length;
  await tree.write({ "a/SKILL.md": skill(crypto.randomUUID()) });
  await until(() => heard(server, id).length > before);
}

async function list(server: RawServer): Promise<Json> {
  return await server.request("tools/call", {
    _meta: META,
    name: "skill_list",
    arguments: {},
  });
}

Deno.test("subscriptions/listen as the first message is acknowledged, hears of changes, and later requests are answered", async () => {
  await using tree = await makeTree({ "a/SKILL.md": skill("1") });
  await using server = new RawServer({ args: ["--skills", tree.root] });
  const { id, honored } = await listen(server, {
    resourcesListChanged: true,
    resourceSubscriptions: [INDEX],
  });
  assert.deepEqual(honored, {
    resourcesListChanged: true,
    resourceSubscriptions: [INDEX],
  });
  assert.equal((await list(server)).result.structuredContent.skills.length, 1);
  await edit(tree, server, id);
  await until(() => heard(server, id).length === 2);
  assert.deepEqual(heard(server, id), ["resources/list_changed", INDEX]);
});

Deno.test("subscriptions/listen: each of several streams gets what it asked for, and nothing goes past them", async () => {
  await using tree = await makeTree({ "a/SKILL.md": skill("1") });
  await using server = new RawServer({ args: ["--skills", tree.root] });
  const lists = await listen(server, { resourcesListChanged: true });
  const index = await listen(server, { resourceSubscriptions: [INDEX] });
  const tools = await listen(server, { toolsListChanged: true });
  const other = await listen(server, {
    resourceSubscriptions: ["skill://b/SKILL.md"],
  });
  const closing = await listen(server, { resourcesListChanged: true });
  assert.deepEqual(tools.honored, {});
  await list(server);
  await edit(tree, server, lists.id);
  await until(() => heard(server, index.id).length === 1);
  assert.deepEqual(heard(server, closing.id), ["resources/list_changed"]);

  await server.notify("notifications/cancelled", { requestId: closing.id });
  await list(server);
  await edit(tree, server, lists.id);
  await until(() => heard(server, index.id).length === 2);
  await list(server);
  assert.deepEqual(heard(server, lists.id), [
    "resources/list_changed",
    "resources/list_changed",
  ]);
  assert.deepEqual(heard(server, index.id), [INDEX, INDEX]);
  assert.deepEqual(heard(server, tools.id), []);
  assert.deepEqual(heard(server, other.id), []);
  assert.deepEqual(heard(server, closing.id), ["resources/list_changed"]);
  const untagged = server.lines.map((line) => JSON.parse(line))
    .filter(({ method, params }) =>
      method !== undefined && params?._meta?.[OF] === undefined
    );
  assert.deepEqual(untagged, []);
});

/** Milliseconds from the end of the input to that of the connection. */
async function timeToClose(method: string): Promise<number> {
  const input = new TransformStream<Uint8Array>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const { promise: taken, resolve: take } = Promise.withResolvers<void>();
  const transport = new StdioTransport(
    { input: input.readable, write: () => Promise.resolve() },
    { onClosed: resolve },
  );
  transport.onmessage = () => take();
  await transport.start();
  const writer = input.writable.getWriter();
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} });
  await writer.write(new TextEncoder().encode(`${text}\n`));
  await taken;
  const begun = performance.now();
  await writer.close();
  await promise;
  return performance.now() - begun;
}

Deno.test("subscriptions/listen does not hold up the end of the connection as a waiting call does", async () => {
  const listening = await timeToClose("subscriptions/listen");
  const calling = await timeToClose("tools/call");
  assert.ok(listening < calling / 2, `${listening} ms and ${calling} ms`);
});
