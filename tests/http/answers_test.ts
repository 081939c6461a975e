/** Large answers that nobody takes: memory, probes, and who is told to wait. */

import assert from "node:assert/strict";
import { AnswerRoom } from "../../src/http/answer_room.ts";
import { HTTP_BOUNDS } from "../../src/http/bounds.ts";
import { weigh } from "../../src/http/weigh.ts";
import { MAX_FILE } from "../../src/server/resources/file_bytes.ts";
import { processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import {
  INITIALIZE,
  JSON_HEADERS,
  modernBody,
  modernHeaders,
  type RawAnswer,
  readAnswer,
} from "./raw.ts";
import { type HttpServer, startHttp } from "./server.ts";
import { until } from "../support/until.ts";

const URI = "skill://a/big.bin";
/** With SKILL.md the skill has less than 16 MiB. */
const BIG = MAX_FILE - 4096;
const CROWD = 100;

async function tree() {
  const made = await makeTree({
    "s/a/SKILL.md": "---\nname: a\ndescription: d\n---\n",
  });
  await Deno.writeFile(made.path("s/a/big.bin"), new Uint8Array(BIG).fill(255));
  return made;
}

/** A 2025 session's headers, and the body of its request. */
async function oldRequest(server: HttpServer) {
  const opened = await server.fetch("/mcp", {
    method: "POST",
    headers: JSON_HEADERS,
    body: INITIALIZE,
  });
  await opened.text();
  return {
    headers: {
      ...JSON_HEADERS,
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": opened.headers.get("mcp-session-id")!,
    },
    body: (id: number) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "resources/read",
        params: { uri: URI },
      }),
  };
}

const modern = {
  headers: modernHeaders("resources/read", URI),
  body: (_: number) => modernBody("resources/read", { uri: URI }),
};

/** Asks for the large file and reads the head of the answer alone. */
function ask(
  server: HttpServer,
  { headers, body }: typeof modern,
  many: number,
) {
  const answers: RawAnswer[] = [];
  const connections: Deno.Conn[] = [];
  const one = async (id: number) => {
    const { port, token } = server;
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connections.push(connection);
    const text = body(id);
    const lines = Object.entries({
      ...headers,
      Host: "localhost",
      Authorization: `Bearer ${token}`,
      "Content-Length": String(text.length),
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    await connection.write(
      new TextEncoder().encode(
        `POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${text}`,
      ),
    );
    answers.push(await readAnswer(connection, 60_000));
  };
  return {
    answers,
    done: Promise.all(Array.from({ length: many }, (_, i) => one(i + 10))),
    close: () => connections.forEach((connection) => connection.close()),
  };
}

async function underWay(server: HttpServer): Promise<number> {
  const page = await (await server.fetch("/metrics")).text();
  return Number(/^skillfence_requests_under_way (\d+)/m.exec(page)![1]);
}

/** Most memory that the process has had, in KiB. */
function peak({ child }: HttpServer): number {
  const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]);
}

