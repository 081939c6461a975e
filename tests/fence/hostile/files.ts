/** Files: reading, probing and writing outside what the Plan opens. */

import { type Attack, attempt } from "./attack.ts";

/** Attacks on the file system. */
export const FILE_ATTACKS: readonly Attack[] = [
  {
    id: "h01",
    title: "reading a file outside",
    file: "a.mjs",
    source: attempt(`Deno.readTextFileSync("__TARGET__")`),
    target: "file",
    control: "inside",
  },
  {
    id: "h02",
    title: "reading through dot-dot, double slashes and encodings",
    file: "a.mjs",
    source: `import { readFileSync } from "node:fs";
const here = new URL(".", import.meta.url).pathname;
const up = here + "../".repeat(here.split("/").length);
const ways = [up + "__TARGET__", "//__TARGET__", "__TARGET__/", new URL("file://__TARGET__"), Buffer.from("__TARGET__")];
let got;
const why = [];
for (const way of ways) { try { got ??= readFileSync(way, "utf8"); } catch (error) { why.push(error.message); } }
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "file",
    control: "inside",
  },
  {
    id: "h11",
    title: "probing for a file by resolving it",
    file: "a.cjs",
    source: attempt(`require.resolve(["__TARGET__"].join(""))`),
    target: "json",
    control: "inside",
  },
  {
    id: "h13",
    title: "the environment in /proc",
    file: "a.mjs",
    source: `let got; const why = [];
for (const p of ["self", "thread-self", String(Deno.pid), String(Deno.ppid), "1"]) {
  try { got ??= Deno.readTextFileSync("/proc/" + p + "/environ"); } catch (error) { why.push(error.message); }
}
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got.length);
`,
    target: "none",
    control: "bare",
  },
  {
    id: "h14",
    title: "maps, descriptors, root and working directory in /proc",
    file: "a.mjs",
    source: `let got; const why = [];
for (const p of ["self/maps", "self/root/etc/hostname", "self/cwd/../../../etc/hostname", "self/fd/0", "net/tcp", "mounts"]) {
  try { got ??= Deno.readTextFileSync("/proc/" + p); } catch (error) { why.push(error.message); }
}
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got.length);
`,
    target: "none",
    control: "bare",
  },
  {
    id: "h44",
    title: "planting a symbolic link to read or write through",
    file: "a.mjs",
    source: `const link = Deno.env.get("TMPDIR") + "/l";\n` +
      attempt(
        `(Deno.symlinkSync("__TARGET__", link), Deno.readTextFileSync(link))`,
      ),
    target: "file",
    control: "bare",
  },
  {
    id: "h46",
    title: "watching a directory outside",
    file: "a.mjs",
    source: `import { watch } from "node:fs";
const watcher = (() => { try { return Deno.watchFs("__TARGET__"); } catch (error) { console.log("HELD " + error.message); } })();
if (watcher) { console.log("GOT a watcher"); watcher.close(); }
`,
    target: "directory",
    control: "inside",
  },
  {
    id: "h48",
    title: "loading a file outside as an environment file",
    file: "a.mjs",
    source: `import process from "node:process";\n` +
      attempt(`(process.loadEnvFile("__TARGET__"), "loaded")`),
    target: "file",
    control: "bare",
  },
  {
    id: "h52",
    title: "fetch of a file URL",
    file: "a.mjs",
    source: attempt(`await (await fetch("file://__TARGET__")).text()`),
    target: "file",
    control: "inside",
  },
  {
    id: "h53",
    title: "streaming a file URL into WebAssembly",
    file: "a.mjs",
    source: attempt(
      `await WebAssembly.compileStreaming(fetch("file://__TARGET__")).catch((e) => { if (/permission|Requires|NotCapable/i.test(e + e.name)) throw e; return "read: " + e.message; })`,
    ),
    target: "file",
    control: "inside",
  },
  {
    id: "h54",
    title: "learning that a file exists",
    file: "a.mjs",
    source: `import fs from "node:fs";
const ways = [() => Deno.statSync("__TARGET__").size, () => Deno.lstatSync("__TARGET__").size, () => Deno.realPathSync("__TARGET__"), () => [...Deno.readDirSync("__TARGET__".replace(/[^/]*$/, ""))].length, () => fs.statfsSync("__TARGET__").type, () => fs.globSync("__TARGET__*").length || undefined, () => fs.opendirSync("__TARGET__".replace(/[^/]*$/, "")).path];
let got; const why = [];
for (const way of ways) { try { got ??= way(); } catch (error) { why.push(error.message); } }
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "file",
    control: "inside",
  },
  {
    id: "h62",
    title: "the runtime's own caches and history",
    file: "a.mjs",
    source: `let got; const why = [];
for (const p of ["__TARGET__", (Deno.env.get("HOME") ?? "") + "/../../root/.npmrc"]) { try { got ??= Deno.readTextFileSync(p); } catch (error) { why.push(error.message); } }
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "file",
    control: "inside",
  },
  {
    id: "h64",
    title: "a diagnostic report or heap snapshot written outside",
    file: "a.mjs",
    source: `import v8 from "node:v8"; import fs from "node:fs";
const at = "__TARGET__/dump"; const why = [];
for (const way of [() => v8.writeHeapSnapshot(at), () => fs.writeFileSync(at, "x"), () => fs.cpSync(new URL(import.meta.url).pathname, at), () => fs.renameSync(Deno.env.get("TMPDIR"), at)]) { try { way(); } catch (error) { why.push(error.message); } }
let there = false; try { Deno.statSync(at); there = true; } catch { /* judged by the test too */ }
console.log(there ? "GOT a file" : "HELD " + why.join(" | "));
`,
    target: "directory",
    control: "bare",
  },
  {
    id: "write",
    title: "writing into the skill",
    file: "a.mjs",
    source: attempt(
      `(Deno.writeTextFileSync(new URL("./planted.txt", import.meta.url).pathname, "x"), "written")`,
    ),
    target: "none",
    control: "bare",
  },
  {
    id: "chmod",
    title: "changing modes, times, links and names outside",
    file: "a.mjs",
    source: `const why = []; let got;
for (const way of [() => Deno.chmodSync("__TARGET__", 0o777), () => Deno.utimeSync("__TARGET__", 1, 1), () => Deno.linkSync("__TARGET__", Deno.env.get("TMPDIR") + "/h"), () => Deno.renameSync("__TARGET__", "__TARGET__2"), () => Deno.truncateSync("__TARGET__"), () => Deno.removeSync("__TARGET__")]) { try { way(); got ??= way.toString(); } catch (error) { why.push(error.message); } }
console.log(got === undefined ? "HELD " + why.join(" | ") : "GOT " + got);
`,
    target: "file",
    control: "bare",
  },
];
