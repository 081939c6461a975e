import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { deflateSync, gzipSync } from "node:zlib";
import { ONLY_REQUESTS } from "../../src/proxy/reasons.ts";
import { Secrets } from "../../src/proxy/secrets.ts";
import {
  byteChunks,
  bytesOf,
  type Host,
  makeScene,
  pattern,
  readUntil,
  type Respond,
  type Scene,
  type SceneOptions,
  send,
  startHost,
  textOf,
} from "./support.ts";

const VALUE = "sk-live-0123456789abcdef";
const NAME = "API_KEY";

/** A proxy that holds one secret for `host`, and reaches `others` too. */
async function holding(
  host: Host,
  others: readonly string[] = [],
  more: Partial<SceneOptions> = {},
): Promise<Scene & { word: string; at: string }> {
  const at = `api.example.test:${host.port}`;
  const secrets = [{ name: NAME, value: VALUE, hosts: [pattern(at)] }];
  const scene = await makeScene({ hosts: [at, ...others], secrets, ...more });
  return { ...scene, at, word: scene.proxy.placeholders.get(NAME)! };
}

/** A host that says back what it got, as its request head and body. */
const echo: Respond = ({ head, body }) => framed(head + "\n" + body);

function framed(body: string | Uint8Array, headers = ""): Uint8Array {
  const bytes = typeof body === "string" ? bytesOf(body) : body;
  return bytesOf(
    `HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n${headers}\r\n${
      textOf(bytes)
    }`,
  );
}

Deno.test("Secrets: placeholders are random, printable and fit for a header", () => {
  const drawn = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const held = Secrets.of([
      { name: "A", value: VALUE, hosts: [] },
      { name: "B", value: VALUE, hosts: [] },
    ]);
    ok(held.ok);
    for (const word of held.value.placeholders.values()) {
      match(word, /^[a-z0-9-]{50,80}$/);
      drawn.add(word);
    }
  }
  equal(drawn.size, 40);
});

for (
  const [what, value] of Object.entries({
    "is empty": "",
    "ends in a line break": `${VALUE}\n`,
    "would begin a header": `x\r\nHost: evil`,
    "holds a zero byte": "x\0y",
  })
) {
  Deno.test(`Secrets: a value that ${what} is refused without being shown`, () => {
    const held = Secrets.of([{ name: NAME, value, hosts: [] }]);
    ok(!held.ok);
    equal(held.code, "CONFIG");
    match(held.message, /API_KEY/);
    ok(!held.message.includes("sk-live"));
  });
}

Deno.test("startProxy: the value is put into headers, and taken out of the answer", async () => {
  await using host = startHost(echo);
  await using scene = await holding(host);
  const response = await scene.fetch(`https://${scene.at}/`, {
    headers: {
      Authorization: `Bearer ${scene.word}`,
      "X-Twice": `${scene.word},${scene.word}`,
    },
  });
  const text = await response.text();
  match(host.seen[0]!.head, new RegExp(`authorization: Bearer ${VALUE}`, "i"));
  match(host.seen[0]!.head, new RegExp(`x-twice: ${VALUE},${VALUE}`, "i"));
  ok(!text.includes(VALUE));
  equal(text.split(scene.word).length, 4);
});

Deno.test("startProxy: the value is put into Basic credentials", async () => {
  await using host = startHost(echo);
  await using scene = await holding(host);
  const answer = await scene.raw([
    `GET https://${scene.at}/ HTTP/1.1`,
    `Host: ${scene.at}`,
    `Authorization: Basic ${btoa(`user:${scene.word}`)}`,
    "Connection: close\r\n\r\n",
  ].join("\r\n"));
  ok(!answer.includes(btoa(`user:${VALUE}`)));
  ok(answer.includes(btoa(`user:${scene.word}`)));
  match(
    host.seen[0]!.head,
    new RegExp(`Authorization: Basic ${btoa(`user:${VALUE}`)}$`, "m"),
  );
});

Deno.test("startProxy: the value is never put into the URL, a header's name or the body", async () => {
  await using host = startHost(echo);
  await using scene = await holding(host);
  const { word, at } = scene;
  await scene.raw([
    `POST https://${at}/${word}?key=${word} HTTP/1.1`,
    `Host: ${at}`,
    `X-${word}: 1`,
    `Content-Length: ${word.length}`,
    `Connection: close\r\n\r\n${word}`,
  ].join("\r\n"));
  const [seen] = host.seen;
  ok(!`${seen!.head}${seen!.body}`.includes(VALUE));
  match(seen!.head, new RegExp(`^POST /${word}\\?key=${word} `));
  equal(seen!.body, word);
});

