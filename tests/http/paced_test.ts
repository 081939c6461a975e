/** Slow readers, on real connections. */

import assert from "node:assert/strict";
import { paced, type ReaderBounds } from "../../src/http/paced.ts";
import { until } from "../support/until.ts";

const PIECE = new Uint8Array(64 * 1024);

/** A server that answers with `source`, and what became of it. */
function serve(source: () => ReadableStream<Uint8Array>, bounds: ReaderBounds) {
  let ends = 0;
  const server = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      onListen: () => {},
      onError: () => new Response(null, { status: 500 }),
    },
    () => new Response(paced(source(), bounds, () => ends += 1)),
  );
  return {
    port: server.addr.port,
    ends: () => ends,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function ask(port: number): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(
    new TextEncoder().encode("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
  );
  return connection;
}

/** A source that never waits for its reader, as an event stream does. */
function flood(taken: { bytes: number; cancelled: boolean }) {
  let timer: ReturnType<typeof setInterval>;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        for (let i = 0; i < 16; i++) {
          controller.enqueue(PIECE);
          taken.bytes += PIECE.length;
        }
      }, 1);
    },
    cancel() {
      clearInterval(timer);
      taken.cancelled = true;
    },
  });
}

Deno.test("paced: a source that floods a reader who takes nothing is cancelled at the bound", async () => {
  const taken = { bytes: 0, cancelled: false };
  await using server = serve(() => flood(taken), {
    pendingBytes: 1024 * 1024,
    stallMs: 60_000,
  });
  using _connection = await ask(server.port);
  await until(() => taken.cancelled);
  // The kernel's buffers take some MiB of it.
  assert.ok(taken.bytes < 64 * 1024 * 1024, `${taken.bytes}`);
  assert.equal(server.ends(), 1);
});

Deno.test("paced: one large answer that nobody reads is let go after the stall time", async () => {
  const whole = new Uint8Array(32 * 1024 * 1024);
  await using server = serve(() => new Response(whole).body!, {
    pendingBytes: 1024,
    stallMs: 300,
  });
  using _connection = await ask(server.port);
  await until(() => server.ends() === 1);
});

Deno.test("paced: a reader that is only slow gets every byte, in order", async () => {
  const whole = new Uint8Array(16 * 1024 * 1024);
  for (let i = 0; i < whole.length; i += 4096) whole[i] = i / 4096;
  await using server = serve(() => new Response(whole).body!, {
    pendingBytes: 1024,
    stallMs: 5000,
  });
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  const got: Uint8Array[] = [];
  for await (const chunk of response.body!) {
    if (got.length < 20) await new Promise((r) => setTimeout(r, 5));
    got.push(chunk);
  }
  assert.deepEqual(
    await new Blob(got as Uint8Array<ArrayBuffer>[]).bytes(),
    whole,
  );
  await until(() => server.ends() === 1);
});

Deno.test("paced: a reader that goes away ends the source", async () => {
  const taken = { bytes: 0, cancelled: false };
  let timer: ReturnType<typeof setInterval>;
  const trickle = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => controller.enqueue(new Uint8Array(10)), 10);
    },
    cancel() {
      clearInterval(timer);
      taken.cancelled = true;
    },
  });
  await using server = serve(() => trickle, {
    pendingBytes: 1024,
    stallMs: 60_000,
  });
  (await ask(server.port)).close();
  await until(() => taken.cancelled);
  assert.equal(server.ends(), 1);
});
