/** How many requests one caller has under way, from outside. */

import assert from "node:assert/strict";
import { AnswerRoom } from "../../src/http/answer_room.ts";
import { Endpoint } from "../../src/http/endpoint.ts";
import { type CallerBounds, Limiter } from "../../src/http/limiter.ts";
import type { Mcp } from "../../src/http/mcp.ts";
import { ownNames } from "../../src/http/names.ts";
import { createLogger } from "../../src/server/log.ts";
import { JSON_HEADERS } from "./raw.ts";
import { until } from "../support/until.ts";

/** An endpoint on a real port, whose MCP answers with `body`. */
function serve(
  body: () => Response | Promise<Response>,
  bounds: Partial<CallerBounds & { stallMs: number; weight: number }> = {},
) {
  const { stallMs = 10_000, weight = 0, ...ofCaller } = bounds;
  const answers = new AnswerRoom({ bytes: 1000, waitMs: 100 });
  const state = { ready: true };
  const logged: string[] = [];
  let ended = 0;
  const caller = { concurrent: 2, perSecond: 1000, burst: 1000, ...ofCaller };
  const limiter = () => new Limiter(caller, () => performance.now());
  const server = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      onListen: () => {},
      onError: () => new Response(null, { status: 500 }),
    },
    (request) => endpoint.handle(request),
  );
  const { port } = server.addr;
  const endpoint: Endpoint = new Endpoint({
    rules: {
      names: ownNames({ kind: "tcp", hostname: "127.0.0.1", port }, [], port),
      token: undefined,
      tokenlessCaller: "tcp",
    },
    limiter: limiter(),
    strangers: limiter(),
    body: { bytes: 1000, ms: 1000 },
    reader: { pendingBytes: 1000, stallMs },
    answers,
    weigh: () => Promise.resolve(weight),
    mcp: {
      serve: async () => ({
        response: await body(),
        ended: () => ended += 1,
      }),
    } as unknown as Mcp,
    isReady: () => state.ready,
    metrics: () => Promise.resolve(""),
    turnedAway: () => {},
    log: createLogger("error", (line) => logged.push(line)),
  });
  const ask = (method = "POST", text = "{}") =>
    fetch(`http://127.0.0.1:${port}/mcp`, {
      method,
      ...method === "POST" ? { headers: JSON_HEADERS, body: text } : {},
    });
  return {
    endpoint,
    answers,
    port,
    state,
    ask,
    logged,
    ended: () => ended,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** An event stream that is open until it is told to end. */
function stream() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
      controller.enqueue(new TextEncoder().encode(": open\n\n"));
    },
  });
  return {
    response: () =>
      new Response(body, { headers: { "content-type": "text/event-stream" } }),
    end: () => controller.close(),
  };
}