Deno.test("startProxy: the value goes to no other host, port or scheme", async () => {
  await using host = startHost(echo);
  await using other = startHost(echo);
  await using plain = startHost(echo, { plain: true });
  await using scene = await holding(host, [
    `other.example.test:${host.port}`,
    `api.example.test:${other.port}`,
    `api.example.test:${plain.port}`,
  ]);
  const headers = { Authorization: `Bearer ${scene.word}` };
  for (
    const [where, url] of [
      [host, `https://other.example.test:${host.port}/`],
      [other, `https://api.example.test:${other.port}/`],
      [plain, `http://api.example.test:${plain.port}/`],
    ] as const
  ) {
    await (await scene.fetch(url, { headers })).text();
    const { head } = where.seen.at(-1)!;
    ok(head.includes(scene.word), url);
    ok(!head.includes(VALUE), url);
  }
});

Deno.test("startProxy: the value is not sent in the clear, not even to its own host and port", async () => {
  await using host = startHost(echo, { plain: true });
  await using scene = await holding(host);
  const response = await scene.fetch(`http://${scene.at}/`, {
    headers: { "X-Key": scene.word },
  });
  ok((await response.text()).includes(scene.word));
  ok(!host.seen[0]!.head.includes(VALUE));
});

Deno.test("startProxy: Host cannot lead the value elsewhere", async () => {
  await using host = startHost(echo);
  await using scene = await holding(host, [`other.example.test:${host.port}`]);
  const other = `other.example.test:${host.port}`;
  await scene.raw(
    `GET https://${other}/ HTTP/1.1\r\nHost: ${scene.at}\r\nX: ${scene.word}\r\nConnection: close\r\n\r\n`,
  );
  ok(!host.seen[0]!.head.includes(VALUE));
  match(host.seen[0]!.head, new RegExp(`Host: ${other}\r\n`));
});

Deno.test("startProxy: a redirect is not followed, and its next host gets the placeholder", async () => {
  await using second = startHost(echo);
  await using host = startHost(() =>
    `HTTP/1.1 302 Found\r\nLocation: https://other.example.test:${second.port}/?${VALUE}\r\nContent-Length: 0\r\n\r\n`
  );
  await using scene = await holding(host, [
    `other.example.test:${second.port}`,
  ]);
  const headers = { "X-Key": scene.word };
  const response = await scene.fetch(`https://${scene.at}/`, { headers });
  equal(response.status, 302);
  const location = response.headers.get("location")!;
  ok(!location.includes(VALUE));
  ok(location.includes(scene.word));
  await response.text();
  equal(second.connections, 0);
  await (await scene.fetch(location, { headers })).text();
  ok(second.seen[0]!.head.includes(scene.word));
  ok(!second.seen[0]!.head.includes(VALUE));
});

Deno.test("startProxy: a host without a verified certificate gets nothing", async () => {
  await using host = startHost(echo);
  await using scene = await holding(host, [], { caCerts: [] });
  const headers = { "X-Key": scene.word };
  const response = await scene.fetch(`https://${scene.at}/`, { headers });
  equal(response.status, 502);
  match(await response.text(), /its TLS handshake or certificate is not good/);
  deepEqual(host.seen, []);
});

Deno.test("startProxy: a certificate of another name is not good", async () => {
  await using host = startHost(echo);
  const at = `api.other.test:${host.port}`;
  await using scene = await makeScene({
    hosts: [at],
    secrets: [{ name: NAME, value: VALUE, hosts: [pattern(at)] }],
  });
  const word = scene.proxy.placeholders.get(NAME)!;
  const response = await scene.fetch(`https://${at}/`, {
    headers: { "X-Key": word },
  });
  equal(response.status, 502);
  await response.body?.cancel();
  deepEqual(host.seen, []);
});

