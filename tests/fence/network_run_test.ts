/** What reaches the network in each mode, and by which way, through the product. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Host, startHost } from "../proxy/support.ts";
import { type Need, needs } from "../support/kernel.ts";
import { openFence } from "../support/fenced.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const SANDBOX: readonly Need[] = ["bwrap", "userns"];
const LANDLOCK: readonly Need[] = ["landlock", "seccomp"];
const MODES = [
  ["bwrap", SANDBOX],
  ["bwrap+worker", SANDBOX],
  ["landlock", LANDLOCK],
] as const;
const CA = fileURLToPath(
  new URL("../proxy/certificates/ca.pem", import.meta.url),
);

/** Answers, and follows a WebSocket as far as its opening. */
async function respond({ head }: { head: string }): Promise<string> {
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

/** Tries each client and says what came of it. */
const SCRIPT = `
import http from "node:http";
import net from "node:net";
import process from "node:process";
const [plain, tls, other, quick] = process.argv.slice(2);
const said = {};
const tried = async (name, act) => {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 8000));
  try { said[name] = String(await Promise.race([act(), late])); }
  catch (error) { said[name] = "failed: " + error.message; }
};
const get = (url) => new Promise((resolve, reject) =>
  http.get(url, (answer) => { answer.resume(); answer.on("end", () => resolve(answer.statusCode)); }).on("error", reject));
const open = (url) => new Promise((resolve, reject) => {
  const socket = new WebSocket(url);
  socket.onopen = () => { resolve("open"); };
  socket.onerror = ({ message }) => reject(new Error(message));
});
await tried("fetch", async () => (await fetch("http://" + plain + "/")).status);
await tried("fetchs", async () => (await fetch("https://" + tls + "/")).status);
await tried("http", () => get("http://" + plain + "/"));
await tried("ws", () => open("ws://" + plain + "/"));
await tried("wss", () => open("wss://" + tls + "/"));
const [host, port] = plain.split(":");
await tried("connect", async () => { (await Deno.connect({ hostname: "127.0.0.1", port: Number(port) })).close(); return "connected"; });
await tried("named", async () => { (await Deno.connect({ hostname: host, port: Number(port) })).close(); return "connected"; });
await tried("net", () => new Promise((resolve, reject) => net.connect(Number(port), "localhost", () => resolve("connected")).on("error", reject)));
await tried("other", async () => (await fetch("http://" + other + "/")).status);
await tried("otherHttp", () => get("http://" + other + "/"));
await tried("udp", async () => { const socket = Deno.listenDatagram({ port: 0, transport: "udp", hostname: "0.0.0.0" }); return "bound"; });
await tried("listen", async () => { Deno.listen({ hostname: "0.0.0.0", port: 0 }); return "listens"; });
if (!quick) await tried("dns", async () => await Deno.resolveDns("example.com", "A"));
console.log(JSON.stringify(said));
process.exit(0);`;

function skill(
  { egress, sockets = false }: {
    egress: readonly string[];
    sockets?: boolean;
  },
): Promise<Tree> {
  return makeTree({
    "root/hostile/SKILL.md": `---
description: d
mcp-host:
  version: 1
  egress: ${JSON.stringify(egress)}
  run:
    - { script: a.mjs, interpreter: deno, timeout: 60, sockets: ${sockets} }
---
`,
    "root/hostile/a.mjs": SCRIPT,
  });
}

const hostOf = ({ port }: Host) => `localhost:${port}`;

for (const [mode, need] of MODES) {
  Deno.test({
    name:
      `network (${mode}): each client reaches what is granted by the run's proxy, and nothing else does`,
    ...needs(...need),
    async fn() {
      await using plain = startHost(respond, { plain: true });
      await using tls = startHost(respond);
      await using other = startHost(respond, { plain: true });
      const egress = [hostOf(plain), hostOf(tls)];
      await using tree = await skill({ egress });
      using fence = openFence({
        root: tree.path("root"),
        grant: [{ skill: "hostile", script: "a.mjs", egress }],
        env: { SKILLFENCE_OS_FENCE: mode, SSL_CERT_FILE: CA },
      });
      const args = [plain, tls, other].map(hostOf);
      const { stdout, stderr, result } = await fence.run("a.mjs", { args });
      const said = JSON.parse(stdout || JSON.stringify({ stderr }));
      assert.equal(said.fetch, "200", JSON.stringify(said));
      assert.equal(said.fetchs, "200");
      assert.equal(said.ws, "open");
      assert.equal(said.wss, "open");
      if (mode === "landlock") {
        assert.match(said.http, /^failed: .*`sockets: true`/);
      } else assert.equal(said.http, "200");
      for (
        const way of [
          ...["connect", "named", "net", "other", "otherHttp", "udp"],
          ...["listen", "dns"],
        ]
      ) {
        assert.match(said[way], /^failed: (?!late)/, `${way} ${said[way]}`);
      }
      assert.equal(other.connections, 0);
      // Only the proxy came: what it counted is what the hosts saw.
      const { net } = result.evidence;
      const allowed = net.filter(({ verdict }) => verdict === "allowed");
      assert.deepEqual(
        allowed.map(({ what }) => what).sort(),
        [...egress].sort(),
      );
      assert.ok(
        allowed.every(({ bytesIn, bytesOut }) => bytesIn! > 0 && bytesOut! > 0),
      );
      assert.ok(
        net.some(({ what, verdict }) =>
          verdict === "denied" && what === hostOf(other)
        ),
      );
    },
  });

  Deno.test({
    name: `network (${mode}): without a granted host there is no network`,
    ...needs(...need),
    async fn() {
      await using plain = startHost(respond, { plain: true });
      const egress = [hostOf(plain)];
      await using tree = await skill({ egress });
      using fence = openFence({
        root: tree.path("root"),
        grant: [{ skill: "hostile", script: "a.mjs", egress: [] }],
        env: { SKILLFENCE_OS_FENCE: mode },
      });
      const args = [plain, plain, plain].map(hostOf);
      const prepared = await fence.prepare("a.mjs", { args });
      assert.ok(prepared.ok);
      assert.equal(prepared.value.plan.confinement.network, "none");
      const bare = { ...prepared.value.plan };
      const { stdout } = await fence.run("a.mjs", { args });
      const said: Record<string, string> = JSON.parse(stdout);
      for (const [way, what] of Object.entries(said)) {
        assert.match(what, /^failed: (?!late)/, `${way} ${what}`);
      }
      // Without the flags the layer alone holds.
      const flags = ["run", "-A", "--quiet", "--no-config"];
      const script = tree.path("root", "hostile", "a.mjs");
      const ran = await fence.engine.runner.run({
        ...prepared.value,
        plan: { ...bare, flags: [...flags, script, ...bare.argv] },
      }, {});
      assert.ok(ran.ok);
      const alone = JSON.parse(new TextDecoder().decode(ran.value.stdout.head));
      for (
        const way of [
          ...["fetch", "fetchs", "http", "ws", "connect", "named", "net"],
          ...["other", "otherHttp", "dns"],
        ]
      ) {
        assert.match(alone[way], /^failed: (?!late)/, `${way} ${alone[way]}`);
      }
      assert.equal(plain.connections, 0);
    },
  });

  Deno.test({
    name: `network (${mode}): the run's proxy goes through the server's own`,
    ...needs(...need),
    async fn() {
      await using upstream = startHost(
        ({ head }) =>
          head.startsWith("CONNECT ")
            ? "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
            : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        { plain: true },
      );
      const egress = ["declared.example.com"];
      await using tree = await skill({ egress });
      const by = `http://user:word-4711@127.0.0.1:${upstream.port}`;
      using fence = openFence({
        root: tree.path("root"),
        grant: [{ skill: "hostile", script: "a.mjs", egress }],
        env: { SKILLFENCE_OS_FENCE: mode, HTTP_PROXY: by, HTTPS_PROXY: by },
      });
      const args = ["declared.example.com:80", "declared.example.com:443", "x"];
      const prepared = await fence.prepare("a.mjs", { args });
      assert.ok(prepared.ok);
      assert.ok(
        prepared.value.plan.notes.some((note) =>
          /through the server's proxy .*resolves names itself/.test(note)
        ),
      );
      const { stdout, result } = await fence.run("a.mjs", { args });
      const said = JSON.parse(stdout);
      assert.equal(said.fetch, "200", JSON.stringify(said));
      const heads = upstream.seen.map(({ head }) => head);
      assert.ok(
        heads.some((head) =>
          head.startsWith("GET http://declared.example.com/ HTTP/1.1")
        ),
      );
      assert.ok(
        heads.some((head) =>
          head.startsWith("CONNECT declared.example.com:443 HTTP/1.1")
        ),
      );
      const credentials = `Proxy-Authorization: Basic ${
        btoa("user:word-4711")
      }`;
      assert.ok(heads.every((head) => head.includes(credentials)));
      const { stdout: _out, stderr: _err, ...rest } = result;
      for (const text of [stdout, JSON.stringify(rest)]) {
        assert.ok(!text.includes("word-4711"));
      }
      assert.ok(!JSON.stringify(prepared.value.plan).includes("word-4711"));
    },
  });
}

Deno.test({
  name:
    "network: sockets are given where the script asks and a row says so, not by either alone",
  ...needs(...SANDBOX),
  async fn() {
    await using plain = startHost(respond, { plain: true });
    await using tls = startHost(respond);
    const egress = [hostOf(plain)];
    for (const mode of ["bwrap", "landlock"]) {
      for (
        const [declared, granted] of [[true, true], [true, false], [
          false,
          true,
        ]]
      ) {
        await using tree = await skill({ egress, sockets: declared });
        using fence = openFence({
          root: tree.path("root"),
          grant: [{
            skill: "hostile",
            script: "a.mjs",
            egress,
            sockets: granted,
          }],
          env: { SKILLFENCE_OS_FENCE: mode },
        });
        const prepared = await fence.prepare("a.mjs");
        assert.ok(prepared.ok, JSON.stringify(prepared));
        const { confinement, notes } = prepared.value.plan;
        const both = declared && granted;
        assert.equal(confinement.network, both ? "open" : "proxy");
        assert.equal(
          notes.some((note) =>
            /host's network itself .*permission flags alone/.test(note)
          ),
          both,
        );
        if (!both) continue;
        assert.equal(confinement.realm, "worker");
        const args = [...[plain, tls, plain].map(hostOf), "quick"];
        const { stdout } = await fence.run("a.mjs", { args });
        const said = JSON.parse(stdout);
        assert.equal(said.named, "connected", JSON.stringify(said));
        assert.equal(said.net, "connected");
        assert.equal(said.http, "200");
        // Deno's flags hold what they held before.
        assert.match(said.connect, /^failed: Requires net access/);
        assert.match(said.listen, /^failed: Requires net access/);
      }
    }
  },
});
