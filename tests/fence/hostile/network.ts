/** The network: hosts, ports and sockets that nobody granted. */

import { type Attack, attempt } from "./attack.ts";

const HOST_PORT = `const { hostname, port } = new URL("__TARGET__");\n`;

/** Attacks by way of sockets. */
export const NETWORK_ATTACKS: readonly Attack[] = [
  {
    id: "h15",
    title: "fetch of an undeclared host",
    file: "a.mjs",
    source: attempt(`await (await fetch("__TARGET__")).text()`),
    target: "server",
    control: "granted",
  },
  {
    id: "h15-connect",
    title: "a plain connection to an undeclared host",
    file: "a.mjs",
    source: HOST_PORT +
      attempt(
        `await (async () => { const c = await Deno.connect({ hostname, port: Number(port) }); c.close(); return "connected"; })()`,
      ),
    target: "server",
    control: "granted",
  },
  {
    id: "h15-net",
    title: "node:net to an undeclared host",
    file: "a.mjs",
    source: `import net from "node:net";\n` + HOST_PORT +
      attempt(
        `await new Promise((res, rej) => { const s = net.connect(Number(port), hostname, () => { s.destroy(); res("connected"); }); s.on("error", rej); })`,
      ),
    target: "server",
    control: "granted",
  },
  {
    id: "h15-websocket",
    title: "a WebSocket to an undeclared host",
    file: "a.mjs",
    source: attempt(
      `await new Promise((res, rej) => { const w = new WebSocket("__TARGET__".replace("http", "ws")); w.onopen = () => { w.close(); res("open"); }; w.onerror = (e) => rej(new Error(e.message || "refused")); })`,
    ),
    target: "server",
    control: {
      none: "the test server speaks no WebSocket; fetch is the control",
    },
  },
  {
    id: "h15-ip",
    title: "other spellings of a private address",
    file: "a.mjs",
    source: `const { port } = new URL("__TARGET__"); let got; const why = [];
for (const h of ["2130706433", "0x7f.1", "127.1", "[::ffff:127.0.0.1]", "0.0.0.0", "localhost", "x@127.0.0.1"]) {
  try { got ??= await (await fetch("http://" + h + ":" + port + "/")).text(); } catch (error) { why.push(error.message); }
}
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "server",
    control: "bare",
  },
  {
    id: "h18",
    title: "a lookup function that answers for a declared name",
    file: "a.mjs",
    source:
      `import net from "node:net";\nconst { port } = new URL("__TARGET__");\n` +
      attempt(
        `await new Promise((res, rej) => { const s = net.connect({ port: Number(port), host: "declared.example.com", lookup: (h, o, cb) => o?.all ? cb(null, [{ address: "127.0.0.1", family: 4 }]) : cb(null, "127.0.0.1", 4) }, () => { s.destroy(); res("connected"); }); s.on("error", rej); })`,
      ),
    target: "server",
    control: "bare",
  },
  {
    id: "h19",
    title: "node:http with its own agent",
    file: "a.mjs",
    source: `import http from "node:http";\n` +
      attempt(
        `await new Promise((res, rej) => http.get("__TARGET__", { agent: new http.Agent({ keepAlive: true }) }, (r) => { r.resume(); res("status " + r.statusCode); r.socket.destroy(); }).on("error", rej))`,
      ),
    target: "server",
    control: "granted",
  },
  {
    id: "h20",
    title: "a unix socket",
    file: "a.mjs",
    source: attempt(
      `await (async () => { const c = await Deno.connect({ transport: "unix", path: "__TARGET__" }); c.close(); return "connected"; })()`,
    ),
    target: "socket",
    control: "bare",
  },
  {
    id: "h21",
    title: "a unix socket through node:net",
    file: "a.mjs",
    source: `import net from "node:net";\n` +
      attempt(
        `await new Promise((res, rej) => { const s = net.connect("__TARGET__", () => { s.destroy(); res("connected"); }); s.on("error", rej); })`,
      ),
    target: "socket",
    control: "bare",
  },
  {
    id: "h39",
    title: "listening",
    file: "a.mjs",
    source: `const why = []; let got;
for (const hostname of ["0.0.0.0", "127.0.0.1", "localhost", "[::1]"]) { try { const l = Deno.listen({ port: 0, hostname }); got ??= l.addr.port; l.close(); } catch (error) { why.push(error.message); } }
try { const l = Deno.listenDatagram?.({ port: 0, hostname: "127.0.0.1", transport: "udp" }); if (l) { got ??= "udp"; l.close(); } } catch (error) { why.push(error.message); }
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "none",
    control: "bare",
  },
  {
    id: "h39-dgram",
    title: "a datagram through node:dgram",
    file: "a.mjs",
    source: `import dgram from "node:dgram";\n` +
      attempt(
        `await new Promise((res, rej) => { const s = dgram.createSocket("udp4"); s.on("error", rej); s.bind(0, "127.0.0.1", () => { s.close(); res("bound"); }); })`,
      ),
    target: "none",
    control: "bare",
  },
  {
    id: "h57",
    title: "importing code from the network",
    file: "a.mjs",
    source: attempt(`(await import("__TARGET__mod.mjs")).secret`),
    target: "server",
    control: "bare",
  },
  {
    id: "h57-registry",
    title: "importing code from a package registry",
    file: "a.mjs",
    source: attempt(
      `await (async () => { const why = []; for (const s of ["npm:left-pad", "jsr:@x/y"]) { try { await import(s); return s; } catch (e) { why.push(e.message); } } throw new Error(why.join(" | ")); })()`,
    ),
    target: "none",
    control: { none: "a control would contact a registry" },
  },
  {
    id: "h57-dns",
    title: "a name looked up as a way out",
    file: "a.mjs",
    source: attempt(
      `(await Deno.resolveDns("secret.example.com", "TXT", { nameServer: { ipAddr: "127.0.0.1", port: 53 } })).join()`,
    ),
    target: "none",
    control: { none: "a name server is no part of the tests" },
  },
  {
    id: "h73",
    title: "an inherited descriptor taken as a socket",
    file: "a.mjs",
    source: `import net from "node:net";\n` +
      attempt(
        `await (async () => { const why = []; for (let fd = 3; fd < 32; fd++) { try { const s = new net.Socket({ fd }); s.on("error", () => {}); if (s.remoteAddress) return "a connected socket at " + fd; why.push(fd); } catch (e) { why.push(e.message); } } console.log("HELD none of " + why.length + " was a socket"); Deno.exit(0); })()`,
      ),
    target: "none",
    control: {
      none: "descriptors_test shows the inherited descriptor and its absence",
    },
  },
];
