/** Hostile scripts after all else than files, for `skillfence doctor --deep`. */

import { type AttackText, attempt, followedBy } from "./attack_text.ts";

const URL_PARTS = `const { hostname, port } = new URL("__TARGET__");
const read = async (answer) => { const text = await answer.text(); if (answer.status !== 200) throw new Error("status " + answer.status + ": " + text); return text; };
`;

/** What is started, called, reached, kept or asked for. */
export const REACH_ATTACKS: readonly AttackText[] = [
  {
    id: "h13",
    title: "read the environment of other processes",
    file: "h13.mjs",
    source: attempt(
      ...["__SERVER__", "self", "thread-self", "1"].map((process) =>
        `Deno.readTextFileSync("/proc/${process}/environ").length`
      ),
      `Deno.readTextFileSync("/proc/" + Deno.ppid + "/environ").length`,
      `Deno.readTextFileSync("/proc/" + Deno.pid + "/environ").length`,
    ),
    target: "none",
  },
  {
    id: "h14",
    title: "look through /proc",
    file: "h14.mjs",
    source: attempt(
      ...[
        ...["self/maps", "self/root/etc/hostname", "net/tcp"],
        ...["self/cwd/../../../etc/hostname", "mounts", "__SERVER__/cmdline"],
      ].map((path) => `Deno.readTextFileSync("/proc/${path}").length`),
      `[...Deno.readDirSync("/proc/self/fd")].length`,
    ),
    target: "none",
  },
  {
    id: "h22",
    title: "start a program",
    file: "h22.mjs",
    source: `import cp from "node:child_process";\n` + attempt(
      `new Deno.Command("/bin/echo", { args: ["hi"] }).outputSync().code`,
      `new Deno.Command(Deno.execPath(), { args: ["--version"] }).outputSync().code`,
      `cp.execFileSync("/bin/echo", ["hi"]).toString()`,
      `(() => { const { error, status } = cp.spawnSync("/bin/echo", ["hi"]); if (error) throw error; return status ?? undefined; })()`,
    ),
    target: "none",
    // node:child_process says no more than this where a program is denied.
    words: /nothing came of it|Command failed/,
  },
  {
    id: "h23",
    title: "call native code",
    file: "h23.mjs",
    source: `import process from "node:process";\n` + attempt(
      `Deno.dlopen("libc.so.6", { getpid: { parameters: [], result: "i32" } }).symbols.getpid()`,
      `Deno.UnsafePointer.value(Deno.UnsafePointer.of(new Uint8Array(8)))`,
    ),
    target: "none",
  },
  {
    id: "h42",
    title: "signal the server and its group",
    file: "h42.mjs",
    source: `import process from "node:process";\n` + attempt(
      `(Deno.kill(__SERVER__, "SIGCONT"), "the server")`,
      `(process.kill(__SERVER__, 0), "the server, again")`,
      `(process.kill(-__SERVER__, 0), "its group")`,
      `(() => { if (Deno.pid === 1) throw new Error("the script is process 1"); process.kill(1, 0); return "process 1"; })()`,
      `(() => { if (Deno.ppid < 2) throw new Error("its parent is not seen"); process.kill(Deno.ppid, 0); return "its parent"; })()`,
    ),
    target: "none",
    words: /the script is process 1|its parent is not seen/,
  },
  {
    id: "h28-options",
    title: "make a worker with more permissions",
    file: "h28_options.mjs",
    source: attempt(
      ...[
        `{ read: true, net: true }`,
        `{ read: ["__TARGET__"] }`,
      ].map((permissions) =>
        `(() => { new Worker("data:application/javascript,0", { type: "module", deno: { permissions: ${permissions} } }).terminate(); return "made"; })()`
      ),
    ),
    target: "file",
    words: /--unstable-worker-options/,
  },
  {
    id: "h30",
    title: "ask for permissions at run time",
    file: "h30.mjs",
    source: attempt(
      ...["read", "write", "net", "run", "ffi", "env", "sys", "import"].map((
        name,
      ) =>
        `(() => { const { state } = Deno.permissions.requestSync({ name: "${name}" }); if (state !== "granted") throw new Error("the answer is " + state); return "${name}"; })()`
      ),
    ),
    target: "none",
    words: /the answer is (?:denied|prompt|ignored)/,
  },
  {
    id: "h15",
    title: "reach a server on loopback",
    file: "h15.mjs",
    source: `import net from "node:net"; import http from "node:http";\n` +
      URL_PARTS + attempt(
        `read(await fetch("__TARGET__"))`,
        `(await Deno.connect({ hostname, port: Number(port) }), "connected")`,
        `new Promise((yes, no) => net.connect(Number(port), hostname, () => yes("node:net")).on("error", no))`,
        `new Promise((yes, no) => http.get("__TARGET__", (r) => { r.resume(); r.statusCode === 200 ? yes("node:http") : no(new Error("status " + r.statusCode)); }).on("error", no))`,
      ),
    target: "server",
    // Where no TCP is possible, Node's clients are told so.
    words: /no network here/,
  },
  {
    id: "h20",
    title: "reach a unix socket",
    file: "h20.mjs",
    source: `import net from "node:net";\n` + attempt(
      `(await Deno.connect({ transport: "unix", path: "__TARGET__" }), "connected")`,
      `new Promise((yes, no) => net.connect("__TARGET__", () => yes("node:net")).on("error", no))`,
    ),
    target: "socket",
  },
  {
    id: "abstract",
    title: "reach an abstract socket",
    file: "abstract.mjs",
    source: `import net from "node:net";\n` + attempt(
      `(await Deno.connect({ transport: "unix", path: "\\0__TARGET__" }), "connected")`,
      `new Promise((yes, no) => net.connect("\\0__TARGET__", () => yes("node:net")).on("error", no))`,
    ),
    target: "abstract",
  },
  {
    id: "h39",
    title: "listen",
    file: "h39.mjs",
    source: attempt(
      ...["0.0.0.0", "127.0.0.1", "localhost", "[::1]"].map((hostname) =>
        `Deno.listen({ port: 0, hostname: "${hostname}" }).addr.port`
      ),
      `Deno.listen({ transport: "unix", path: Deno.env.get("SKILL_OUT") + "/s" }).addr.path`,
      `Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => new Response()).addr.port`,
    ),
    target: "none",
  },
  {
    id: "h40",
    title: "keep something for its next run",
    file: "h40.mjs",
    source: `const at = Deno.env.get("TMPDIR") + "/kept";
const url = "http://x.invalid/a";
` + followedBy(
        attempt(
          `caches.open("x").then((c) => c.match(url)).then((r) => r?.text())`,
          `globalThis.localStorage?.getItem("x") ?? undefined`,
          `Deno.readTextFileSync(at)`,
        ),
        `  try { await (await caches.open("x")).put(url, new Response("kept")); } catch { /* refused */ }
  try { globalThis.localStorage?.setItem("x", "kept"); } catch { /* refused */ }
  Deno.writeTextFileSync(at, "kept");
`,
      ),
    target: "none",
    runs: 2,
    words: /nothing came of it|NotFound/,
  },
];
