import { deepEqual, equal, match, ok } from "node:assert/strict";
import { startProxy } from "../../src/proxy/proxy.ts";
import { makeTree } from "../support/tree.ts";
import {
  bytesOf,
  makeScene,
  OK,
  readAll,
  readUntil,
  send,
  startHost,
} from "./support.ts";
import { until } from "../support/until.ts";

const NOTHING = {
  hosts: [],
  openAddresses: [],
  closedPorts: [],
  secrets: [],
};

Deno.test("startProxy: an https request is answered by the host it names", async () => {
  await using host = startHost();
  await using scene = await makeScene({
    hosts: [`api.example.test:${host.port}`],
  });
  const url = `https://api.example.test:${host.port}/a?b=c`;
  const response = await scene.fetch(url, { method: "POST", body: "hello" });
  equal(response.status, 200);
  equal(await response.text(), "ok");
  equal(host.seen[0]!.head.split("\r\n")[0], "POST /a?b=c HTTP/1.1");
  equal(host.seen[0]!.body, "hello");
  deepEqual(scene.resolved, ["api.example.test"]);
});

Deno.test("startProxy: the socket is the owner's alone, and goes with the proxy", async () => {
  await using scene = await makeScene({ hosts: [] });
  equal(Deno.statSync(scene.socket).mode! & 0o777, 0o600);
  await scene.end();
  equal(await Deno.stat(scene.socket).catch(() => "gone"), "gone");
});

Deno.test({
  name: "startProxy: a socket may belong to the scripts' account",
  // Only root gives files away.
  ignore: Deno.uid() !== 0,
  async fn() {
    const owner = { uid: 65_534, gid: 65_534 };
    await using scene = await makeScene({ hosts: [], owner });
    const { uid, gid } = Deno.statSync(scene.socket);
    deepEqual({ uid, gid }, owner);
  },
});

Deno.test("startProxy: a socket that cannot be made is a refusal", async () => {
  await using tree = await makeTree({});
  const socket = tree.path("missing", "proxy.sock");
  const started = await startProxy({ socket, rules: NOTHING, upstream: {} });
  ok(!started.ok);
  equal(started.code, "FENCE_UNAVAILABLE");
});

Deno.test("startProxy: an undeclared host or port is denied and never resolved", async () => {
  await using host = startHost(undefined, { plain: true });
  await using scene = await makeScene({
    hosts: [`api.example.test:${host.port}`, "*.wide.example.test"],
  });
  for (
    const at of [
      `other.example.test:${host.port}`,
      `api.example.test:${host.port + 1}`,
      `x.api.example.test:${host.port}`,
      `api.example.test.evil.test:${host.port}`,
      `wide.example.test:${host.port}`,
      "notwide.example.test:443",
    ]
  ) {
    const answer = await scene.raw(
      `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
    );
    match(answer, /^HTTP\/1\.1 403 Forbidden\r\n/);
    match(answer, /Proxy-Status: skillfence; error=http_request_denied/);
    const [name, port] = at.split(":");
    ok(answer.endsWith(
      `\r\n\r\n${name} port ${port} is not granted to this script\n`,
    ));
    match(await scene.raw(`CONNECT ${at} HTTP/1.1\r\n\r\n`), / 403 /);
  }
  equal(host.connections, 0);
  deepEqual(scene.resolved, []);
  const { contacts } = await scene.end();
  equal(contacts.length, 12);
  ok(contacts.every(({ verdict }) => verdict === "denied"));
  ok(contacts.every(({ reason }) => reason === "not granted"));
});

Deno.test("startProxy: a redirect to an undeclared host ends there", async () => {
  await using host = startHost(() =>
    "HTTP/1.1 302 Found\r\nLocation: https://evil.test/\r\nContent-Length: 0\r\n\r\n"
  );
  await using scene = await makeScene({
    hosts: [`api.example.test:${host.port}`],
  });
  const response = await scene.fetch(
    `https://api.example.test:${host.port}/`,
    { redirect: "follow" },
  );
  equal(response.status, 403);
  equal(
    await response.text(),
    "evil.test port 443 is not granted to this script\n",
  );
});

Deno.test("startProxy: a body of any size goes both ways unchanged", async () => {
  const size = 3_000_001;
  await using host = startHost(({ body }) =>
    bytesOf(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  );
  await using scene = await makeScene({
    hosts: [`api.example.test:${host.port}`],
  });
  const sent = crypto.getRandomValues(new Uint8Array(65_536));
  const whole = new Uint8Array(size).map((_, i) => sent[i % sent.length]!);
  for (const body of [whole, ReadableStream.from([whole])]) {
    const response = await scene.fetch(
      `https://api.example.test:${host.port}/`,
      { method: "POST", body },
    );
    const back = new Uint8Array(await response.arrayBuffer());
    ok(back.length === size && back.every((byte, i) => byte === whole[i]));
  }
  const [contact] = (await scene.end()).contacts;
  equal(contact!.times, 2);
  ok(contact!.bytesOut > 2 * size && contact!.bytesOut < 2.1 * size);
  ok(contact!.bytesIn > 2 * size && contact!.bytesIn < 2.1 * size);
});

Deno.test("startProxy: connections are kept on both sides", async () => {
  await using host = startHost();
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at] });
  using conn = await scene.connect();
  for (let i = 0; i < 5; i++) {
    await send(conn, `GET https://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`);
    await readUntil(conn, "\r\n\r\nok");
  }
  equal(host.seen.length, 5);
  equal(host.connections, 1);
  deepEqual(scene.resolved, ["api.example.test"]);
  equal((await scene.end()).contacts[0]!.times, 5);
});

