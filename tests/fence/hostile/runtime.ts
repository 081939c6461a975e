/** The runtime turned on itself: internals, workers, permissions, the inspector. */

import { type Attack, attempt, deep } from "./attack.ts";

const REPORT = `const report = (m) => console.log(m.replaceAll("\\n", " "));\n`;

/** Attacks on the runtime that checks them. */
export const RUNTIME_ATTACKS: readonly Attack[] = [
  {
    id: "h27",
    kind: "internals",
    title: "the runtime's internal bindings",
    file: "a.cjs",
    source: attempt(
      `(() => { const b = process.binding("spawn_sync"); return b.spawn({ file: "/bin/echo", args: ["echo"], stdio: [] }).pid; })()`,
    ),
    target: "none",
    control: { none: "the runtime has no such binding" },
    words: /No such module|not implemented|not a function/i,
  },
  {
    id: "h32",
    kind: "internals",
    title: "the runtime's internal symbol",
    file: "a.mjs",
    source: attempt(
      `(() => { const core = Deno[Deno.internal]?.core; const ops = core?.ops ?? {}; const f = ops.op_fs_read_file_text_sync ?? ops.op_fs_read_file_sync ?? ops.op_read_file_sync; if (!f) throw new Error("no such op is reachable"); return f("__TARGET__"); })()`,
    ),
    target: "file",
    control: { none: "the runtime exposes no such op" },
    words: /no such op is reachable/,
  },
  {
    id: "h59",
    kind: "internals",
    title: "the bundler and other tools of the runtime",
    file: "a.mjs",
    source: attempt(
      `(async () => { if (!Deno.bundle) throw new Error("Deno.bundle is absent"); const r = await Deno.bundle({ entrypoints: ["__TARGET__"], write: false }); return r.outputFiles?.[0]?.text(); })()`,
    ),
    target: "module",
    control: { none: "the API is absent without its unstable flag" },
    words: /is absent|--unstable-bundle/,
  },
  {
    id: "h63",
    kind: "internals",
    title: "engine flags changed at run time",
    file: "a.mjs",
    source: `import v8 from "node:v8";
try { v8.setFlagsFromString("--allow-natives-syntax"); } catch { /* refused is held */ }
` + attempt(`new Function("return %GetOptimizationStatus(function(){})")()`),
    target: "none",
    control: { none: "the runtime's setter is inert" },
    words: /SyntaxError/,
  },
  {
    id: "h28",
    kind: "worker",
    title: "a worker made from text",
    file: "a.mjs",
    source: REPORT +
      `const code = 'try { postMessage("GOT " + Deno.readTextFileSync("__TARGET__")) } catch (e) { postMessage("HELD " + e.name + e.message) }';
try {
  const w = new Worker("data:application/javascript," + encodeURIComponent(code), { type: "module" });
  w.onmessage = (e) => { report(e.data); w.terminate(); };
  w.onerror = (e) => { e.preventDefault(); report("HELD " + e.message); w.terminate(); };
} catch (error) { report("HELD " + error.message); }
`,
    target: "file",
    control: "inside",
  },
  {
    id: "h29",
    kind: "worker",
    title: "a node worker with code from text",
    file: "a.mjs",
    source: `import { Worker } from "node:worker_threads";
` + REPORT +
      `const w = new Worker('const { parentPort } = require("node:worker_threads"); try { parentPort.postMessage("GOT " + require("node:fs").readFileSync("__TARGET__", "utf8")) } catch (e) { parentPort.postMessage("HELD " + e.message) }', { eval: true });
w.on("message", (m) => { report(m); w.terminate(); });
w.on("error", (e) => report("HELD " + e.message));
`,
    target: "file",
    control: "inside",
  },
  {
    id: "h29-file",
    kind: "worker",
    title: "a worker whose module lies outside",
    file: "a.mjs",
    source: REPORT + `try {
  const w = new Worker("file://__TARGET__", { type: "module" });
  w.onmessage = (e) => { report("GOT " + e.data); w.terminate(); };
  w.onerror = (e) => { e.preventDefault(); report("HELD " + e.message); w.terminate(); };
} catch (error) { report("HELD " + error.message); }
`,
    target: "module",
    control: {
      none:
        "the module outside posts nothing; h28 is the control of a worker as such",
    },
  },
  {
    ...deep("h28-options"),
    kind: "worker-permissions",
    control: "bare",
    bare: ["--unstable-worker-options"],
  },
  {
    ...deep("h30"),
    kind: "permission-request",
    control: "bare",
  },
  {
    id: "h30-query",
    kind: "permission-request",
    title: "asking for one file, one host, one variable, and the prompt",
    file: "a.mjs",
    source: attempt(
      ...[
        `{ name: "read", path: "__TARGET__" }`,
        `{ name: "write", path: "__TARGET__" }`,
        `{ name: "net", host: "127.0.0.1:1" }`,
        `{ name: "run", command: "sh" }`,
      ].map((wish) =>
        `(async () => { const { state } = await Deno.permissions.request(${wish}); if (state !== "granted") throw new Error("the answer is " + state); return state; })()`
      ),
      `Deno.readTextFileSync("__TARGET__")`,
    ),
    target: "file",
    control: "bare",
    words: /the answer is (?:denied|prompt)/,
  },
  {
    id: "h31",
    kind: "prototypes",
    title: "polluted prototypes under the permission check",
    file: "a.mjs",
    source:
      `for (const p of [String.prototype, Array.prototype, Object.prototype]) { try { p.startsWith = () => true; p.includes = () => true; p.state = "granted"; } catch { /* frozen is fine */ } }
` + attempt(`Deno.readTextFileSync("__TARGET__")`),
    target: "file",
    control: "inside",
  },
  {
    id: "h36",
    kind: "realms",
    title: "another realm through node:vm",
    file: "a.mjs",
    source: `import vm from "node:vm";\n` + attempt(
      `vm.runInNewContext("D.constructor.constructor('return Deno')().readTextFileSync('__TARGET__')", { D: Deno })`,
      `vm.runInThisContext("Deno.readTextFileSync('__TARGET__')")`,
    ),
    target: "file",
    control: "inside",
  },
  {
    id: "h33",
    kind: "wasi",
    title: "a WASI preopen of the root",
    file: "a.mjs",
    source: attempt(
      `(async () => { const { WASI } = await import("node:wasi"); const w = new WASI({ version: "preview1", preopens: { "/": "/" } }); if (w.getImportObject) throw new Error("nothing was read through the preopen"); return "an object without functions"; })()`,
    ),
    target: "none",
    control: {
      none:
        "making the object reads nothing; reads go through the checked file API",
    },
    words: /nothing was read|not implemented|UVWASI_/i,
  },
  {
    id: "h34",
    kind: "inspector",
    title: "opening an inspector",
    file: "a.mjs",
    source: attempt(
      `(async () => { const inspector = await import("node:inspector"); inspector.open(0, "127.0.0.1"); return inspector.url(); })()`,
    ),
    target: "none",
    control: "bare",
  },
  {
    id: "h35",
    kind: "inspector",
    title: "an inspector session on itself that reads a file",
    file: "a.mjs",
    source: attempt(
      `(async () => { const { Session } = await import("node:inspector"); const s = new Session(); s.connect(); return await new Promise((res, rej) => s.post("Runtime.evaluate", { expression: "Deno.readTextFileSync('__TARGET__')" }, (e, r) => e ? rej(e) : r?.exceptionDetails ? rej(new Error(r.exceptionDetails.exception?.description)) : res(r?.result?.value))); })()`,
    ),
    target: "file",
    control: "bare",
  },
  {
    id: "h37",
    linux: true,
    kind: "sqlite",
    title: "sqlite: extensions, ATTACH and files outside",
    file: "a.mjs",
    source: `import { DatabaseSync, backup } from "node:sqlite";\n` + attempt(
      `(() => { const db = new DatabaseSync(":memory:", { allowExtension: true }); db.enableLoadExtension?.(true); try { db.loadExtension("/lib/x86_64-linux-gnu/libm.so.6"); } catch (e) { if (!/undefined symbol/.test(e.message)) throw e; } return "extension"; })()`,
      `(() => { const db = new DatabaseSync(":memory:"); db.exec("ATTACH DATABASE '__TARGET__/a.db' AS x; CREATE TABLE x.t (a);"); return "attached"; })()`,
      `(() => { const db = new DatabaseSync(":memory:"); db.exec("VACUUM INTO '__TARGET__/v.db'"); return "vacuumed"; })()`,
      `(new DatabaseSync("__TARGET__/o.db").exec("CREATE TABLE t (a)"), "opened")`,
      `(async () => { const db = new DatabaseSync(":memory:"); db.exec("CREATE TABLE t (a)"); await backup(db, "__TARGET__/b.db"); return "backed up"; })()`,
    ),
    target: "directory",
    control: "bare",
    breached: async ({ outside }) => {
      for await (const _ of Deno.readDir(outside)) return true;
      return false;
    },
    words:
      /not authorized|no such (?:module|function)|too many attached|unable to open/i,
  },
  {
    id: "sqlite-probe",
    linux: true,
    kind: "sqlite-probe",
    title: "sqlite: whether a directory can be written, by a setting",
    file: "a.mjs",
    source: `import { DatabaseSync } from "node:sqlite";\n` + attempt(
      `(new DatabaseSync(":memory:").exec("PRAGMA temp_store_directory='__TARGET__'"), "it is there, and can be written")`,
    ),
    target: "directory",
    control: "bare",
    words: /not a writable directory/,
  },
];
