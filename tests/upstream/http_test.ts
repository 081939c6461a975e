/** Declared addresses: which are reached, and what of their answers. */

import assert from "node:assert/strict";
import { checkAddress } from "../../src/upstream/http_way.ts";
import { makeUpstream, type Scene, type SceneOptions } from "./scene.ts";

/** What an address answers to a request of the protocol. */
type Answer = (
  message: { id?: number; method: string; params?: Record<string, unknown> },
  request: Request,
) => Response | undefined;

const result = (id: number | undefined, result: unknown) =>
  Response.json({ jsonrpc: "2.0", id, result });

/** An MCP server on loopback. */
function listen(answer: Answer = () => undefined) {
  const seen: Headers[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      seen.push(new Headers(request.headers));
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const message = await request.json();
      const special = answer(message, request);
      if (special !== undefined) return special;
      switch (message.method) {
        case "initialize":
          return result(message.id, {
            protocolVersion: message.params.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: "t", version: "1" },
          });
        case "tools/list":
          return result(message.id, {
            tools: [{ name: "echo", inputSchema: { type: "object" } }],
          });
        case "tools/call":
          return result(message.id, {
            content: [{
              type: "text",
              text: JSON.stringify(message.params.arguments),
            }],
          });
        default:
          return new Response(null, { status: 202 });
      }
    },
  );
  const { port } = server.addr;
  return {
    seen,
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function withServer(
  answer: Answer | undefined,
  scene: SceneOptions & { readonly headers?: Record<string, string> },
  fn: (scene: Scene, server: ReturnType<typeof listen>) => Promise<void>,
): Promise<void> {
  await using server = listen(answer);
  await using made = await makeUpstream({
    mode: "off",
    json: { it: { url: server.url, headers: scene.headers ?? {} } },
    ...scene,
    row: { url: server.url, ...scene.row },
  });
  await fn(made, server);
}

Deno.test("UpstreamDoor over HTTP: an address that the row repeats, with its headers", async () => {
  await withServer(undefined, {
    headers: { "X-Key": "k-${API_KEY}" },
    row: { env: ["API_KEY"] },
    own: { API_KEY: "value" },
  }, async (scene, server) => {
    await scene.pin();
    const [state] = await scene.door.states(await scene.skill());
    assert.equal(state?.state, "ready", state?.why);
    assert.match(state.fence ?? "", /^no process here/);
    assert.equal(await scene.call("echo", { a: 1 }), '{"a":1}');
    assert.ok(
      server.seen.every((headers) => headers.get("x-key") === "k-value"),
    );
    const plan = await scene.door.plan(await scene.skill(), "it", "echo", {});
    assert.ok(plan.ok);
    assert.equal(plan.value.reaches, server.url);
    assert.doesNotMatch(JSON.stringify(plan.value), /k-value/);
    await scene.door.close();
    assert.deepEqual([...Deno.readDirSync(scene.tree.path("tmp"))], []);
  });
});

Deno.test("UpstreamDoor over HTTP: private or plain addresses are not reached unless repeated", async () => {
  await withServer(undefined, {}, async (scene, server) => {
    for (
      const [url, why] of [
        [undefined, /not https/],
        [`${server.url}/`, /not https/],
        [`${server.url}?x`, /not https/],
      ] as const
    ) {
      const door = await scene.pin({ url });
      const before = server.seen.length;
      const tools = await door.tools(await scene.skill(), "it");
      assert.ok(!tools.ok, url);
      assert.match(tools.message, why);
      assert.equal(server.seen.length, before);
    }
  });
});

Deno.test("UpstreamDoor over HTTP: an address that is no MCP endpoint says what it answered", async () => {
  const gone = () => new Response("not here", { status: 404 });
  await withServer(gone, {}, async (scene) => {
    const pinning = await scene.door.pinning(await scene.skill(), "it", {
      env: [],
      net: false,
      unfenced: false,
      url: undefined,
      thisUrl: true,
    });
    assert.ok(pinning.ok);
    const pinned = await pinning.value.start(AbortSignal.timeout(30_000));
    assert.ok(!pinned.ok);
    assert.match(
      pinned.message,
      /did not come up as an MCP server: .*not here/,
    );
    assert.match(pinned.hint, /Check that its address/);
  });
});

Deno.test("UpstreamDoor over HTTP: a redirect elsewhere leads nowhere", async () => {
  await using other = listen();
  await withServer(
    ({ method }) =>
      method === "tools/call"
        ? new Response(null, { status: 307, headers: { location: other.url } })
        : undefined,
    {},
    async (scene) => {
      await scene.pin();
      const said = await scene.call("echo");
      assert.notEqual(said, "{}");
      assert.deepEqual(other.seen, []);
    },
  );
});

Deno.test("UpstreamDoor over HTTP: an answer without end is cut off", async () => {
  let sent = 0;
  const endless = (type: string, chunk: string) =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += chunk.length;
          controller.enqueue(new TextEncoder().encode(chunk));
        },
      }),
      { headers: { "content-type": type } },
    );
  for (const type of ["application/json", "text/event-stream"]) {
    sent = 0;
    await withServer(
      ({ method }) =>
        method === "tools/call"
          ? endless(type, `data: ${"x".repeat(60_000)}\n`)
          : undefined,
      {},
      async (scene) => {
        await scene.pin();
        const skill = await scene.skill();
        const plan = await scene.door.plan(skill, "it", "echo", {});
        assert.ok(plan.ok);
        const answer = await scene.door.call(skill, plan.value, {}, {
          timeoutMs: 5_000,
        });
        assert.ok(answer.ok && answer.value.isError);
        assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes`);
      },
    );
  }
});

Deno.test("checkAddress: https and public, or meant; never our own listener", async () => {
  const resolve = (name: string) =>
    Promise.resolve(name === "inside.example" ? ["127.0.0.1"] : ["9.9.9.9"]);
  const check = (url: string, more: Record<string, unknown> = {}) =>
    checkAddress({
      url,
      meant: false,
      upstream: {},
      certificates: [],
      listen: undefined,
      resolve,
      ...more,
    });
  assert.ok((await check("https://mcp.example/x")).ok);
  const refused: [string, RegExp][] = [
    ["http://mcp.example/x", /not https/],
    ["https://127.0.0.1/", /not public/],
    ["https://[::1]/", /not public/],
    ["https://169.254.169.254/", /not public/],
    ["https://localhost/", /not public/],
    ["https://user:secret@mcp.example/", /without credentials/],
    ["ftp://mcp.example/", /no http/],
    ["${URL}", /no http/],
  ];
  for (const [url, why] of refused) {
    const checked = await check(url);
    assert.ok(!checked.ok, url);
    assert.match(checked.message, why);
    assert.doesNotMatch(checked.message, /secret/);
  }
  assert.ok((await check("http://127.0.0.1:9/", { meant: true })).ok);
  const listen = { kind: "tcp", hostname: "127.0.0.1", port: 8080 };
  for (
    const url of ["http://127.0.0.1:8080/mcp", "https://inside.example:8080/"]
  ) {
    const own = await check(url, { meant: true, listen });
    assert.ok(!own.ok, url);
    assert.match(own.message, /this server's own/);
  }
  assert.ok((await check("https://mcp.example:8080/", { listen })).ok);
});
