/** The module graph: imports and requires that would read past the flags. */

import { type Attack, attempt } from "./attack.ts";

const REQUIRE = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
`;

/** Attacks by way of the module loader (Deno issues 29991, 30301, 31741). */
export const MODULE_ATTACKS: readonly Attack[] = [
  {
    id: "h03",
    title: "static import of a JSON file outside",
    file: "a.mjs",
    source:
      `import x from "file://__TARGET__" with { type: "json" };\nconsole.log("GOT " + x.secret);\n`,
    target: "json",
    control: "inside",
    direct: true,
  },
  {
    id: "h04",
    title: "static import of any text file outside",
    file: "a.mjs",
    source:
      `import x from "file://__TARGET__" with { type: "text" };\nconsole.log("GOT " + x);\n`,
    target: "file",
    control: "inside",
    direct: true,
  },
  {
    id: "h05",
    title: "static import of a module outside",
    file: "a.mjs",
    source:
      `import { secret } from "file://__TARGET__";\nconsole.log("GOT " + secret);\n`,
    target: "module",
    control: "inside",
    direct: true,
  },
  {
    id: "h06",
    title: "dynamic import with a computed specifier",
    file: "a.mjs",
    source: `const where = "file://" + ["__TARGET__"].join("");\n` +
      attempt("(await import(where)).secret"),
    target: "module",
    control: "inside",
  },
  {
    id: "h07",
    title: "literal require of a file outside",
    file: "a.cjs",
    source: attempt(`require("__TARGET__").secret`),
    target: "json",
    control: "inside",
    direct: true,
  },
  {
    id: "h08",
    title: "require of a path with a node_modules component",
    file: "a.cjs",
    source: `const where = ["__TARGET__"].join("");\n` +
      attempt("require(where).secret"),
    target: "node_modules",
    control: "inside",
  },
  {
    id: "h09",
    title: "the loader's own internals",
    file: "a.cjs",
    source: `const Module = require("node:module");\n` +
      attempt(`Module._load(["__TARGET__"].join(""), module, false).secret`),
    target: "json",
    control: "inside",
  },
  {
    id: "h10",
    title: "a loader extension called by hand",
    file: "a.cjs",
    source: `const Module = require("node:module");
const m = new Module(["__TARGET__"].join(""));
` + attempt(
        `(Module._extensions[".json"](m, ["__TARGET__"].join("")), m.exports.secret)`,
      ),
    target: "json",
    control: "inside",
  },
  {
    id: "h49",
    title: "a registered loader hook that hands over another file",
    file: "a.mjs",
    source: `import module from "node:module";
import { readFileSync } from "node:fs";
try { module.registerHooks({ load: () => ({ format: "module", shortCircuit: true, source: "export const secret = " + JSON.stringify(readFileSync("__TARGET__", "utf8")) }) }); }
catch (error) { console.log("HELD " + error.message); }
` +
      attempt(
        `(await import(new URL("./virtual.mjs", import.meta.url).href)).secret`,
      ),
    target: "file",
    control: "inside",
    also: { "virtual.mjs": "export const secret = undefined;\n" },
  },
  {
    id: "h50",
    title: "a loader module registered from outside",
    file: "a.mjs",
    source: `import module from "node:module";\n` +
      attempt(`(module.register("file://__TARGET__"), "registered")`),
    target: "module",
    control: { none: "the runtime does not run registered loaders" },
  },
  {
    id: "h58",
    title: "code made at run time that imports",
    file: "a.mjs",
    source: attempt(
      `(await new Function("w", "return import(w)")("file://__TARGET__")).secret`,
    ),
    target: "module",
    control: "inside",
  },
  {
    id: "h60",
    title: "a module written in one run and imported in the next",
    file: "a.mjs",
    source: `const dir = Deno.env.get("MCP_DATA_DIR");
const later = dir + "/later.mjs";
let there = true;
try { Deno.statSync(later); } catch { there = false; }
if (!there) { Deno.writeTextFileSync(later, 'export { secret } from "file://__TARGET__";'); console.log("HELD first run"); }
else { ${attempt(`(await import("file://" + later)).secret`)} }
`,
    target: "module",
    control: "inside",
    runs: 2,
  },
  {
    id: "h66",
    title: "require of an ES module whose imports lie outside",
    file: "a.cjs",
    source: attempt(`require("./inner.mjs").secret`),
    target: "module",
    control: "inside",
    also: { "inner.mjs": 'export { secret } from "file://__TARGET__";\n' },
    direct: true,
  },
  {
    id: "h67",
    title: "literal dynamic import from CommonJS",
    file: "a.cjs",
    source:
      `import("file://__TARGET__").then((m) => console.log("GOT " + m.secret), (e) => console.log("HELD " + e.message));\n`,
    target: "module",
    control: "inside",
    direct: true,
  },
  {
    id: "h68",
    title: "a static import three modules deep",
    file: "a.mjs",
    source:
      `import { secret } from "./b.mjs";\nconsole.log("GOT " + secret);\n`,
    target: "module",
    control: "inside",
    also: {
      "b.mjs": 'export { secret } from "./c.mjs";\n',
      "c.mjs": 'export { secret } from "file://__TARGET__";\n',
    },
    direct: true,
  },
  {
    id: "h69",
    title: "a WebAssembly import outside",
    file: "a.mjs",
    source: attempt(
      `Object.keys(await import("file://" + "__TARGET__".replace("x", "x"))).join()`,
    ),
    target: "module",
    control: "inside",
  },
  {
    id: "h71",
    title: "a JSX pragma that names a module outside",
    file: "a.tsx",
    source:
      `/** @jsxImportSource file://__TARGET__ */\ntry { console.log("GOT " + JSON.stringify(<b />)); } catch (error) { console.log("HELD " + error); }\n`,
    target: "module",
    control: { none: "a pragma takes a package name, never a path" },
  },
  {
    id: "h72",
    title: "a type reference outside",
    file: "a.ts",
    source:
      `/// <reference types="file://__TARGET__" />\nconst t: string = "HELD types are not read";\nconsole.log(t);\n`,
    target: "module",
    control: { none: "types are never read at run time" },
  },
  {
    id: "h76",
    title: "an ES module written at run time and required",
    file: "a.mjs",
    source: REQUIRE +
      `const at = Deno.env.get("TMPDIR") + "/x.mjs";
Deno.writeTextFileSync(at, 'import t from "file://__TARGET__" with { type: "text" }; export const secret = t;');
` + attempt("require(at).secret"),
    target: "file",
    control: "inside",
    direct: true,
  },
  {
    id: "h77",
    title: "a module compiled from text",
    file: "a.cjs",
    source: `const Module = require("node:module");
const m = new Module(__dirname + "/made.cjs"); m.filename = __dirname + "/made.cjs"; m.paths = [];
` + attempt(
        `(m._compile("exports.secret = require(" + JSON.stringify("__TARGET__") + ").secret", m.filename), m.exports.secret)`,
      ),
    target: "json",
    control: "inside",
  },
];
