/** What is decided from the head of a request, before a body is read. */

import assert from "node:assert/strict";
import { processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { raw } from "./raw.ts";
import { type HttpServer, startHttp } from "./server.ts";

const SKILL = { "a/SKILL.md": "---\nname: a\ndescription: d\n---\n" };

/** A request whose body never comes: an answer shows that none was awaited. */
function headOf(
  server: HttpServer,
  headers: Readonly<Record<string, string | undefined>>,
  line = "POST /mcp HTTP/1.1",
): string {
  const all: Record<string, string | undefined> = {
    Host: `127.0.0.1:${server.port}`,
    Authorization: `Bearer ${server.token}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "Content-Length": "100",
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`]
  );
  return `${line}\r\n${lines.join("")}\r\n`;
}

async function served(): Promise<
  AsyncDisposableStack & { server: HttpServer }
> {
  const stack = new AsyncDisposableStack();
  const tree = stack.use(await makeTree(SKILL));
  const server = stack.use(await startHttp({ skills: tree.root }));
  return Object.assign(stack, { server });
}

Deno.test({
  name:
    "http gate: a Host that is not exactly a loopback name is refused before the body is read",
  ...processTest,
  async fn() {
    await using all = await served();
    const { server } = all;
    for (
      const host of [
        "evil.example",
        `evil.example:${server.port}`,
        `localhost.evil.example:${server.port}`,
        `127.0.0.1.nip.io:${server.port}`,
        "localhost.",
        "127.0.0.2",
        "2130706433",
        "127.1",
        "0x7f000001",
        "0.0.0.0",
        "user@localhost",
        // These change what the runtime takes for the path.
        "localhost/path",
        "localhost#x",
        "x/mcp?",
        "x/mcp#",
        "localhost:abc",
        "localhost, evil.example",
        "[::1",
        "",
      ]
    ) {
      const { status } = await raw(server.port, headOf(server, { Host: host }));
      assert.equal(status, 403, `Host: ${host}`);
    }
    const none = await raw(server.port, headOf(server, { Host: undefined }));
    assert.equal(none.status, 403, "no Host");
    for (
      const hosts of [
        "localhost\r\nHost: evil.example",
        "evil.example\r\nHost: localhost",
        "localhost\r\nHost: localhost",
      ]
    ) {
      const two = await raw(server.port, headOf(server, { Host: hosts }));
      assert.equal(two.status, 400, `two Hosts: ${hosts}`);
    }
  },
});

Deno.test({
  name:
    "http gate: every loopback name is accepted, in any case and with a port",
  ...processTest,
  async fn() {
    await using all = await served();
    const { server } = all;
    for (
      const host of [
        "localhost",
        "LocalHost:1",
        `127.0.0.1:${server.port}`,
        `[::1]:${server.port}`,
      ]
    ) {
      const { status } = await raw(
        server.port,
        headOf(server, { Host: host }, "GET /metrics HTTP/1.1"),
      );
      assert.equal(status, 200, host);
    }
  },
});

Deno.test({
  name:
    "http gate: beyond loopback each name of --host is accepted, and no other, of loopback neither",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILL);
    await using server = await startHttp({
      skills: tree.root,
      http: "0.0.0.0:0",
      args: [
        "--behind-tls-proxy",
        ...["--host", "one.example", "--host", "Two.example"],
      ],
    });
    const ask = async (host: string) =>
      (await raw(
        server.port,
        headOf(server, { Host: host }, "GET /metrics HTTP/1.1"),
      )).status;
    for (const host of ["one.example", "two.example:443", "TWO.example"]) {
      assert.equal(await ask(host), 200, host);
    }
    for (
      const host of [
        "three.example",
        "x.one.example",
        "localhost",
        `127.0.0.1:${server.port}`,
        `0.0.0.0:${server.port}`,
      ]
    ) assert.equal(await ask(host), 403, host);
  },
});

Deno.test({
  name:
    "http gate: an Origin of another page is refused before the body is read, its own passes",
  ...processTest,
  async fn() {
    await using all = await served();
    const { server } = all;
    const { port } = server;
    for (
      const origin of [
        "https://evil.example",
        "null",
        `http://localhost:${port + 1}`,
        "http://localhost",
        `http://localhost:${port}.evil.example`,
        `ftp://localhost:${port}`,
        `chrome-extension://localhost`,
        `http://user@localhost:${port}`,
        `http://localhost:${port}/`,
        "file://",
      ]
    ) {
      const { status } = await raw(port, headOf(server, { Origin: origin }));
      assert.equal(status, 403, `Origin: ${origin}`);
    }
    for (const name of ["localhost", "127.0.0.1", "[::1]"]) {
      const response = await server.fetch("/mcp", {
        method: "GET",
        headers: {
          origin: `http://${name}:${port}`,
          accept: "text/event-stream",
        },
      });
      await response.body?.cancel();
      assert.equal(response.status, 400, name);
      assert.equal(
        response.headers.get("access-control-allow-origin"),
        `http://${name}:${port}`,
      );
    }
  },
});