Deno.test("startProxy: no tunnel and no upgrade leads to where a value is meant to go", async () => {
  await using host = startHost(echo);
  await using other = startHost(echo, { plain: true });
  await using scene = await holding(host, [`api.example.test:${other.port}`]);
  const upgrade = [
    `Host: ${scene.at}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    `X-Key: ${scene.word}\r\n\r\n`,
  ].join("\r\n");
  for (
    const request of [
      `CONNECT ${scene.at} HTTP/1.1\r\n\r\n`,
      `CONNECT API.example.test.:${host.port} HTTP/1.1\r\n\r\n`,
      `GET https://${scene.at}/ HTTP/1.1\r\n${upgrade}`,
      `GET http://${scene.at}/ HTTP/1.1\r\n${upgrade}`,
    ]
  ) {
    const answer = await scene.raw(request);
    match(answer, /^HTTP\/1\.1 403 /, request);
    match(answer, /takes no tunnel: a held value is meant for this host/);
  }
  equal(host.connections, 0);
  // Elsewhere the script is on its own, with a placeholder.
  using conn = await scene.connect();
  await send(conn, `CONNECT api.example.test:${other.port} HTTP/1.1\r\n\r\n`);
  await readUntil(conn, "\r\n\r\n");
  await send(conn, `GET / HTTP/1.1\r\nX-Key: ${scene.word}\r\n\r\n`);
  await readUntil(conn, scene.word);
  ok(!other.seen[0]!.head.includes(VALUE));
  const { contacts } = await scene.end();
  deepEqual(
    contacts.map(({ port, via, verdict, times, reason }) => [
      port,
      via,
      verdict,
      times,
      reason,
    ]),
    [
      [host.port, "tunnel", "denied", 4, ONLY_REQUESTS],
      [other.port, "tunnel", "allowed", 1, undefined],
    ],
  );
});

const CODED: Record<string, (text: string) => Uint8Array> = {
  gzip: (text) => gzipSync(text),
  "x-gzip": (text) => gzipSync(text),
  deflate: (text) => deflateSync(text),
  identity: (text) => bytesOf(text),
};

for (const [coding, encode] of Object.entries(CODED)) {
  for (const chunked of [false, true]) {
    Deno.test(`startProxy: the value is found in ${coding}${chunked ? ", byte by byte" : ""}`, async () => {
      const body = `before ${VALUE} between ${VALUE}${VALUE} after`;
      const bytes = encode(body);
      await using host = startHost(() =>
        chunked
          ? bytesOf(
            `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: ${coding}\r\n\r\n${
              textOf(byteChunks(bytes))
            }`,
          )
          : framed(bytes, `Content-Encoding: ${coding}\r\n`)
      );
      await using scene = await holding(host);
      const response = await scene.fetch(`https://${scene.at}/`, {
        headers: { "X-Key": scene.word },
      });
      equal(response.headers.get("content-encoding"), null);
      equal(response.headers.get("content-length"), null);
      equal(await response.text(), body.replaceAll(VALUE, scene.word));
    });
  }
}

for (const coding of ["zstd", "br", "gzip, gzip", "deflate, gzip"]) {
  Deno.test(`startProxy: an answer in ${coding} is not passed back`, async () => {
    await using host = startHost(() =>
      framed(VALUE, `Content-Encoding: ${coding}\r\n`)
    );
    await using scene = await holding(host);
    const response = await scene.fetch(`https://${scene.at}/`);
    equal(response.status, 502);
    match(await response.text(), /coding cannot be searched/);
  });
}

Deno.test("startProxy: of a host that a value is meant for no part of an answer is asked for or passed back", async () => {
  for (const status of ["206 Partial Content", "226 IM Used"]) {
    await using host = startHost(() =>
      `HTTP/1.1 ${status}\r\nContent-Length: 4\r\n\r\n${VALUE.slice(0, 4)}`
    );
    const other = `other.example.test:${host.port}`;
    await using scene = await holding(host, [other]);
    const ask = (at: string) =>
      scene.raw(
        `GET https://${at}/ HTTP/1.1\r\nHost: ${at}\r\nRange: bytes=0-3\r\nif-range: "x"\r\nA-IM: range\r\nConnection: close\r\n\r\n`,
      );
    const answer = await ask(scene.at);
    match(answer, /^HTTP\/1\.1 502 /);
    match(answer, /a part of an answer cannot be searched/);
    ok(!/^(range|if-range|a-im):/im.test(host.seen[0]!.head));
    match(await ask(other), new RegExp(`^HTTP/1\\.1 ${status}\r\n`));
    match(host.seen[1]!.head, /^Range: bytes=0-3\r$/m);
  }
});

Deno.test("startProxy: a body that is not its coding breaks the answer", async () => {
  await using host = startHost(() =>
    framed(`${VALUE} is not gzip`, "Content-Encoding: gzip\r\n")
  );
  await using scene = await holding(host);
  const answer = await scene.raw(
    `GET https://${scene.at}/ HTTP/1.1\r\nHost: ${scene.at}\r\nX-Key: ${scene.word}\r\n\r\n`,
  );
  ok(!answer.includes(VALUE));
  ok(!answer.endsWith("0\r\n\r\n"));
});

