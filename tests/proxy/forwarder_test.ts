import { equal, match, ok } from "node:assert/strict";
import {
  NO_NODE_HTTP,
  proxyFlags,
  proxyPermissions,
  proxyVariables,
  type ProxyWay,
  SANDBOX_WAY,
} from "../../src/proxy/forwarder.ts";
import { makeTree } from "../support/tree.ts";
import { AUTHORITY, makeScene, type Scene, startHost } from "./support.ts";

/** Runs a script that may reach `hosts`, with the proxy as its only way. */
async function run(
  script: string,
  { scene, hosts, port }: {
    scene: Scene;
    hosts: readonly string[];
    port: number | undefined;
  },
): Promise<{ code: number; out: string; err: string }> {
  await using tree = await makeTree({ "a.mjs": script, "ca.pem": AUTHORITY });
  const way: ProxyWay = { socket: scene.socket, port };
  const { net, paths } = proxyPermissions(way);
  const output = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      "--no-config",
      "--no-lock",
      `--allow-net=${[...hosts, ...net]}`,
      `--allow-read=${[tree.root, ...paths]}`,
      `--allow-write=${paths}`,
      "--ignore-env",
      ...proxyFlags(way),
      tree.path("a.mjs"),
    ],
    clearEnv: true,
    env: {
      DENO_DIR: tree.path("denodir"),
      NO_COLOR: "1",
      DENO_NO_UPDATE_CHECK: "1",
      ...proxyVariables(way),
    },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return {
    code: output.code,
    out: text(output.stdout),
    err: text(output.stderr),
  };
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}

/** Answers, and follows WebSockets as far as their opening. */
async function respond({ head }: { head: string }) {
  const key = /sec-websocket-key: *(\S+)/i.exec(head)?.[1];
  if (key === undefined) {
    return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  }
  const digest = await crypto.subtle.digest(
    "SHA-1",
    // The constant of RFC 6455.
    new TextEncoder().encode(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`),
  );
  const accept = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
}

const NODE_GET = `
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
const ca = readFileSync(new URL("./ca.pem", import.meta.url));
const get = (url, options) => new Promise((resolve, reject) => {
  const module = url.startsWith("https:") ? https : http;
  module.get(url, { ca, ...options }, (response) => {
    let text = "";
    response.on("data", (data) => text += data);
    response.on("end", () => resolve(response.statusCode + " " + text));
  }).on("error", reject);
});
`;

Deno.test("proxyVariables: fetch and WebSocket reach the proxy by its socket", async () => {
  await using tls = startHost(respond);
  await using plain = startHost(respond, { plain: true });
  const hosts = [tls, plain].map(({ port }) => `api.example.test:${port}`);
  await using scene = await makeScene({ hosts });
  const script = `
    for (const url of ["https://${hosts[0]}/", "http://${hosts[1]}/"]) {
      const response = await fetch(url, { method: "POST", body: "x" });
      console.log(response.status, await response.text());
      await new Promise((resolve, reject) => {
        const socket = new WebSocket(url.replace("http", "ws"));
        socket.onopen = () => resolve(console.log("open"));
        socket.onerror = ({ message }) => reject(new Error(message));
      });
    }
    Deno.exit(0);`;
  for (const port of [undefined, freePort()]) {
    const { out, err } = await run(script, { scene, hosts, port });
    equal(out, "200 ok\nopen\n200 ok\nopen\n", err);
  }
  const { contacts } = await scene.end();
  equal(contacts.length, 4);
  ok(
    contacts.every(({ verdict, times }) =>
      verdict === "allowed" && times === 2
    ),
  );
});

Deno.test("forwarderUrl: node:http and node:https reach the proxy through loopback", async () => {
  await using tls = startHost();
  await using plain = startHost(undefined, { plain: true });
  const hosts = [tls, plain].map(({ port }) => `api.example.test:${port}`);
  await using scene = await makeScene({ hosts });
  const { code, out, err } = await run(
    `${NODE_GET}
    console.log(await get("http://${hosts[1]}/"));
    console.log(await get("https://${hosts[0]}/"));
    const agent = new https.Agent({ keepAlive: true });
    console.log(await get("https://${hosts[0]}/", { agent }));`,
    { scene, hosts, port: freePort() },
  );
  equal(out, "200 ok\n200 ok\n200 ok\n", err);
  equal(code, 0);
  const { contacts } = await scene.end();
  ok(contacts.some(({ via, port }) => via === "tunnel" && port === tls.port));
  ok(
    contacts.some(({ via, port }) => via === "request" && port === plain.port),
  );
});

Deno.test("forwarderUrl: what the proxy denies, node:https does not reach", async () => {
  await using tls = startHost();
  const at = `api.example.test:${tls.port}`;
  await using scene = await makeScene({ hosts: [] });
  const { out } = await run(
    `${NODE_GET}
    console.log(await get("https://${at}/").catch(({ message }) => message));`,
    { scene, hosts: [at], port: freePort() },
  );
  match(out, /403/);
  equal(tls.connections, 0);
});

Deno.test("forwarderUrl: keeps no script alive and adds no name to it", async () => {
  await using scene = await makeScene({ hosts: [] });
  const { code, out, err } = await run(
    "var serve, carry, listener; console.log(typeof serve, typeof carry);",
    { scene, hosts: ["api.example.test:443"], port: freePort() },
  );
  equal(err, "");
  equal(out, "undefined undefined\n");
  equal(code, 0);
});

Deno.test("forwarderUrl: a port that is taken ends no script", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr as Deno.NetAddr;
  await using scene = await makeScene({ hosts: [] });
  const { code, out } = await run("console.log('ran')", {
    scene,
    hosts: ["api.example.test:443"],
    port,
  });
  equal(out, "ran\n");
  equal(code, 0);
});

Deno.test("NO_NODE_HTTP: without a loopback node:http and node:https name what to declare", async () => {
  await using scene = await makeScene({ hosts: [] });
  for (const url of ["http://api.example.test/", "https://api.example.test/"]) {
    const { code, err } = await run(`${NODE_GET}\nawait get("${url}");`, {
      scene,
      hosts: ["api.example.test:443", "api.example.test:80"],
      port: undefined,
    });
    equal(code, 1);
    ok(err.includes(`TypeError: Invalid URL: ${NO_NODE_HTTP}`), err);
    ok(err.includes("sockets: true"));
  }
});

Deno.test("NO_NODE_HTTP: a script that only imports node:https runs", async () => {
  await using scene = await makeScene({ hosts: [] });
  const { out, err } = await run(
    `import https from "node:https"; new https.Agent(); console.log("ran");`,
    { scene, hosts: ["api.example.test:443"], port: undefined },
  );
  equal(out, "ran\n", err);
});

Deno.test("proxyPermissions: the socket for every client, the port for Node's", () => {
  const { net, paths } = proxyPermissions(SANDBOX_WAY);
  equal(net.join(), "127.0.0.1:3128,unix:/run/skillfence/proxy.sock");
  equal(paths.join(), "/run/skillfence/proxy.sock");
  const alone = proxyPermissions({ ...SANDBOX_WAY, port: undefined });
  equal(alone.net.join(), "unix:/run/skillfence/proxy.sock");
});