Deno.test({
  name:
    "http gate: OPTIONS is answered without a token for its own origin alone, and does nothing",
  ...processTest,
  async fn() {
    await using all = await served();
    const { server } = all;
    const ask = (origin?: string) =>
      fetch(`${server.origin}/mcp`, {
        method: "OPTIONS",
        headers: {
          ...(origin === undefined ? {} : { origin }),
          "access-control-request-method": "POST",
        },
      });
    const own = await ask(`http://localhost:${server.port}`);
    assert.equal(own.status, 204);
    assert.match(
      own.headers.get("access-control-allow-headers") ?? "",
      /Authorization/,
    );
    const foreign = await ask("https://evil.example");
    await foreign.body?.cancel();
    assert.equal(foreign.status, 403);
    assert.equal(foreign.headers.get("access-control-allow-origin"), null);
    const plain = await ask();
    assert.equal(plain.status, 204);
    assert.equal(plain.headers.get("access-control-allow-origin"), null);
  },
});

Deno.test({
  name:
    "http gate: without the right token there is 401 with a challenge, before the body is read",
  ...processTest,
  async fn() {
    await using all = await served();
    const { server } = all;
    const token = server.token!;
    for (
      const header of [
        undefined,
        "Bearer",
        "Bearer ",
        `Bearer ${token.slice(1)}`,
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token}x`,
        `Bearer ${token.toUpperCase()}x`,
        `Basic ${token}`,
        token,
        `Bearer ${"x".repeat(8000)}`,
        `Bearer ${token} ${token}`,
      ]
    ) {
      const answer = await raw(
        server.port,
        headOf(server, { Authorization: header }),
      );
      assert.equal(answer.status, 401, String(header));
      assert.match(
        answer.head,
        /www-authenticate: Bearer realm="skillfence"/i,
        String(header),
      );
      assert.ok(!answer.text.includes(token));
    }
    const right = await raw(
      server.port,
      headOf(
        server,
        { Authorization: `bearer ${token}` },
        "GET /metrics HTTP/1.1",
      ),
    );
    assert.equal(right.status, 200);
  },
});

Deno.test({
  name: "http gate: who keeps guessing tokens is told to wait",
  ...processTest,
  async fn() {
    await using all = await served();
    const { server } = all;
    const statuses = new Set<number>();
    let wait: string | null = null;
    for (let i = 0; i < 300; i++) {
      const response = await fetch(`${server.origin}/metrics`, {
        headers: { authorization: `Bearer ${i}` },
      });
      await response.body?.cancel();
      statuses.add(response.status);
      if (response.status === 429) wait = response.headers.get("retry-after");
    }
    assert.deepEqual([...statuses].sort(), [401, 429]);
    assert.match(wait ?? "", /^\d+$/);
    // Whoever has the token is not slowed by them.
    const right = await server.fetch("/metrics");
    await right.body?.cancel();
    assert.equal(right.status, 200);
  },
});

Deno.test({
  name: "http gate: other methods and other paths lead nowhere",
  ...processTest,
  async fn() {
    await using all = await served();
    const { server } = all;
    for (
      const method of ["HEAD", "PUT", "PATCH", "DELETE /x", "TRACE", "FOO"]
    ) {
      const line = method.includes(" ")
        ? `${method} HTTP/1.1`
        : `${method} /mcp HTTP/1.1`;
      const { status } = await raw(
        server.port,
        headOf(server, { "Content-Length": "0" }, line),
      );
      assert.equal(status, method.includes(" ") ? 404 : 405, method);
    }
    for (
      const path of [
        "/",
        "/mcp/",
        "/MCP",
        "//mcp",
        "/mcp/../../etc/passwd",
        "/mcp/%2e%2e/%2e%2e/etc/passwd",
        "/mcp%00",
        "/..%2fmcp",
        "/mcp;x",
        // These are `/metrics` to a reader of addresses, who makes them plain.
        "/x/../metrics",
        "/./metrics",
        "/x/%2e%2e/metrics",
        "/x\\..\\metrics",
        "/%6detrics",
        "/a/SKILL.md",
      ]
    ) {
      const { status } = await raw(
        server.port,
        headOf(server, {}, `GET ${path} HTTP/1.1`),
      );
      assert.equal(status, 404, path);
    }
  },
});

Deno.test({
  name: "http gate: HTTP/2 without TLS carries no Host and is refused",
  ...processTest,
  async fn() {
    await using all = await served();
    const http2 = await import("node:http2");
    const session = http2.connect(all.server.origin);
    const status = await new Promise((resolve, reject) => {
      session.on("error", reject);
      const stream = session.request({
        ":path": "/mcp",
        ":method": "POST",
        authorization: `Bearer ${all.server.token}`,
      });
      stream.on("response", (headers) => resolve(headers[":status"]));
      stream.on("error", reject);
      stream.end("{}");
    });
    session.destroy();
    assert.equal(status, 403);
  },
});

Deno.test({
  name:
    "http gate: many heads that never end hold up nobody, nor does a connection that says nothing",
  ...processTest,
  async fn() {
    await using all = await served();
    const { server } = all;
    const slow: Deno.Conn[] = [];
    for (let i = 0; i < 400; i++) {
      const connection = await Deno.connect({
        hostname: "127.0.0.1",
        port: server.port,
      });
      slow.push(connection);
      if (i % 2 === 0) continue;
      await connection.write(
        new TextEncoder().encode("POST /mcp HTTP/1.1\r\nHost: localhost\r\n"),
      );
    }
    for (let i = 0; i < 20; i++) {
      const response = await server.fetch("/metrics");
      const page = await response.text();
      assert.equal(response.status, 200);
      // They are no requests: they take no place of those that are.
      assert.match(page, /^skillfence_requests_under_way 0$/m);
    }
    for (const connection of slow) connection.close();
  },
});