Deno.test("startProxy: a kept connection that the host has left is not used", async () => {
  // It promises to stay, and leaves.
  await using host = startHost(async (_, conn) => {
    await send(conn, OK);
  }, { plain: true });
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at] });
  for (let i = 0; i < 5; i++) {
    equal(await (await scene.fetch(`http://${at}/`)).text(), "ok");
  }
  equal(host.connections, 5);
});

Deno.test("startProxy: a kept connection is closed as soon as the host leaves", async () => {
  await using listener = startRaw(async (conn) => {
    await readUntil(conn, "\r\n\r\n");
    await send(conn, OK);
    await conn.closeWrite();
    await readAll(conn);
  });
  const at = `api.example.test:${listener.port}`;
  await using scene = await makeScene({ hosts: [at] });
  equal(await (await scene.fetch(`http://${at}/`)).text(), "ok");
  await until(() => listener.ended === 1);
});

Deno.test("startProxy: a host that leaves when asked again is asked anew, unless that could repeat something", async () => {
  await using listener = startRaw(async (conn) => {
    await readUntil(conn, "\r\n\r\n");
    await send(conn, OK);
    await readUntil(conn, "\r\n\r\n");
  });
  const at = `api.example.test:${listener.port}`;
  await using scene = await makeScene({ hosts: [at] });
  const ask = async (method: string) => {
    const response = await scene.fetch(`http://${at}/`, { method });
    await response.text();
    return response.status;
  };
  equal(await ask("GET"), 200);
  equal(await ask("GET"), 200);
  equal(listener.accepted, 2);
  equal(await ask("POST"), 502);
  equal(listener.accepted, 2);
});

Deno.test("startProxy: HTTP/1.0 clients and hosts are understood", async () => {
  await using host = startHost(async (_, conn) => {
    await send(conn, "HTTP/1.0 200 OK\r\n\r\nuntil the end");
  }, { plain: true });
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at] });
  const old = await scene.raw(`GET http://${at}/ HTTP/1.0\r\n\r\n`);
  match(old, /\r\nConnection: close\r\n\r\nuntil the end$/);
  const response = await scene.fetch(`http://${at}/`);
  equal(await response.text(), "until the end");
});

Deno.test("startProxy: an answer that ends early is not taken for a whole one", async () => {
  await using host = startHost(async (_, conn) => {
    await send(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
  }, { plain: true });
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at] });
  const response = await scene.fetch(`http://${at}/`);
  equal(await response.text().catch(() => "failed"), "failed");
});

