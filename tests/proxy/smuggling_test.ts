import { deepEqual, equal, match, ok } from "node:assert/strict";
import { makeScene, type Scene, send, startHost } from "./support.ts";

/** A host in the clear, since what arrives there is what counts. */
async function withHost(
  run: (scene: Scene, at: string, seen: () => string[]) => Promise<void>,
): Promise<void> {
  await using host = startHost(undefined, { plain: true });
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at] });
  await run(scene, at, () => host.seen.map(({ head }) => head));
}

/** What has two meanings, or none. `AT` stands for the host. */
const REFUSED: Record<string, string> = {
  "a length and chunks (CL.TE)":
    "POST http://AT/ HTTP/1.1\r\nHost: AT\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG",
  "chunks and a length (TE.CL)":
    "POST http://AT/ HTTP/1.1\r\nHost: AT\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
  "two lengths":
    "POST http://AT/ HTTP/1.1\r\nHost: AT\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
  "the same length twice":
    "POST http://AT/ HTTP/1.1\r\nHost: AT\r\nContent-Length: 1, 1\r\n\r\na",
  "a length with a sign":
    "POST http://AT/ HTTP/1.1\r\nHost: AT\r\nContent-Length: +1\r\n\r\na",
  "a length in hexadecimal":
    "POST http://AT/ HTTP/1.1\r\nHost: AT\r\nContent-Length: 0x1\r\n\r\na",
  "an unknown transfer coding":
    "POST http://AT/ HTTP/1.1\r\nHost: AT\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
  "two transfer codings":
    "POST http://AT/ HTTP/1.1\r\nHost: AT\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  "chunks in HTTP/1.0":
    "POST http://AT/ HTTP/1.0\r\nHost: AT\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "a space before the colon":
    "POST http://AT/ HTTP/1.1\r\nHost: AT\r\nContent-Length : 1\r\n\r\na",
  "a folded header (obs-fold)":
    "GET http://AT/ HTTP/1.1\r\nHost: AT\r\nX: a\r\n b\r\n\r\n",
  "a header without a colon":
    "GET http://AT/ HTTP/1.1\r\nHost: AT\r\nX\r\n\r\n",
  "bare line feeds": "GET http://AT/ HTTP/1.1\nHost: AT\n\n",
  "a bare line feed in a header":
    "GET http://AT/ HTTP/1.1\r\nHost: AT\r\nX: a\nY: b\r\n\r\n",
  "a bare carriage return in a header":
    "GET http://AT/ HTTP/1.1\r\nHost: AT\r\nX: a\rY: b\r\n\r\n",
  "a carriage return at a header's end":
    "GET http://AT/ HTTP/1.1\r\nHost: AT\r\nX: a\r\r\n\r\n",
  "a zero byte in a header":
    "GET http://AT/ HTTP/1.1\r\nHost: AT\r\nX: a\0b\r\n\r\n",
  "two Host headers":
    "GET http://AT/ HTTP/1.1\r\nHost: AT\r\nHost: other.example.test\r\n\r\n",
  "no Host header": "GET http://AT/ HTTP/1.1\r\n\r\n",
  "a request to the proxy itself": "GET / HTTP/1.1\r\nHost: AT\r\n\r\n",
  "an address of another scheme": "GET ftp://AT/ HTTP/1.1\r\nHost: AT\r\n\r\n",
  "credentials in the address":
    "GET http://api.example.test@AT/ HTTP/1.1\r\nHost: AT\r\n\r\n",
  "two spaces in the request line":
    "GET  http://AT/ HTTP/1.1\r\nHost: AT\r\n\r\n",
  "HTTP/0.9": "GET http://AT/\r\n\r\n",
  "HTTP/2 in clear": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "an empty line first": "\r\nGET http://AT/ HTTP/1.1\r\nHost: AT\r\n\r\n",
  "a head of more than 64 KiB": `GET http://AT/ HTTP/1.1\r\nHost: AT\r\nX: ${
    "a".repeat(65_536)
  }\r\n\r\n`,
  "a thousand headers": `GET http://AT/ HTTP/1.1\r\nHost: AT\r\n${
    "X: a\r\n".repeat(1_000)
  }\r\n`,
};

for (const [name, request] of Object.entries(REFUSED)) {
  Deno.test(`startProxy: ${name} is answered 400, and nothing is sent on`, () =>
    withHost(async (scene, at, seen) => {
      const answer = await scene.raw(request.replaceAll("AT", at));
      match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
      match(answer, /\r\nConnection: close\r\n/);
      deepEqual(seen(), []);
      deepEqual((await scene.end()).contacts, []);
    }));
}

