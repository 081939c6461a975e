/** The process and its runtime: commands, native code, privileges, signals. */

import { type Attack, attempt } from "./attack.ts";

/** Attacks that leave the language. */
export const PROCESS_ATTACKS: readonly Attack[] = [
  {
    id: "h12",
    title: "the server's environment",
    file: "a.mjs",
    source: `import process from "node:process";
const seen = { ...process.env }; let all = {};
try { all = Deno.env.toObject(); } catch { /* refused is held */ }
const got = process.env.SKILLFENCE_TEST_SECRET ?? seen.SKILLFENCE_TEST_SECRET ?? all.SKILLFENCE_TEST_SECRET;
console.log(got === undefined ? "HELD not in " + Object.keys(seen).sort().join() : "GOT " + got);
`,
    target: "none",
    control: "bare",
  },
  {
    id: "h22",
    title: "starting a command",
    file: "a.mjs",
    source: `import cp from "node:child_process";
const why = []; let got;
for (const way of [() => new TextDecoder().decode(new Deno.Command("/bin/echo", { args: ["hi"] }).outputSync().stdout), () => cp.execFileSync("/bin/echo", ["hi"]).toString(), () => cp.spawnSync("/bin/echo", ["hi"]).stdout?.toString() || undefined, () => new TextDecoder().decode(new Deno.Command(Deno.execPath(), { args: ["--version"] }).outputSync().stdout)]) { try { got ??= way(); } catch (error) { why.push(error.message); } }
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "none",
    control: "bare",
  },
  {
    id: "h23",
    title: "calling native code",
    file: "a.mjs",
    source: attempt(
      `Deno.dlopen("libc.so.6", { getpid: { parameters: [], result: "i32" } }).symbols.getpid()`,
    ),
    target: "none",
    control: "bare",
  },
  {
    id: "h24",
    title: "raw memory through native pointers",
    file: "a.mjs",
    source: attempt(
      `Deno.UnsafePointer.value(Deno.UnsafePointer.of(new Uint8Array(8)))`,
    ),
    target: "none",
    control: "bare",
  },
  {
    id: "h25",
    title: "a native addon",
    file: "a.cjs",
    source: attempt(`require("./addon.node")`).replaceAll(
      'GOT " + got',
      'GOT " + typeof got',
    ),
    target: "none",
    also: { "addon.node": "not really an addon" },
    control: {
      none: "an addon binary is not carried by the tests; h26 covers loading",
    },
  },
  {
    id: "h26",
    title: "process.dlopen",
    file: "a.cjs",
    source: attempt(
      `(() => { try { process.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libm.so.6"); return "opened"; } catch (e) { if (/Requires|NotCapable|not permitted/i.test(e.name + e.message)) throw e; return "reached the linker: " + e.message; } })()`,
    ),
    target: "none",
    control: "bare",
  },
  {
    id: "h27",
    title: "the runtime's internal bindings",
    file: "a.cjs",
    source: attempt(
      `(() => { const b = process.binding("spawn_sync"); return b.spawn({ file: "/bin/echo", args: ["echo"], stdio: [] }).pid; })()`,
    ),
    target: "none",
    control: { none: "the runtime has no such binding" },
  },
  {
    id: "h28",
    title: "a worker made from text",
    file: "a.mjs",
    source:
      `const code = 'try { postMessage("GOT " + Deno.readTextFileSync("__TARGET__")) } catch (e) { postMessage("HELD " + e.message) }';
try {
  const w = new Worker("data:application/javascript," + encodeURIComponent(code), { type: "module" });
  w.onmessage = (e) => { console.log(e.data); w.terminate(); };
  w.onerror = (e) => { e.preventDefault(); console.log("HELD " + e.message); w.terminate(); };
} catch (error) { console.log("HELD " + error.message); }
`,
    target: "file",
    control: "inside",
  },
  {
    id: "h28-options",
    title: "a worker that asks for more permissions than its parent has",
    file: "a.mjs",
    source: attempt(
      `(() => { new Worker("data:application/javascript,0", { type: "module", deno: { permissions: { read: true, net: true } } }).terminate(); return "made"; })()`,
    ),
    target: "none",
    control: { none: "the option needs an unstable flag that is never passed" },
  },
  {
    id: "h29",
    title: "a node worker with code from text",
    file: "a.mjs",
    source: `import { Worker } from "node:worker_threads";
const w = new Worker('const { parentPort } = require("node:worker_threads"); try { parentPort.postMessage("GOT " + require("node:fs").readFileSync("__TARGET__", "utf8")) } catch (e) { parentPort.postMessage("HELD " + e.message) }', { eval: true });
w.on("message", (m) => { console.log(m); w.terminate(); });
w.on("error", (e) => console.log("HELD " + e.message));
`,
    target: "file",
    control: "inside",
  },
  {
    id: "h30",
    title: "asking for permissions at run time",
    file: "a.mjs",
    source: `const state = [];
for (const name of ["read", "write", "net", "run", "ffi", "env", "sys"]) state.push(name + "=" + (await Deno.permissions.request({ name })).state);
console.log((state.every((s) => !s.endsWith("granted")) ? "HELD " : "GOT ") + state.join());
`,
    target: "none",
    control: "bare",
  },
  {
    id: "h31",
    title: "polluted prototypes under the permission check",
    file: "a.mjs",
    source:
      `for (const p of [String.prototype, Array.prototype, Object.prototype]) { try { p.startsWith = () => true; p.includes = () => true; p.state = "granted"; } catch { /* frozen is fine */ } }
` + attempt(`Deno.readTextFileSync("__TARGET__")`),
    target: "file",
    control: "inside",
  },
  {
    id: "h32",
    title: "the runtime's internal symbol",
    file: "a.mjs",
    source: attempt(
      `(() => { const core = Deno[Deno.internal]?.core; const ops = core?.ops ?? {}; const f = ops.op_fs_read_file_text_sync ?? ops.op_fs_read_file_sync ?? ops.op_read_file_sync; if (!f) throw new Error("no such op is reachable"); return f("__TARGET__"); })()`,
    ),
    target: "file",
    control: { none: "the runtime exposes no such op" },
  },
  {
    id: "h33",
    title: "a WASI preopen of the root",
    file: "a.mjs",
    source: attempt(
      `await (async () => { const { WASI } = await import("node:wasi"); const w = new WASI({ version: "preview1", preopens: { "/": "/" } }); return w.getImportObject ? (() => { throw new Error("nothing was read through the preopen"); })() : undefined; })()`,
    ),
    target: "none",
    control: {
      none:
        "making the object reads nothing; reads go through the checked file API",
    },
  },
  {
    id: "h34",
    title: "opening an inspector",
    file: "a.mjs",
    source: attempt(
      `await (async () => { const inspector = await import("node:inspector"); inspector.open(0, "127.0.0.1"); return inspector.url(); })()`,
    ),
    target: "none",
    control: "bare",
  },
  {
    id: "h35",
    title: "an inspector session on itself that reads a file",
    file: "a.mjs",
    source: attempt(
      `await (async () => { const { Session } = await import("node:inspector"); const s = new Session(); s.connect(); return await new Promise((res, rej) => s.post("Runtime.evaluate", { expression: "Deno.readTextFileSync('__TARGET__')" }, (e, r) => e ? rej(e) : r?.exceptionDetails ? rej(new Error(r.exceptionDetails.exception?.description)) : res(r?.result?.value))); })()`,
    ),
    target: "file",
    control: "bare",
  },
  {
    id: "h36",
    title: "another realm through node:vm",
    file: "a.mjs",
    source: `import vm from "node:vm";\n` + attempt(
      `vm.runInNewContext("D.constructor.constructor('return Deno')().readTextFileSync('__TARGET__')", { D: Deno })`,
    ),
    target: "file",
    control: "inside",
  },
  {
    id: "h37",
    title: "sqlite: extensions, ATTACH and files outside",
    file: "a.mjs",
    source: `import { DatabaseSync } from "node:sqlite";
const why = []; let got;
for (const way of [
  () => { const db = new DatabaseSync(":memory:", { allowExtension: true }); db.enableLoadExtension(true); db.loadExtension("/lib/x86_64-linux-gnu/libm.so.6"); return "extension"; },
  () => { const db = new DatabaseSync(":memory:"); db.exec("ATTACH DATABASE '__TARGET__/a.db' AS x; CREATE TABLE x.t (a);"); return "attached"; },
  () => { const db = new DatabaseSync(":memory:"); db.exec("VACUUM INTO '__TARGET__/v.db'"); return "vacuumed"; },
  () => { new DatabaseSync("__TARGET__/o.db").exec("CREATE TABLE t (a)"); return "opened"; },
]) { try { got ??= way(); } catch (error) { why.push(error.message); } }
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "directory",
    control: "bare",
  },
  {
    id: "h42",
    title: "signals to others",
    file: "a.mjs",
    source: `import process from "node:process";
const why = []; let got;
for (const pid of [Deno.ppid, 1]) {
  for (const way of [() => Deno.kill(pid, "SIGCONT"), () => process.kill(pid, 0)]) { try { way(); got ??= "signalled " + pid; } catch (error) { why.push(error.message); } }
}
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "none",
    control: "bare",
  },
  {
    id: "h55",
    title: "facts about the machine",
    file: "a.mjs",
    source: `const why = []; let got;
for (const way of [() => Deno.hostname(), () => Deno.uid(), () => Deno.loadavg(), () => Deno.networkInterfaces().length, () => Deno.systemMemoryInfo().total]) { try { got ??= way(); } catch (error) { why.push(error.message); } }
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "none",
    control: "bare",
  },
  {
    id: "h61",
    title: "changing the mask or the user",
    file: "a.mjs",
    source: `import process from "node:process";
const why = []; let got;
for (const way of [() => Deno.umask(0), () => process.umask(0), () => process.setuid?.(65534) ?? (() => { throw new Error("setuid is absent"); })()]) { try { way(); got ??= way.toString(); } catch (error) { why.push(error.message); } }
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "none",
    control: "bare",
  },
  {
    id: "h63",
    title: "engine flags changed at run time",
    file: "a.mjs",
    source: `import v8 from "node:v8";
try { v8.setFlagsFromString("--allow-natives-syntax"); } catch { /* refused is held */ }
let got; try { got = new Function("return %GetOptimizationStatus(function(){})")(); } catch (error) { console.log("HELD " + error.message); }
if (got !== undefined) console.log("GOT natives " + got);
`,
    target: "none",
    control: { none: "the runtime's setter is inert" },
  },
  {
    id: "h65",
    title: "the test module's snapshot writer",
    file: "a.mjs",
    source: attempt(
      `(() => { Deno.mkdirSync("__TARGET__/snap"); return "made"; })()`,
    ),
    target: "directory",
    control: "bare",
  },
  {
    id: "h59",
    title: "the bundler and other tools of the runtime",
    file: "a.mjs",
    source: attempt(
      `await (async () => { if (!Deno.bundle) throw new Error("Deno.bundle is absent"); const r = await Deno.bundle({ entrypoints: ["__TARGET__"], write: false }); return r.outputFiles?.[0]?.text(); })()`,
    ),
    target: "module",
    control: { none: "the API is absent without its unstable flag" },
  },
];
