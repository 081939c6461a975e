import { deepEqual, equal, match, ok } from "node:assert/strict";
import { urlDestination } from "../../src/proxy/destination.ts";
import { Routes } from "../../src/proxy/route.ts";
import {
  type Host,
  makeScene,
  OK,
  readUntil,
  send,
  startHost,
} from "./support.ts";

const CREDENTIALS = `Basic ${btoa("user:p@ss")}`;

/** The server's own proxy: tunnels lead to `target`, requests are answered. */
function startUpstream(target: Host, refuse = false): Host {
  return startHost(async ({ head }, conn) => {
    if (!head.startsWith("CONNECT ")) return OK;
    if (refuse) return "HTTP/1.1 407 Denied\r\nContent-Length: 0\r\n\r\n";
    const far = await Deno.connect({
      hostname: "127.0.0.1",
      port: target.port,
    });
    await send(conn, "HTTP/1.1 200 OK\r\nX: y\r\n\r\n");
    await Promise.allSettled([
      far.readable.pipeTo(conn.writable),
      conn.readable.pipeTo(far.writable),
    ]);
  }, { plain: true });
}

Deno.test("startProxy: https goes through the server's proxy, verified end to end", async () => {
  await using host = startHost();
  await using upstream = startUpstream(host);
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({
    hosts: [at],
    openAddresses: [],
    upstream: { https: `http://user:p%40ss@127.0.0.1:${upstream.port}` },
  });
  const response = await scene.fetch(`https://${at}/x`);
  equal(await response.text(), "ok");
  deepEqual(upstream.seen.map(({ head }) => head), [
    `CONNECT ${at} HTTP/1.1\r\nHost: ${at}\r\nProxy-Authorization: ${CREDENTIALS}`,
  ]);
  match(host.seen[0]!.head, /^GET \/x HTTP\/1\.1\r\nHost: api\.example\.test/);
  // Its name is the upstream's to resolve.
  deepEqual(scene.resolved, []);
});

Deno.test("startProxy: http goes through the server's proxy as a whole URL", async () => {
  await using host = startHost();
  await using upstream = startUpstream(host);
  const at = "api.example.test";
  await using scene = await makeScene({
    hosts: [at],
    upstream: { http: `user:p%40ss@127.0.0.1:${upstream.port}` },
  });
  for (const path of ["1", "2"]) {
    const response = await scene.fetch(`http://${at}/${path}`, {
      headers: { "Proxy-Authorization": "Basic eA==" },
    });
    equal(await response.text(), "ok");
  }
  const [first] = upstream.seen;
  match(first!.head, /^GET http:\/\/api\.example\.test\/1 HTTP\/1\.1\r\n/);
  match(first!.head, /\r\nHost: api\.example\.test\r\n/);
  deepEqual(first!.head.match(/proxy-authorization: .*/gi), [
    `Proxy-Authorization: ${CREDENTIALS}`,
  ]);
  deepEqual(scene.resolved, []);
});

Deno.test("startProxy: a tunnel goes through the server's proxy", async () => {
  await using host = startHost(undefined, { plain: true });
  await using upstream = startUpstream(host);
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({
    hosts: [at],
    upstream: { https: `http://127.0.0.1:${upstream.port}` },
  });
  using conn = await scene.connect();
  await send(conn, `CONNECT ${at} HTTP/1.1\r\n\r\n`);
  await readUntil(conn, "\r\n\r\n");
  await send(conn, `GET / HTTP/1.1\r\nHost: ${at}\r\n\r\n`);
  match(await readUntil(conn, "ok"), /^HTTP\/1\.1 200 /);
  equal(host.seen.length, 1);
});