Deno.test("Endpoint: a request is under way until its answer's last byte, and one too many gets 429 with Retry-After", async () => {
  const streams = [stream(), stream(), stream()];
  let next = 0;
  await using server = serve(() => streams[next++]!.response());
  const [first, second] = [await server.ask(), await server.ask()];
  const over = await server.ask();
  assert.equal(over.status, 429);
  assert.match(over.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  await over.body?.cancel();
  assert.equal(server.endpoint.underWay, 2);
  streams[0]!.end();
  await first.text();
  await until(() => server.endpoint.underWay === 1);
  const third = await server.ask();
  assert.equal(third.status, 200);
  // A client that goes away gives its place back as well.
  await second.body?.cancel();
  await third.body?.cancel();
  await until(() => server.endpoint.underWay === 0);
  await server.endpoint.idle();
  assert.equal(server.ended(), 3);
});

Deno.test("Endpoint: each message of a batch counts as a request, until the batch is answered", async () => {
  const streams = [stream(), stream()];
  let next = 0;
  await using server = serve(() => streams[next++]!.response());
  const three = await server.ask("POST", "[{},{},{}]");
  // Given up first: an open answer would keep the server from ending.
  await three.body?.cancel();
  assert.equal(three.status, 429);
  assert.equal(server.endpoint.underWay, 0);
  const two = await server.ask("POST", "[{},{}]");
  assert.equal(two.status, 200);
  const over = await server.ask();
  assert.equal(over.status, 429);
  await over.body?.cancel();
  streams[0]!.end();
  await two.text();
  await until(() => server.endpoint.underWay === 0);
  const after = await server.ask();
  assert.equal(after.status, 200);
  await after.body?.cancel();
});

Deno.test("Endpoint: streams that wait for news take no place", async () => {
  await using server = serve(() => stream().response());
  const open = await Promise.all([
    server.ask("GET"),
    server.ask("GET"),
    server.ask("GET"),
    server.ask("POST", '{"method":"subscriptions/listen"}'),
  ]);
  for (const { status } of open) assert.equal(status, 200);
  assert.equal(server.endpoint.underWay, 0);
  for (const { body } of open) await body?.cancel();
  await until(() => server.ended() === 4);
});

Deno.test("Endpoint: who asks too often gets 429 with Retry-After", async () => {
  await using server = serve(() => Response.json({}), {
    perSecond: 0.5,
    burst: 3,
  });
  const answers = [];
  for (let i = 0; i < 5; i++) {
    const response = await server.ask();
    await response.body?.cancel();
    answers.push([response.status, response.headers.get("retry-after")]);
  }
  assert.deepEqual(answers, [
    [200, null],
    [200, null],
    [200, null],
    [429, "2"],
    [429, "2"],
  ]);
});

Deno.test("Endpoint: a bug is 500 with an id that the log has, and nothing of what happened", async () => {
  await using server = serve(() => {
    throw new Error("secret words");
  });
  const response = await server.ask();
  assert.equal(response.status, 500);
  const text = await response.text();
  const [, id] = /\(id (\w+)\)/.exec(text)!;
  assert.ok(!text.includes("secret words"));
  assert.ok(server.logged.join("").includes(id!));
  assert.equal(server.endpoint.underWay, 0);
});

Deno.test("Endpoint: once it drains, new requests get 503 and what is under way is answered", async () => {
  const one = stream();
  await using server = serve(one.response);
  const running = await server.ask();
  server.endpoint.drain();
  const late = await server.ask();
  await late.body?.cancel();
  assert.equal(late.status, 503);
  one.end();
  assert.equal(await running.text(), ": open\n\n");
  await server.endpoint.idle();
});

Deno.test("Endpoint: an answer that nobody reads is let go after the stall time", async () => {
  const whole = JSON.stringify("x".repeat(32 * 1024 * 1024));
  await using server = serve(
    () =>
      new Response(whole, { headers: { "content-type": "application/json" } }),
    { stallMs: 300 },
  );
  using connection = await Deno.connect({
    hostname: "127.0.0.1",
    port: server.port,
  });
  await connection.write(
    new TextEncoder().encode(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    ),
  );
  await until(() => server.endpoint.underWay === 1);
  await until(() => server.endpoint.underWay === 0);
  assert.equal(server.ended(), 1);
});

Deno.test("Endpoint: a large answer has its room until it is sent, and gives it back", async () => {
  const first = stream();
  await using server = serve(first.response, { weight: 800 });
  const one = server.ask();
  await until(() => server.answers.used === 800);
  const two = await server.ask();
  await two.body?.cancel();
  assert.equal(two.status, 429);
  assert.match(two.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  first.end();
  assert.equal(await (await one).text(), ": open\n\n");
  await until(() => server.answers.used === 0);
  assert.equal(server.endpoint.underWay, 0);
});

Deno.test("Endpoint: a large answer that is never made is 503 after the stall time, and gives its room back", async () => {
  await using server = serve(stream().response, { weight: 800, stallMs: 300 });
  const response = await server.ask();
  await response.body?.cancel();
  assert.equal(response.status, 503);
  assert.equal(server.answers.used, 0);
  assert.equal(server.endpoint.underWay, 0);
  assert.equal(server.ended(), 1);
});

Deno.test("Endpoint: /readyz is 503 before the first scan and once it drains, /healthz is not", async () => {
  await using server = serve(() => Response.json({}));
  const probe = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return `${response.status} ${await response.text()}`;
  };
  server.state.ready = false;
  assert.equal(await probe("/readyz"), "503 not ready\n");
  server.state.ready = true;
  assert.equal(await probe("/readyz"), "200 ok\n");
  server.endpoint.drain();
  assert.equal(await probe("/readyz"), "503 not ready\n");
  assert.equal(await probe("/healthz"), "200 ok\n");
});
