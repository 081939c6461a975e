/** Answers `GET /N` with N bytes, prints its port, and ends with its stdin. */

import { say } from "../say.ts";

const CHUNK = new Uint8Array(65_536);

function zeros(count: number): ReadableStream<Uint8Array> {
  let left = count;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, CHUNK.length);
      left -= size;
      if (size > 0) controller.enqueue(CHUNK.subarray(0, size));
      else controller.close();
    },
  });
}

if (import.meta.main) {
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => say(String(port)),
  }, ({ url }) => {
    const count = Number(new URL(url).pathname.slice(1));
    return new Response(zeros(count), {
      headers: { "Content-Length": String(count) },
    });
  });
  for await (const _ of Deno.stdin.readable);
  await server.shutdown();
}
