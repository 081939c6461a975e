/** Answers that unpack to far more than was sent. */

import { equal, ok, rejects } from "node:assert/strict";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import {
  byteChunks,
  bytesOf,
  makeScene,
  pattern,
  send,
  startHost,
  textOf,
} from "./support.ts";

const MIB = 2 ** 20;
const UNPACKED = 512 * MIB;
/** Of this process, in which host, proxy and client are, at a standstill. */
const MAX_GROWTH = 64 * MIB;
/** With what all three leave to be collected; Deno 2.7 takes larger pieces. */
const MAX_AT_WORK = 128 * MIB;

async function bomb(): Promise<Uint8Array> {
  const zeros = new Uint8Array(MIB);
  const source = Readable.from(
    function* () {
      for (let sent = 0; sent < UNPACKED; sent += MIB) yield zeros;
    }(),
  );
  const packed: Uint8Array[] = [];
  for await (const part of source.pipe(createGzip({ level: 9 }))) {
    packed.push(part);
  }
  return new Uint8Array(await new Blob(packed as BlobPart[]).arrayBuffer());
}

Deno.test("startProxy: an answer that unpacks to 512 MiB takes little memory, whether its client stops or reads", async () => {
  const packed = await bomb();
  await using host = startHost(async ({ head }, conn) => {
    if (head.startsWith("GET /small ")) {
      return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    }
    await send(
      conn,
      `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`,
    );
    await send(conn, packed);
  });
  const at = `api.example.test:${host.port}`;
  const secrets = [{ name: "KEY", value: "sk-live", hosts: [pattern(at)] }];
  await using scene = await makeScene({ hosts: [at], secrets });
  const before = Deno.memoryUsage().rss;
  let most = 0;
  const look = () => most = Math.max(most, Deno.memoryUsage().rss - before);
  using conn = await scene.connect();
  await send(conn, `GET https://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`);
  const into = new Uint8Array(65_536);
  let got = await conn.read(into) ?? 0;
  // Its reader has stopped; others are answered all the same, and soon.
  for (let i = 0; i < 50; i++) {
    const since = performance.now();
    const other = await scene.fetch(`https://${at}/small`);
    equal(await other.text(), "ok");
    ok(performance.now() - since < 2_000);
    look();
  }
  ok(most < MAX_GROWTH, `${Math.round(most / MIB)} MiB more`);
  // Heads of chunks count as well: a little more than what was unpacked.
  while (got < UNPACKED) {
    const count = await conn.read(into);
    ok(count !== null, `ended after ${got} bytes`);
    got += count;
    look();
  }
  ok(most < MAX_AT_WORK, `${Math.round(most / MIB)} MiB more`);
});

Deno.test("startProxy: what is packed is passed on as it comes", async () => {
  const [second, end] = [1, 2].map(() => Promise.withResolvers<void>());
  const gzip = createGzip();
  const packed = async (text: string) => {
    const parts: Uint8Array[] = [];
    const take = (part: Uint8Array) => void parts.push(part);
    gzip.on("data", take);
    gzip.write(text);
    await new Promise<void>((done) => gzip.flush(() => done()));
    gzip.off("data", take);
    return byteChunks(
      new Uint8Array(
        await new Blob(parts as BlobPart[])
          .arrayBuffer(),
      ),
    ).slice(0, -5);
  };
  await using host = startHost(async (_, conn) => {
    await send(
      conn,
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n",
    );
    await send(conn, await packed("first "));
    await second!.promise;
    await send(conn, await packed("second"));
    await end!.promise;
    // It ends without the end of its coding: that is no whole answer.
    return bytesOf("0\r\n\r\n");
  });
  const at = `api.example.test:${host.port}`;
  const secrets = [{ name: "KEY", value: "sk-live", hosts: [pattern(at)] }];
  await using scene = await makeScene({ hosts: [at], secrets });
  const response = await scene.fetch(`https://${at}/`);
  const reader = response.body!.getReader();
  const read = async (length: number) => {
    let text = "";
    while (text.length < length) text += textOf((await reader.read()).value!);
    return text;
  };
  equal(await read(6), "first ");
  second!.resolve();
  equal(await read(6), "second");
  end!.resolve();
  await rejects(reader.read());
});
