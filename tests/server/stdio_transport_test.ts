import assert from "node:assert/strict";
import { StdioTransport } from "../../src/server/stdio_transport.ts";

interface Wire {
  readonly transport: StdioTransport;
  readonly received: unknown[];
  readonly errors: string[];
  readonly written: string[];
  readonly say: (text: string | Uint8Array) => void;
  readonly hangUp: () => void;
  readonly closed: Promise<void>;
}

function wire(
  options: {
    maxBytes?: number;
    onEnd?: () => void;
    broken?: boolean;
  } = {},
): Wire {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const received: unknown[] = [];
  const errors: string[] = [];
  const written: string[] = [];
  const transport = new StdioTransport(
    {
      input: readable,
      write: (bytes) => {
        if (options.broken) return Promise.reject(new Error("broken pipe"));
        written.push(new TextDecoder().decode(bytes));
        return Promise.resolve();
      },
    },
    { onEnd: options.onEnd },
    options.maxBytes,
  );
  transport.onmessage = (message) => received.push(message);
  transport.onerror = (error) => errors.push(error.message);
  transport.onclose = resolve;
  void transport.start();
  return {
    transport,
    received,
    errors,
    written,
    closed,
    say: (text) => {
      const bytes = typeof text === "string"
        ? new TextEncoder().encode(text)
        : text;
      void writer.write(bytes);
    },
    hangUp: () => void writer.close(),
  };
}

const note = '{"jsonrpc":"2.0","method":"ping"}\n';
const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`;

Deno.test("StdioTransport: messages in one chunk, split chunks and split characters", async () => {
  const { say, hangUp, received, closed } = wire();
  say(note + note);
  const bytes = new TextEncoder().encode(
    '{"jsonrpc":"2.0","method":"é😀"}\r\n',
  );
  for (const byte of bytes) say(new Uint8Array([byte]));
  hangUp();
  await closed;
  assert.deepEqual(received.map((message) => (message as never)["method"]), [
    "ping",
    "ping",
    "é😀",
  ]);
});

Deno.test("StdioTransport: a bad line is skipped and the next one still read", async () => {
  const { say, hangUp, received, errors, closed } = wire();
  say(`nonsense\n{"a":1}\n[]\n\n${note}`);
  hangUp();
  await closed;
  assert.equal(received.length, 1);
  assert.equal(errors.length, 3);
});

Deno.test("StdioTransport: a message over the bound is skipped, not fatal", async () => {
  const { say, hangUp, received, errors, closed } = wire({ maxBytes: 100 });
  say(`{"jsonrpc":"2.0","method":"${"x".repeat(200)}`);
  say(`${"x".repeat(200)}"}\n${note}`);
  hangUp();
  await closed;
  assert.equal(received.length, 1);
  assert.deepEqual(errors, ["skipped a message over 100 bytes"]);
});

Deno.test("StdioTransport: after the end of input what was asked is still answered", async () => {
  let ended = false;
  const { transport, say, hangUp, written, closed } = wire({
    onEnd: () => ended = true,
  });
  say(ping(1) + ping(2) + ping(3));
  say(
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}\n',
  );
  hangUp();
  while (!ended) await new Promise((resolve) => setTimeout(resolve, 1));
  await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  await transport.send({ jsonrpc: "2.0", id: 2, result: {} });
  await closed;
  assert.equal(written.length, 2);
  await assert.rejects(
    transport.send({ jsonrpc: "2.0", id: 4, result: {} }),
    /closed/,
  );
});

Deno.test("StdioTransport: an answer that never comes holds the end up for five seconds", async () => {
  const { say, hangUp, closed } = wire();
  say(ping(1));
  const started = performance.now();
  hangUp();
  await closed;
  const waited = performance.now() - started;
  assert.ok(waited > 4900 && waited < 9900, String(waited));
});

Deno.test("StdioTransport: answers go out whole and in order", async () => {
  const { transport, written, hangUp, closed } = wire();
  await Promise.all(
    [1, 2, 3].map((id) => transport.send({ jsonrpc: "2.0", id, result: {} })),
  );
  assert.deepEqual(
    written,
    [1, 2, 3].map((id) => `{"jsonrpc":"2.0","id":${id},"result":{}}\n`),
  );
  hangUp();
  await closed;
});

Deno.test("StdioTransport: a reader that went away ends the connection", async () => {
  let ended = 0;
  const { transport, errors, closed } = wire({
    broken: true,
    onEnd: () => {
      ended++;
    },
  });
  await assert.rejects(
    transport.send({ jsonrpc: "2.0", id: 1, result: {} }),
    /broken pipe/,
  );
  await closed;
  assert.deepEqual([ended, errors], [1, ["broken pipe"]]);
});