Deno.test("startProxy: of the client's codings only those that can be undone are asked for", async () => {
  await using host = startHost(echo);
  const other = `other.example.test:${host.port}`;
  await using scene = await holding(host, [other]);
  const ask = async (at: string, coding: string) => {
    await scene.raw(
      `GET https://${at}/ HTTP/1.1\r\nHost: ${at}\r\n${coding}Connection: close\r\n\r\n`,
    );
    return /accept-encoding: (.*)/i.exec(host.seen.at(-1)!.head)?.[1];
  };
  const modern = "Accept-Encoding: zstd, br;q=1.0, gzip\r\n";
  equal(await ask(scene.at, modern), "gzip");
  equal(await ask(scene.at, "Accept-Encoding: zstd\r\n"), "identity");
  equal(await ask(scene.at, ""), "identity");
  equal(await ask(other, modern), "zstd, br;q=1.0, gzip");
});

Deno.test("startProxy: the value is taken out of names, values and reason of a head", async () => {
  await using host = startHost(() =>
    `HTTP/1.1 200 ${VALUE}\r\nContent-Length: 0\r\nX-${VALUE}: 1\r\nX-Key: a ${VALUE}\r\n\r\n`
  );
  await using scene = await holding(host);
  const answer = await scene.raw(
    `GET https://${scene.at}/ HTTP/1.1\r\nHost: ${scene.at}\r\nX: ${scene.word}\r\nConnection: close\r\n\r\n`,
  );
  ok(!answer.includes(VALUE));
  equal(answer.split(scene.word).length, 4);
});

Deno.test("startProxy: HEAD, 204 and 304 have no body, whatever their headers say", async () => {
  const answers: Record<string, string> = {
    "/head":
      "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nContent-Encoding: gzip\r\n\r\n",
    "/204": `HTTP/1.1 204 No Content\r\nX-Key: ${VALUE}\r\n\r\n`,
    "/304":
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\nContent-Encoding: br\r\n\r\n",
  };
  await using host = startHost(({ head }) => answers[head.split(" ")[1]!]);
  await using scene = await holding(host);
  for (const path of Object.keys(answers)) {
    const response = await scene.fetch(`https://${scene.at}${path}`, {
      method: path === "/head" ? "HEAD" : "GET",
      headers: { "X-Key": scene.word },
    });
    equal(await response.text(), "");
    equal(response.headers.get("x-key"), path === "/204" ? scene.word : null);
  }
  // All of it over one connection: each answer's end was known.
  equal(host.connections, 1);
});

Deno.test("startProxy: a host that a value is meant for is searched from its first answer on, at every port", async () => {
  // It may have kept the value from an earlier run.
  await using host = startHost(() => framed(VALUE));
  await using plain = startHost(() => framed(VALUE), { plain: true });
  await using scene = await holding(host, [
    `api.example.test:${plain.port}`,
    `other.example.test:${plain.port}`,
  ]);
  const get = async (url: string) => await (await scene.fetch(url)).text();
  equal(await get(`https://${scene.at}/`), scene.word);
  equal(await get(`http://api.example.test:${plain.port}/`), scene.word);
  equal(await get(`http://other.example.test:${plain.port}/`), VALUE);
});

Deno.test("startProxy: two secrets, one the beginning of the other, are told apart", async () => {
  await using host = startHost(({ head }) =>
    framed(/x-key: (.*)/i.exec(head)![1]!)
  );
  const at = `api.example.test:${host.port}`;
  const hosts = [pattern(at)];
  await using scene = await makeScene({
    hosts: [at],
    secrets: [
      { name: "SHORT", value: "abcd", hosts },
      { name: "LONG", value: "abcdefgh", hosts },
    ],
  });
  const [short, long] = scene.proxy.placeholders.values();
  notEqual(short, long);
  const response = await scene.fetch(`https://${at}/`, {
    headers: { "X-Key": `${long}-${short}-${short}ef` },
  });
  equal(await response.text(), `${long}-${short}-${short}ef`);
});

Deno.test("startProxy: a stream is passed on as it comes, though it is searched", async () => {
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  await using host = startHost(async (_, conn) => {
    await send(
      conn,
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nfirst \r\n",
    );
    await goOn;
    return bytesOf(`6\r\nsecond\r\n0\r\n\r\n`);
  });
  await using scene = await holding(host);
  const response = await scene.fetch(`https://${scene.at}/`, {
    headers: { "X-Key": scene.word },
  });
  const reader = response.body!.getReader();
  equal(textOf((await reader.read()).value!), "first ");
  resolve();
  equal(textOf((await reader.read()).value!), "second");
  ok((await reader.read()).done);
});

Deno.test("startProxy: no value is in the record", async () => {
  await using host = startHost(echo);
  await using scene = await holding(host);
  await (await scene.fetch(`https://${scene.at}/${VALUE}`, {
    headers: { "X-Key": scene.word },
  })).text();
  ok(!JSON.stringify(await scene.end()).includes(VALUE));
});