Deno.test("startProxy: an answer before the request's end is passed on", async () => {
  await using listener = startRaw(async (conn) => {
    await readUntil(conn, "\r\n\r\n");
    await send(
      conn,
      "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nno!",
    );
    await readAll(conn);
  });
  const at = `api.example.test:${listener.port}`;
  await using scene = await makeScene({ hosts: [at] });
  using conn = await scene.connect();
  await send(
    conn,
    `POST http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 99\r\n\r\nabc`,
  );
  match(await readAll(conn), /^HTTP\/1\.1 413 Too Large\r\n[^]*no!$/);
});

Deno.test("startProxy: who expects to be told goes on is told", async () => {
  await using host = startHost();
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at] });
  using conn = await scene.connect();
  await send(
    conn,
    `POST https://${at}/ HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n`,
  );
  equal(await readUntil(conn, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  await send(conn, "abc");
  match(await readUntil(conn, "ok"), /^HTTP\/1\.1 200 /);
  ok(!/expect/i.test(host.seen[0]!.head));
});

Deno.test("startProxy: interim answers are not passed on", async () => {
  await using host = startHost(() =>
    `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${OK}`
  );
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at] });
  const response = await scene.fetch(`https://${at}/`);
  equal(await response.text(), "ok");
});

Deno.test("startProxy: a client that leaves takes its request along", async () => {
  let gone = false;
  await using listener = startRaw(async (conn) => {
    await readUntil(conn, "\r\n\r\n");
    await readAll(conn);
    gone = true;
  });
  const at = `api.example.test:${listener.port}`;
  await using scene = await makeScene({ hosts: [at] });
  const conn = await scene.connect();
  await send(conn, `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`);
  await until(() => listener.accepted > 0);
  conn.close();
  await until(() => gone);
});

Deno.test("startProxy: a tunnel carries bytes both ways and counts them", async () => {
  await using listener = startRaw(async (conn) => {
    await send(conn, "hello first");
    await send(conn, (await readUntil(conn, "!")).toUpperCase());
    equal(await readAll(conn), "");
  });
  const at = `api.example.test:${listener.port}`;
  await using scene = await makeScene({ hosts: [at] });
  using conn = await scene.connect();
  await send(conn, `CONNECT ${at} HTTP/1.1\r\nHost: ${at}\r\n\r\nearly!`);
  equal(
    await readUntil(conn, "EARLY!"),
    "HTTP/1.1 200 Connection Established\r\n\r\nhello firstEARLY!",
  );
  await conn.closeWrite();
  equal(await readAll(conn), "");
  deepEqual((await scene.end()).contacts, [{
    host: "api.example.test",
    port: listener.port,
    via: "tunnel",
    verdict: "allowed",
    reason: undefined,
    times: 1,
    bytesOut: 6,
    bytesIn: 17,
  }]);
});

Deno.test("startProxy: CONNECT with a body, or to a URL, is no tunnel", async () => {
  await using host = startHost();
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at] });
  for (
    const request of [
      `CONNECT ${at} HTTP/1.1\r\nContent-Length: 1\r\n\r\na`,
      `CONNECT ${at} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `CONNECT ${at} HTTP/1.1\r\nHost: ${at}\r\nHost: ${at}\r\n\r\n`,
      `CONNECT https://${at}/ HTTP/1.1\r\n\r\n`,
      `CONNECT api.example.test HTTP/1.1\r\n\r\n`,
      `CONNECT x@${at} HTTP/1.1\r\n\r\n`,
    ]
  ) match(await scene.raw(request), /^HTTP\/1\.1 400 /, request);
  equal(host.connections, 0);
});

Deno.test("startProxy: a host that does not answer in time is given up", async () => {
  // Connected to by the kernel; nobody ever shakes hands.
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const at = `api.example.test:${port}`;
  await using scene = await makeScene({ hosts: [at], connectMs: 50 });
  const response = await scene.fetch(`https://${at}/`);
  equal(response.status, 502);
  match(await response.text(), /TLS handshake/);
});

