/** Bodies that are too long, too slow or no messages. */

import assert from "node:assert/strict";
import { type Json, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { INITIALIZE, JSON_HEADERS, raw, readAnswer } from "./raw.ts";
import { connectHttp, type HttpServer, startHttp } from "./server.ts";
import { until } from "../support/until.ts";

const SKILL = { "a/SKILL.md": "---\nname: a\ndescription: d\n---\n" };
const MIB = 1024 * 1024;

function head(server: HttpServer, length: string): string {
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n` +
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
    `${length}\r\n\r\n`;
}

async function post(
  server: HttpServer,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const response = await server.fetch("/mcp", {
    method: "POST",
    headers: { ...JSON_HEADERS, ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}

Deno.test({
  name:
    "http body: one that is said to be over 1 MiB is refused with 413 before it comes",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILL);
    await using server = await startHttp({ skills: tree.root });
    const answer = await raw(
      server.port,
      head(server, `Content-Length: ${MIB + 1}`),
    );
    assert.equal(answer.status, 413);
    assert.match(answer.text, /handed over on stdio/);
  },
});

Deno.test({
  name:
    "http body: an endless one in chunks is refused with 413 as soon as 1 MiB has come",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILL);
    await using server = await startHttp({ skills: tree.root });
    using connection = await Deno.connect({
      hostname: "127.0.0.1",
      port: server.port,
    });
    const encoder = new TextEncoder();
    await connection.write(
      encoder.encode(head(server, "Transfer-Encoding: chunked")),
    );
    let sent = 0;
    let writing = true;
    const chunk = encoder.encode(`10000\r\n${"x".repeat(65_536)}\r\n`);
    const writer = (async () => {
      while (writing) sent += await connection.write(chunk);
    })().catch(() => {});
    const { status } = await readAnswer(connection);
    writing = false;
    assert.equal(status, 413);
    await writer;
    // What the kernel buffers on both sides comes on top of 1 MiB.
    assert.ok(sent < 32 * MIB, `${sent} bytes were taken`);
  },
});

Deno.test({
  name: "http body: one that does not arrive in time is refused with 408",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILL);
    await using server = await startHttp({ skills: tree.root });
    using connection = await Deno.connect({
      hostname: "127.0.0.1",
      port: server.port,
    });
    const encoder = new TextEncoder();
    await connection.write(
      encoder.encode(head(server, "Content-Length: 100")),
    );
    // A byte now and then does not buy time.
    const dripping = setInterval(() => {
      connection.write(encoder.encode(" ")).catch(() => {});
    }, 500);
    const { status } = await readAnswer(connection, 30_000);
    clearInterval(dripping);
    assert.equal(status, 408);
  },
});

Deno.test({
  name:
    "http body: what is no message is refused, deep nesting and batches too, and the server lives on",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILL);
    await using server = await startHttp({ skills: tree.root });
    for (
      const body of [
        "",
        "{",
        "nonsense",
        '{"jsonrpc":"2.0"',
        "\xff\xfe",
        new Uint8Array([0xff, 0xfe, 0x00]),
        "null",
        "1",
        '"text"',
        "[]",
        "{}",
        "[".repeat(500_000),
        "[".repeat(100_000) + "]".repeat(100_000),
        `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${
          '{"a":'.repeat(50_000)
        }1${"}".repeat(50_000)}}`,
        `{"jsonrpc":"2.0","id":1,"method":"x","__proto__":{"toString":1}}`,
        `[${INITIALIZE},${INITIALIZE}]`,
        `[${Array(2000).fill(INITIALIZE).join(",")}]`,
      ]
    ) {
      const { status, text } = await post(server, body);
      const shown = String(body).slice(0, 60);
      assert.equal(status, 400, `${shown}: ${status} ${text.slice(0, 200)}`);
    }
    const wrongType = await post(server, INITIALIZE, {
      "content-type": "text/plain",
    });
    assert.equal(wrongType.status, 415);
    const formType = await post(server, INITIALIZE, {
      "content-type": "application/x-www-form-urlencoded",
    });
    assert.equal(formType.status, 415);
    const right = await post(server, INITIALIZE);
    assert.equal(right.status, 200);
    const stderr = server.stderr();
    assert.ok(!stderr.includes("internal error"), stderr);
  },
});

Deno.test({
  name:
    "http body: an address with 200,000 slashes is answered like any that is not served",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILL);
    await using server = await startHttp({ skills: tree.root });
    await using client = await connectHttp("v1", server);
    const uri = `skill://a/${"b/".repeat(200_000)}c`;
    const asked: readonly (readonly [string, Record<string, unknown>])[] = [
      ["resources/read", { uri }],
      ["resources/directory/read", { uri }],
      ["skills/get", { uri: `${uri}/SKILL.md` }],
      ["tools/call", { name: "skill_file", arguments: { paths: [uri] } }],
    ];
    // Looked up once for each slash, each took minutes that nobody was served in.
    for (const [method, params] of asked) {
      let answer: Json | undefined;
      client.request(method, params).then(
        (result) => answer = result,
        (error) => answer = { message: String(error) },
      );
      await until(() => answer !== undefined);
      const text = JSON.stringify(answer);
      assert.match(
        text,
        /nothing is served|is not a directory|No skill is served/,
        `${method}: ${text.slice(0, 300)}`,
      );
    }
  },
});
