/** Sessions of 2025 clients: bound to their caller, capped, ended when idle. */

import assert from "node:assert/strict";
import { McpServer } from "@modelcontextprotocol/server";
import { Sessions } from "../../src/http/sessions.ts";
import { createLogger } from "../../src/server/log.ts";
import { processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { INITIALIZE, JSON_HEADERS, LIST } from "./raw.ts";
import { startHttp } from "./server.ts";

function sessions(count: number) {
  let at = 0;
  let closed = 0;
  const all = new Sessions({
    bounds: { count, idleMs: 1000, evictMs: 100 },
    build: () => {
      const server = new McpServer({ name: "x", version: "1" });
      server.server.registerCapabilities({ tools: {} });
      server.server.onclose = () => closed += 1;
      return { server, wants: () => true };
    },
    maxBodyBytes: 1000,
    keepAliveMs: 0,
    now: () => at,
    log: createLogger("error", () => {}),
  });
  const send = async (
    method: string,
    caller: string,
    { id, body }: { id?: string; body?: string },
  ) => {
    const request = new Request("http://localhost/mcp", {
      method,
      headers: {
        ...JSON_HEADERS,
        ...(id === undefined ? {} : { "mcp-session-id": id }),
      },
    });
    return await all.serve(
      request,
      caller,
      body === undefined ? undefined : JSON.parse(body),
    );
  };
  const open = async (caller: string) => {
    const { response, ended } = await send("POST", caller, {
      body: INITIALIZE,
    });
    await response.body?.cancel();
    ended();
    return {
      status: response.status,
      id: response.headers.get("mcp-session-id") ?? undefined,
    };
  };
  const status = async (...args: Parameters<typeof send>) => {
    const { response, ended } = await send(...args);
    await response.body?.cancel();
    ended();
    return response.status;
  };
  return {
    all,
    send,
    open,
    status,
    pass: (ms: number) => at += ms,
    closed: () => closed,
  };
}

Deno.test("Sessions: another caller cannot use, read or end a session, and is told nothing", async () => {
  const { all, open, status, closed } = sessions(5);
  const { id } = await open("alice");
  for (const method of ["POST", "GET", "DELETE"]) {
    const body = method === "POST" ? LIST : undefined;
    assert.equal(await status(method, "bob", { id, body }), 404, method);
    assert.equal(
      await status(method, "bob", { id: crypto.randomUUID(), body }),
      404,
    );
  }
  assert.equal(closed(), 0);
  assert.equal(await status("POST", "alice", { id, body: LIST }), 200);
  assert.equal(await status("DELETE", "alice", { id }), 200);
  assert.equal(all.size, 0);
  assert.equal(await status("POST", "alice", { id, body: LIST }), 404);
});

Deno.test("Sessions: an idle one expires, one with an open stream does not", async () => {
  const { all, open, send, status, pass } = sessions(5);
  const idle = await open("a");
  const busy = await open("a");
  const stream = await send("GET", "a", { id: busy.id });
  assert.equal(stream.response.status, 200);
  pass(999);
  all.sweep();
  assert.equal(all.size, 2);
  pass(2);
  all.sweep();
  assert.equal(all.size, 1);
  assert.equal(await status("POST", "a", { id: idle.id, body: LIST }), 404);
  await stream.response.body?.cancel();
  stream.ended();
  pass(1001);
  all.sweep();
  assert.equal(all.size, 0);
});

Deno.test("Sessions: when all are taken the longest idle one makes room, and a fresh one never does", async () => {
  const { all, open, status, pass } = sessions(2);
  const first = await open("a");
  pass(50);
  const second = await open("a");
  const none = await open("a");
  assert.equal(none.status, 503);
  assert.equal(all.size, 2);
  pass(60);
  const third = await open("a");
  assert.equal(third.status, 200);
  assert.equal(all.size, 2);
  assert.equal(await status("POST", "a", { id: first.id, body: LIST }), 404);
  assert.equal(await status("POST", "a", { id: second.id, body: LIST }), 200);
});

Deno.test("Sessions: a request without a session is refused unless it opens one", async () => {
  const { all, status } = sessions(2);
  for (const method of ["POST", "GET", "DELETE"]) {
    const body = method === "POST" ? LIST : undefined;
    assert.equal(await status(method, "a", { body }), 400, method);
  }
  assert.equal(all.size, 0);
});

Deno.test({
  name:
    "http sessions: of 1,000 that are opened and left, as many as are allowed stay, and other clients are served",
  ...processTest,
  async fn() {
    await using tree = await makeTree({
      "a/SKILL.md": "---\nname: a\ndescription: d\n---\n",
    });
    await using server = await startHttp({ skills: tree.root });
    const statuses = new Map<number, number>();
    for (let i = 0; i < 1000; i++) {
      const response = await server.fetch("/mcp", {
        method: "POST",
        headers: JSON_HEADERS,
        body: INITIALIZE,
      });
      await response.body?.cancel();
      const { status } = response;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual([...statuses].sort(), [[200, 256], [503, 744]]);
    const { connectHttp } = await import("./server.ts");
    await using modern = await connectHttp("v2", server);
    assert.equal((await modern.request("tools/list")).tools.length, 4);
  },
});