for (const line of ["2026", "2025"] as const) {
  Deno.test({
    name:
      `http answers: ${CROWD} large reads of ${line} clients that take nothing cost no more memory than a few, and probes are answered`,
    // Peak memory is read from /proc.
    ignore: Deno.build.os !== "linux",
    ...processTest,
    async fn() {
      await using skills = await tree();
      await using server = await startHttp({ skills: skills.path("s") });
      const ready = async () => (await server.fetch("/readyz")).ok;
      await until(ready);
      const request = line === "2026" ? modern : await oldRequest(server);
      const before = peak(server);

      // One after the other, so that the second has room at once.
      const few = [];
      for (const _ of [1, 2]) {
        const one = ask(server, request, 1);
        few.push(one);
        await one.done;
        assert.equal(one.answers[0]!.status, 200);
      }
      const control = peak(server) - before;
      for (const one of few) one.close();
      await until(async () => await underWay(server) === 0);

      const crowd = ask(server, request, CROWD);
      let probes = 0;
      let answered = false;
      crowd.done.then(() => answered = true, () => answered = true);
      while (!answered) {
        const probe = await fetch(`${server.origin}/healthz`);
        assert.equal(await probe.text(), "ok\n");
        if (crowd.answers.length < CROWD) probes += 1;
      }
      await crowd.done;
      const cost = peak(server) - before;
      assert.ok(cost < 3 * control, `${cost} KiB, two cost ${control} KiB`);
      assert.ok(probes > 20, `${probes} probes`);

      const refused = crowd.answers.filter(({ status }) => status === 429);
      const taken = crowd.answers.filter(({ status }) => status === 200);
      assert.equal(refused.length + taken.length, CROWD);
      assert.ok(taken.length > 0);
      assert.ok(refused.length > CROWD / 2, `${refused.length}`);
      assert.match(refused[0]!.head, /^retry-after: [1-9]\d*\r?$/im);

      // Small answers need no room, and large ones have it again.
      const small = await server.fetch("/mcp", {
        method: "POST",
        headers: modernHeaders("tools/list"),
        body: modernBody("tools/list"),
      });
      assert.match(await small.text(), /"skill_list"/);
      crowd.close();
      await until(async () => await underWay(server) === 0);
      const whole = await server.fetch("/mcp", {
        method: "POST",
        headers: request.headers,
        body: request.body(1),
      });
      assert.equal(whole.status, 200);
      assert.ok((await whole.text()).length > BIG * 4 / 3);
    },
  });
}

Deno.test({
  name:
    "http answers: a batch whose answers never fit together is 413, and nothing of it is read",
  ...processTest,
  async fn() {
    await using skills = await tree();
    await using server = await startHttp({ skills: skills.path("s") });
    const { headers, body } = await oldRequest(server);
    const response = await server.fetch("/mcp", {
      method: "POST",
      headers,
      body: `[${body(1)},${body(2)}]`,
    });
    assert.equal(response.status, 413);
    assert.match(await response.text(), /ask for less in one request/);
  },
});

Deno.test("AnswerRoom: who does not fit waits, the first that fits goes on, and who waited in vain gets 429", async () => {
  const room = new AnswerRoom({ bytes: 100, waitMs: 300 });
  const first = await room.enter(80);
  assert.ok(first.ok);
  let came = "";
  const large = room.enter(90).then((held) => {
    came += held.ok ? "large" : `${held.status} `;
    return held;
  });
  const small = room.enter(30).then((held) => {
    came += "small ";
    return held;
  });
  // It became smaller than was thought.
  first.is(60);
  assert.ok((await small).ok);
  assert.equal(room.used, 90);
  const late = await large;
  assert.equal(came, "small 429 ");
  assert.ok(!late.ok);
  assert.match(late.headers["Retry-After"] ?? "", /^[1-9]\d*$/);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  first.is(50);
  assert.equal(room.used, 30);
  const never = await room.enter(101);
  assert.equal(never.ok ? 200 : never.status, 413);
  assert.ok((await room.enter(0)).ok);
});

Deno.test("weigh: files count by their size and the limit asked for, all messages together, and the largest file fits", async () => {
  const sizes: Record<string, number> = { big: MAX_FILE, small: 40_000 };
  const of = (body: unknown) =>
    weigh(body, (uri) => Promise.resolve(sizes[uri] ?? 0));
  const read = (uri: unknown) => ({
    method: "resources/read",
    params: { uri },
  });
  const file = (limit: unknown) => ({
    method: "tools/call",
    params: { name: "skill_file", arguments: { limit } },
  });
  assert.ok(await of(read("big")) > MAX_FILE);
  assert.ok(await of(read("big")) <= HTTP_BOUNDS.answers.bytes);
  assert.equal(await of(read("small")), 0);
  assert.equal(await of([read("small"), read("small")]), 6 * 80_000);
  assert.equal(await of(file(1_000_000)), 6_000_000);
  for (
    const body of [
      undefined,
      null,
      "x",
      [null],
      read(7),
      file("1000000"),
      file(-1),
      file(1e300),
      { method: "resources/read" },
      { method: "tools/call", params: { name: "skill_file" } },
      { method: "tools/call", params: null },
    ]
  ) assert.equal(await of(body), 0, JSON.stringify(body));
});