Deno.test("startProxy: a resolver that does not answer in time is given up", async () => {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  await using scene = await makeScene({
    hosts: ["api.example.test"],
    connectMs: 50,
    resolve: () => promise,
  });
  const response = await scene.fetch("https://api.example.test/");
  equal(response.status, 502);
  match(await response.text(), /it has no address/);
  resolve([]);
});

Deno.test("startProxy: more clients than are served wait, and idle ones make room", async () => {
  let active = 0;
  let most = 0;
  await using host = startHost(async () => {
    most = Math.max(most, ++active);
    await new Promise((resolve) => setTimeout(resolve, 5));
    active--;
    return OK;
  }, { plain: true });
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at], clients: 4 });
  const request = `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`;
  const idle = await Promise.all(
    Array.from({ length: 4 }, () => scene.connect()),
  );
  const answers = await Promise.all(
    Array.from({ length: 40 }, async () => {
      using conn = await scene.connect();
      await send(conn, request);
      return await readUntil(conn, "ok");
    }),
  );
  equal(answers.length, 40);
  ok(most <= 4);
  idle.forEach((conn) => conn.close());
});

Deno.test("startProxy: contacts are capped, and those beyond are counted", async () => {
  await using scene = await makeScene({ hosts: [] });
  using conn = await scene.connect();
  conn.close();
  for (let i = 0; i < 300; i++) {
    await scene.raw(`CONNECT h${i}.test:443 HTTP/1.1\r\n\r\n`);
  }
  await scene.raw("CONNECT h0.test:443 HTTP/1.1\r\n\r\n");
  const record = await scene.end();
  equal(record.contacts.length, 256);
  equal(record.contacts[0]!.times, 2);
  equal(record.more, 44);
});

Deno.test("close: ends requests, tunnels, idle connections and dialling", async () => {
  await using silent = startRaw(async (conn) => {
    await readAll(conn);
  });
  using deaf = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = deaf.addr as Deno.NetAddr;
  const at = `api.example.test:${silent.port}`;
  await using scene = await makeScene({
    hosts: [at, `api.example.test:${port}`],
  });
  const idle = await scene.connect();
  const tunnel = await scene.connect();
  await send(tunnel, `CONNECT ${at} HTTP/1.1\r\n\r\n`);
  await readUntil(tunnel, "\r\n\r\n");
  const request = await scene.connect();
  await send(request, `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`);
  const dialling = await scene.connect();
  const deafAt = `api.example.test:${port}`;
  await send(
    dialling,
    `GET https://${deafAt}/ HTTP/1.1\r\nHost: ${deafAt}\r\n\r\n`,
  );
  const half = await scene.connect();
  await send(half, "GET http://");
  await until(() => silent.accepted === 2);
  const accepted = await deaf.accept();
  const start = performance.now();
  const [first, second] = await Promise.all([scene.end(), scene.end()]);
  // Dialling alone would take ten seconds.
  ok(performance.now() - start < 8_000);
  equal(first, second);
  for (const conn of [idle, tunnel, request, dialling, half]) {
    equal(await readAll(conn), "");
    conn.close();
  }
  accepted.close();
  await until(() => silent.ended === 2);
});

Deno.test("closeSync: ends everything at once, and close still tells", async () => {
  await using silent = startRaw(async (conn) => {
    await readAll(conn);
  });
  const at = `api.example.test:${silent.port}`;
  await using scene = await makeScene({ hosts: [at] });
  using conn = await scene.connect();
  await send(conn, `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`);
  await until(() => silent.accepted === 1);
  scene.proxy.closeSync();
  scene.proxy.closeSync();
  equal(await readAll(conn), "");
  equal((await scene.end()).contacts.length, 1);
});

/** A server of raw connections. */
function startRaw(serve: (conn: Deno.Conn) => Promise<void>) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = {
    port: (listener.addr as Deno.NetAddr).port,
    accepted: 0,
    ended: 0,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
    },
  };
  const accepting = (async () => {
    const tasks: Promise<void>[] = [];
    try {
      for await (const conn of listener) {
        server.accepted++;
        tasks.push(
          serve(conn).finally(() => {
            server.ended++;
            conn.close();
          }),
        );
      }
    } finally {
      await Promise.all(tasks);
    }
  })();
  return server;
}