Deno.test("startProxy: an upstream that says no is reported as not leading there", async () => {
  await using host = startHost();
  await using upstream = startUpstream(host, true);
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({
    hosts: [at],
    upstream: { https: `http://user:secret@127.0.0.1:${upstream.port}` },
  });
  const response = await scene.fetch(`https://${at}/`);
  equal(response.status, 502);
  const text = await response.text();
  match(text, /the server's own proxy does not lead there/);
  ok(!text.includes("secret"));
});

Deno.test("startProxy: through an upstream too, hosts are checked and private addresses refused", async () => {
  await using host = startHost();
  await using upstream = startUpstream(host);
  await using scene = await makeScene({
    hosts: ["169.254.169.254", "10.0.0.1:443"],
    openAddresses: [],
    upstream: {
      http: `http://127.0.0.1:${upstream.port}`,
      https: `http://127.0.0.1:${upstream.port}`,
    },
  });
  for (
    const url of [
      "http://169.254.169.254/latest",
      "https://10.0.0.1/",
      "https://other.example.test/",
    ]
  ) {
    const response = await scene.fetch(url);
    equal(response.status, 403, url);
    await response.body?.cancel();
  }
  match(await scene.raw("CONNECT 10.0.0.1:443 HTTP/1.1\r\n\r\n"), / 403 /);
  equal(upstream.connections, 0);
});

Deno.test("startProxy: what NO_PROXY names is reached without the upstream", async () => {
  await using host = startHost();
  await using upstream = startUpstream(host);
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({
    hosts: [at],
    upstream: {
      https: `http://127.0.0.1:${upstream.port}`,
      noProxy: "other.test, .EXAMPLE.test",
    },
  });
  equal(await (await scene.fetch(`https://${at}/`)).text(), "ok");
  equal(upstream.connections, 0);
  deepEqual(scene.resolved, ["api.example.test"]);
});

Deno.test("startProxy: a connection through an upstream is not kept for another host", async () => {
  await using host = startHost();
  await using upstream = startUpstream(host);
  const [a, b] = ["a", "b"].map((n) => `${n}.example.test:${host.port}`);
  await using scene = await makeScene({
    hosts: [a!, b!],
    upstream: { https: `http://127.0.0.1:${upstream.port}` },
  });
  for (const at of [a, b, a, b]) {
    equal(await (await scene.fetch(`https://${at}/`)).text(), "ok");
  }
  equal(upstream.connections, 2);
  ok(
    host.seen.every(({ head }, i) =>
      head.includes(`Host: ${i % 2 === 0 ? a : b}\r\n`)
    ),
  );
});

const NO_PROXY: readonly (readonly [string, string, boolean])[] = [
  ["*", "https://api.example.test/", true],
  ["example.test", "https://api.example.test/", true],
  [".example.test", "https://api.example.test/", true],
  ["*.example.test", "https://api.example.test/", true],
  ["example.test:8443", "https://api.example.test/", false],
  ["example.test:8443", "https://api.example.test:8443/", true],
  ["ample.test", "https://api.example.test/", false],
  ["8.8.8.8", "https://8.8.8.8/", true],
  ["8.8.0.0/16", "https://8.8.8.8/", true],
  ["8.9.0.0/16", "https://8.8.8.8/", false],
  [".8.8.8", "https://8.8.8.8/", false],
  ["2606:4700::1111", "https://[2606:4700::1111]/", true],
  ["[2606:4700::1111]:443", "https://[2606:4700::1111]/", true],
  ["", "https://api.example.test/", false],
];

for (const [noProxy, url, direct] of NO_PROXY) {
  Deno.test(`Routes: "${noProxy}" ${direct ? "spares" : "does not spare"} ${url}`, () => {
    const routes = Routes.of({ https: "proxy.test:3128", noProxy });
    ok(routes.ok);
    equal(routes.value.to(urlDestination(url)!, false) === undefined, direct);
  });
}

Deno.test("Routes: each scheme has its own way, and a tunnel that of https", () => {
  const routes = Routes.of({ http: "http://a.test", https: "http://b.test:1" });
  ok(routes.ok);
  const to = (url: string, tunnel: boolean) =>
    routes.value.to(urlDestination(url)!, tunnel)?.host;
  equal(to("http://api.example.test/", false), "a.test");
  equal(to("https://api.example.test/", false), "b.test");
  equal(to("http://api.example.test/", true), "b.test");
});

for (const address of ["socks5://a.test", "https://a.test", "unix:/a", "::"]) {
  Deno.test(`Routes: ${address} is refused, without showing credentials`, () => {
    const routes = Routes.of({ https: address.replace("//", "//u:geheim@") });
    ok(!routes.ok);
    equal(routes.code, "CONFIG");
    ok(!`${routes.message}${routes.hint}`.includes("geheim"));
  });
}
