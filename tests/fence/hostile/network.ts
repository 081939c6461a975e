/** The network: hosts, ports and sockets that nobody granted. */

import { type Attack, attempt, deep } from "./attack.ts";

/** What a run's proxy, or a loopback without listeners, answers. */
const NOBODY =
  /no network here|fetch failed|EPERM|ECONNREFUSED|Connection refused|os error 111|status (?:403|502)|403 Forbidden/;

const REDIRECTED =
  `const read = async (to) => { const answer = await fetch("__TARGET__to-" + to); if (answer.status !== 200) throw new Error("status " + answer.status + ": " + await answer.text()); return answer.text(); };\n`;

/** Attacks by way of sockets. */
export const NETWORK_ATTACKS: readonly Attack[] = [
  { ...deep("h15"), kind: "net-undeclared", control: "granted" },
  {
    id: "h15-alone",
    kind: "net-undeclared",
    title: "a host, where no host is declared at all",
    file: "a.mjs",
    source: deep("h15").source,
    target: "server",
    declares: { egress: [] },
    control: "granted",
  },
  {
    id: "h15-websocket",
    kind: "net-undeclared",
    title: "WebSocket and EventSource to an undeclared host",
    file: "a.mjs",
    source: attempt(
      `new Promise((res, rej) => { const w = new WebSocket("__TARGET__".replace("http", "ws")); w.onmessage = (e) => { w.close(); res(e.data); }; w.onerror = (e) => rej(e.error ?? new Error(e.message || "refused")); })`,
      `new Promise((res, rej) => { const s = new EventSource("__TARGET__"); s.onopen = () => { s.close(); res("events"); }; s.onerror = (e) => { s.close(); rej(new Error("no events came")); }; })`,
    ),
    target: "websocket",
    control: "granted",
    // The server counts who came.
    words: /no events came|NetworkError|refused/,
  },
  {
    id: "h15-tls",
    kind: "net-undeclared",
    title: "TLS, HTTP/2 and clients of one's own to an undeclared host",
    file: "a.mjs",
    source:
      `import tls from "node:tls"; import http2 from "node:http2"; import https from "node:https";
const { hostname, port } = new URL("__TARGET__");
const read = async (answer) => { const text = await answer.text(); if (answer.status !== 200) throw new Error("status " + answer.status + ": " + text); return text; };
` + attempt(
        `(await Deno.connectTls({ hostname, port: Number(port) }), "connectTls")`,
        `new Promise((yes, no) => tls.connect(Number(port), hostname, () => yes("node:tls")).on("error", no))`,
        `new Promise((yes, no) => http2.connect("__TARGET__").on("connect", () => yes("node:http2")).on("error", no))`,
        `new Promise((yes, no) => https.get("https://" + hostname + ":" + port, () => yes("node:https")).on("error", no))`,
        `read(await fetch("__TARGET__", { client: Deno.createHttpClient({ http2: false, localAddress: "127.0.0.1" }) }))`,
        `read(await fetch("https://" + hostname + ":" + port))`,
      ),
    target: "server",
    control: "granted",
    words: /no network here|fetch failed/,
  },
  {
    id: "h15-port",
    kind: "net-port",
    title: "another port of a granted host",
    file: "a.mjs",
    source: deep("h15").source,
    target: "server",
    declares: { egress: ["127.0.0.1:1"] },
    grant: { egress: ["127.0.0.1:1"] },
    control: "granted",
    words: NOBODY,
  },
  {
    id: "h15-ip",
    kind: "net-spelling",
    title: "other spellings of a private address",
    file: "a.mjs",
    source: `const { port } = new URL("__TARGET__");\n` + attempt(
      ...[
        ...[
          "2130706433",
          "0x7f.1",
          "127.1",
          "0177.0.0.1",
          "[::ffff:127.0.0.1]",
        ],
        ...["[::1]", "0.0.0.0", "localhost", "x@127.0.0.1", "127.0.0.1."],
        ...["%31%32%37.0.0.1", "①②⑦.0.0.1", "localhost."],
      ].map((host) =>
        `(await fetch("http://${host}:" + port + "/")).text().then((text) => text.includes("secret") ? text : Promise.reject(new Error(text)))`
      ),
    ),
    target: "server",
    control: "bare",
    words: /Invalid URL|URL scheme|credentials/i,
  },
  {
    id: "h17",
    kind: "net-rebinding",
    title: "a declared name that resolves to loopback",
    file: "a.mjs",
    source: `import net from "node:net";
const { port } = new URL("__TARGET__"), hostname = "localhost";
` + attempt(
        `(async () => { const r = await fetch("http://localhost:" + port + "/"); if (r.status !== 200) throw new Error("status " + r.status); return r.text(); })()`,
        `(await Deno.connect({ hostname, port: Number(port) }), "connected")`,
        `new Promise((yes, no) => net.connect(Number(port), hostname, () => yes("node:net")).on("error", no))`,
      ),
    target: "server",
    // Nobody named localhost exactly, so it stays private although declared.
    declares: { egress: ["localhost", "localhost:__PORT__"] },
    control: "bare",
    words: NOBODY,
  },
  {
    id: "h16",
    kind: "net-redirect",
    title: "a redirect of a granted host to an undeclared one",
    file: "a.mjs",
    source: REDIRECTED + attempt(
      `read("localhost")`,
      `read("another")`,
      `read("file")`,
    ),
    target: "redirects",
    declares: { egress: ["__HOST__"] },
    grant: { egress: ["__HOST__"] },
    control: "granted",
    granted: {
      declares: { egress: ["__HOST__"] },
      grant: { egress: ["__HOST__"] },
      source: REDIRECTED + attempt(`read("itself")`),
    },
    words: /scheme|redirect|status 403/i,
  },
  {
    id: "h18",
    kind: "net-lookup",
    title: "a lookup function that answers for a declared name",
    file: "a.mjs",
    source:
      `import net from "node:net"; import http from "node:http";\nconst { port } = new URL("__TARGET__");
const lookup = (h, o, cb) => o?.all ? cb(null, [{ address: "127.0.0.1", family: 4 }]) : cb(null, "127.0.0.1", 4);
` + attempt(
        `new Promise((res, rej) => { const s = net.connect({ port: Number(port), host: "declared.invalid", lookup }, () => { s.destroy(); res("connected"); }); s.on("error", rej); })`,
        `new Promise((res, rej) => http.get({ port: Number(port), host: "declared.invalid", lookup }, (r) => { r.resume(); r.statusCode === 200 ? res("node:http") : rej(new Error("status " + r.statusCode)); }).on("error", rej))`,
      ),
    target: "server",
    declares: {
      egress: ["declared.invalid", "declared.invalid:__PORT__"],
    },
    control: "bare",
    words: NOBODY,
  },
  {
    id: "h19",
    kind: "net-lookup",
    title: "node:http with an agent that connects elsewhere",
    file: "a.mjs",
    source: `import http from "node:http"; import net from "node:net";
const { port } = new URL("__TARGET__");
` + attempt(
        `new Promise((res, rej) => http.get("__TARGET__", { agent: new http.Agent({ keepAlive: true }) }, (r) => { r.resume(); r.statusCode === 200 ? res("status 200") : rej(new Error("status " + r.statusCode)); }).on("error", rej))`,
        `new Promise((res, rej) => http.get("http://declared.invalid/", { createConnection: () => net.connect(Number(port), "127.0.0.1") }, (r) => { r.resume(); res("created"); }).on("error", rej))`,
      ),
    target: "server",
    control: "granted",
    words: NOBODY,
  },
  {
    id: "dns",
    kind: "net-dns",
    title: "names looked up as a way out",
    file: "a.mjs",
    source: `import dns from "node:dns"; import dgram from "node:dgram";
const soon = (promise) => Promise.race([promise, new Promise((_, no) => setTimeout(() => no(new Error("no answer")), 500))]);
const [ipAddr, port] = "__TARGET__".split(":");
` + attempt(
        `(await soon(Deno.resolveDns("secret.example.com", "A", { nameServer: { ipAddr, port: Number(port) } }))).join()`,
        `(async () => { const r = new dns.promises.Resolver(); r.setServers(["__TARGET__"]); return (await soon(r.resolve4("secret.example.com"))).join(); })()`,
        `soon(new Promise((yes, no) => { const s = dgram.createSocket("udp4"); s.on("error", no); s.on("message", () => yes("answered")); s.send(new Uint8Array(20), Number(port), ipAddr, (e) => e && no(e)); }))`,
      ),
    target: "resolver",
    control: "bare",
    // Whoever is asked counts it.
    words:
      /no answer|query\w* UNKNOWN|ETIMEOUT|EREFUSED|ECONNREFUSED|ENOTFOUND/,
  },
  {
    id: "dns-lookup",
    kind: "net-dns",
    title: "an undeclared name handed to the system's resolver",
    file: "a.mjs",
    source: `import dns from "node:dns";\n` + attempt(
      `(await dns.promises.lookup("localhost")).address`,
      `(await Deno.resolveDns("localhost", "A")).join()`,
    ),
    target: "none",
    control: "bare",
    words:
      /EPERM|ENOTFOUND|EAI_AGAIN|ETIMEOUT|ECONNREFUSED|No such file|Permission denied/,
  },
];
