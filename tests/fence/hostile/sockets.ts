/** Sockets of other kinds, listening, proxies and code from the network. */

import { type Attack, attempt, deep } from "./attack.ts";

/** Sockets of other kinds, listening, proxies and code from the network. */
export const SOCKET_ATTACKS: readonly Attack[] = [
  { ...deep("h20"), kind: "unix-socket", control: "bare", linux: true },
  {
    id: "h21",
    kind: "unix-socket",
    title: "a unix socket through node:http, and one it makes",
    file: "a.mjs",
    source: `import http from "node:http";\n` + attempt(
      `new Promise((yes, no) => http.get({ socketPath: "__TARGET__", path: "/" }, (r) => { r.resume(); yes("status " + r.statusCode); }).on("error", no))`,
      `(await fetch("http://x/", { client: Deno.createHttpClient({ proxy: { transport: "unix", path: "__TARGET__" } }) })).text()`,
    ),
    target: "socket",
    control: "bare",
    linux: true,
    words: /no network here/,
  },
  {
    ...deep("abstract"),
    kind: "abstract-socket",
    control: "bare",
    linux: true,
    scoped: true,
  },
  {
    id: "vsock",
    kind: "vsock",
    title: "a socket to the hypervisor",
    file: "a.mjs",
    source: attempt(
      `(await Deno.connect({ transport: "vsock", cid: 2, port: 1 }), "connected")`,
      `(Deno.listen({ transport: "vsock", cid: -1, port: 0 }), "listening")`,
    ),
    target: "none",
    control: { none: "the API is absent without its unstable flag" },
    words: /--unstable-vsock|not a function|unstable|Unstable/,
  },
  {
    id: "quic",
    kind: "vsock",
    title: "QUIC and datagrams of the runtime's own",
    file: "a.mjs",
    source: attempt(
      `new Deno.QuicEndpoint({ hostname: "127.0.0.1", port: 0 }).addr.port`,
      `Deno.listenDatagram({ port: 0, hostname: "127.0.0.1", transport: "udp" }).addr.port`,
    ),
    target: "none",
    control: { none: "the APIs are absent without their unstable flags" },
    words: /not a (?:function|constructor)|--unstable|Unstable/,
  },
  { ...deep("h39"), kind: "listen", control: "bare" },
  {
    id: "h39-dgram",
    kind: "listen",
    title: "listening for datagrams and through node",
    file: "a.mjs",
    source:
      `import dgram from "node:dgram"; import http from "node:http"; import net from "node:net";\n` +
      attempt(
        `new Promise((res, rej) => { const s = dgram.createSocket("udp4"); s.on("error", rej); s.bind(0, "127.0.0.1", () => { s.close(); res("bound"); }); })`,
        `new Promise((res, rej) => { const s = http.createServer(); s.on("error", rej); s.listen(0, "127.0.0.1", () => { s.close(); res("http"); }); })`,
        `new Promise((res, rej) => { const s = net.createServer(); s.on("error", rej); s.listen(0, () => { s.close(); res("net"); }); })`,
      ),
    target: "none",
    control: "bare",
  },
  {
    id: "h56",
    kind: "proxy-variables",
    title: "a proxy that the script sets for itself",
    file: "a.mjs",
    source: `import process from "node:process"; import http from "node:http";
const url = await (await fetch("__TARGET__where")).text();
for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"]) {
  try { Deno.env.set(name, url); } catch { /* refused is held */ }
  process.env[name] = url;
}
const straight = () => Promise.reject(new Error("it went straight there"));
` + attempt(
        `fetch("__TARGET__").then(straight)`,
        `new Promise((yes, no) => http.get("__TARGET__", (r) => { r.resume(); no(new Error("it went straight there")); }).on("error", no))`,
        `(await fetch("__TARGET__", { client: Deno.createHttpClient({ proxy: { url } }) })).text()`,
      ),
    target: "redirects",
    declares: { egress: ["__HOST__"] },
    grant: { egress: ["__HOST__"] },
    control: "bare",
    words: /it went straight there|no network here/,
  },
  {
    id: "sockets",
    kind: "net-shared",
    title: "an undeclared host, where the network itself is granted",
    file: "a.mjs",
    source: deep("h15").source,
    target: "server",
    declares: { egress: ["declared.invalid"], sockets: true },
    grant: { sockets: true, egress: ["declared.invalid"] },
    control: "granted",
  },
  {
    id: "sockets-abstract",
    linux: true,
    kind: "net-shared",
    title: "an abstract socket, where the network itself is granted",
    file: "a.mjs",
    source: deep("abstract").source,
    target: "abstract",
    declares: { egress: ["declared.invalid"], sockets: true },
    grant: { sockets: true, egress: ["declared.invalid"] },
    control: "bare",
  },
  {
    id: "h57-granted",
    kind: "module-remote",
    title: "importing code from a host that is granted for data",
    file: "a.mjs",
    source: attempt(
      `(await import(["__TARGET__", "mod.mjs"].join(""))).secret`,
    ),
    target: "server",
    declares: { egress: ["__HOST__"] },
    grant: { egress: ["__HOST__"] },
    control: "bare",
  },
  {
    id: "h57",
    kind: "module-remote",
    title: "importing code from the network",
    file: "a.mjs",
    source: attempt(
      `(await import("__TARGET__mod.mjs")).secret`,
      `(await import(["__TARGET__", "mod.mjs"].join(""))).secret`,
    ),
    target: "server",
    control: "bare",
  },
  {
    id: "h57-registry",
    kind: "module-registry",
    title: "importing code from registries and well-known hosts",
    file: "a.mjs",
    source: attempt(
      ...[
        ...["npm:left-pad", "jsr:@x/y", "https://deno.land/x/y.ts"],
        ...["https://esm.sh/x", "https://jsr.io/@x/y/1.0.0/mod.ts"],
      ].map((specifier) => `(await import(["${specifier}"].join(""))).default`),
    ),
    target: "none",
    control: { none: "a control would contact a registry" },
  },
];
