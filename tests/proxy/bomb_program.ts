/**
 * Host, proxy and client of one answer that unpacks to 512 MiB, in a process of
 * their own: prints how much it grew, in bytes, while its client stood still and
 * in all.
 */

import { equal, ok } from "node:assert/strict";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { makeScene, pattern, send, startHost } from "./support.ts";

const MIB = 2 ** 20;
const UNPACKED = 512 * MIB;

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
const still = most;
// Heads of chunks count as well: a little more than what was unpacked.
while (got < UNPACKED) {
  const count = await conn.read(into);
  ok(count !== null, `ended after ${got} bytes`);
  got += count;
  look();
}
await Deno.stdout.write(
  new TextEncoder().encode(JSON.stringify({ still, atWork: most })),
);