const BROKEN_CHUNKS: Record<string, string> = {
  "no size": "zz\r\nabc\r\n0\r\n\r\n",
  "a size with a sign": "+3\r\nabc\r\n0\r\n\r\n",
  "an endless size": "fffffffff\r\nabc\r\n0\r\n\r\n",
  "bare line feeds": "3\nabc\n0\n\n",
  "more bytes than its size": "3\r\nabcd\r\n0\r\n\r\n",
};

for (const [name, body] of Object.entries(BROKEN_CHUNKS)) {
  Deno.test(`startProxy: a chunk with ${name} ends the request`, () =>
    withHost(async (scene, at, seen) => {
      const head =
        `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nTransfer-Encoding: chunked\r\n\r\n`;
      match(await scene.raw(head + body), /^HTTP\/1\.1 400 /);
      deepEqual(seen(), []);
    }));
}

Deno.test("startProxy: what follows a body is read as a request of its own", () =>
  withHost(async (scene, at, seen) => {
    const inner = `GET http://${at}/2 HTTP/1.1\r\nHost: ${at}\r\n\r\n`;
    const outer =
      `POST http://${at}/1 HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 2\r\n\r\nab`;
    const foreign = "GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n";
    const answer = await scene.raw(outer + inner + foreign);
    equal(answer.match(/HTTP\/1\.1 200/g)?.length, 2);
    match(answer, /HTTP\/1\.1 403 Forbidden/);
    deepEqual(seen().map((head) => head.split(" ")[1]), ["/1", "/2"]);
  }));

Deno.test("startProxy: a request is written afresh from its URL", () =>
  withHost(async (scene, at, seen) => {
    await scene.raw([
      `GET http://${at}/a/../b?c#d HTTP/1.1`,
      "Host: internal.example.test",
      "Connection: close, X-Hop",
      "X-Hop: 1",
      "X-Kept:  as it is ",
      "Keep-Alive: timeout=9",
      "Proxy-Connection: keep-alive",
      "Proxy-Authorization: Basic eA==",
      "TE: trailers",
      "Trailer: X-Late",
      "Upgrade: h2c",
      "HTTP2-Settings: AAA",
      "\r\n",
    ].join("\r\n"));
    deepEqual(seen(), [
      `GET /b?c HTTP/1.1\r\nHost: ${at}\r\nX-Kept: as it is`,
    ]);
  }));

Deno.test("startProxy: chunks are made anew, and trailers are dropped", () =>
  withHost(async (scene, at, seen) => {
    const answer = await scene.raw(
      `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nConnection: close\r\n` +
        "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nX-Late: 1\r\n\r\n",
    );
    match(answer, /200 OK/);
    ok(!seen()[0]!.includes("X-Late"));
    match(seen()[0]!, /Transfer-Encoding: chunked$/);
  }));

for (const method of ["TRACE", "TRACK"]) {
  Deno.test(`startProxy: ${method} is not passed on`, () =>
    withHost(async (scene, at, seen) => {
      for (const spelled of [method, method.toLowerCase()]) {
        const answer = await scene.raw(
          `${spelled} http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
        );
        match(answer, /^HTTP\/1\.1 405 /);
      }
      deepEqual(seen(), []);
    }));
}

Deno.test("startProxy: an answer that is not HTTP is not passed on", async () => {
  const answers = [
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "HTTP/1.1 200 OK\r\nX: a\n\n",
    "HTTP/1.1 999 OK\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
    "SSH-2.0-x\r\n\r\n",
  ];
  await using host = startHost(
    (seen) => answers[Number(seen.head.split(" ")[1]!.slice(1))],
    { plain: true },
  );
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at] });
  for (const number of answers.keys()) {
    const answer = await scene.raw(
      `GET http://${at}/${number} HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
    );
    match(answer, /^HTTP\/1\.1 502 /, answers[number]);
  }
});

Deno.test("startProxy: a head that comes byte by byte is read as one", () =>
  withHost(async (scene, at, seen) => {
    using conn = await scene.connect();
    for (const byte of `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`) {
      await send(conn, byte);
    }
    const into = new Uint8Array(1_000);
    ok(await conn.read(into));
    equal(seen().length, 1);
  }));
