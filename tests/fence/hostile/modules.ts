/** The module graph: imports and requires that would read past the flags. */

import { type Attack, attempt, deep } from "./attack.ts";

/** Attacks by way of the module loader (Deno issues 29991, 30301, 31741). */
export const MODULE_ATTACKS: readonly Attack[] = [
  {
    ...deep("h03"),
    kind: "module-static",
    control: "inside",
    graph: true,
  },
  {
    ...deep("h04"),
    kind: "module-static",
    control: "inside",
    graph: true,
  },
  {
    ...deep("h05"),
    kind: "module-static",
    control: "inside",
    graph: true,
  },
  {
    id: "h68",
    kind: "module-static",
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
    graph: true,
  },
  {
    id: "h68-relative",
    kind: "module-static",
    title: "a static import by a relative path that climbs",
    file: "a.mjs",
    source:
      `import { secret } from "../../outside/secret.mjs";\nconsole.log("GOT " + secret);\n`,
    target: "module",
    control: { none: "a path that climbs leads out of any skill" },
    graph: true,
  },
  {
    id: "h68-proc",
    linux: true,
    kind: "module-static",
    title: "a static import of the server's environment",
    file: "a.mjs",
    source:
      `import text from "/proc/__SERVER__/environ" with { type: "text" };\nconsole.log("GOT " + text.length);\n`,
    target: "none",
    control: "bare",
  },
  {
    ...deep("h06"),
    kind: "module-computed",
    control: "inside",
  },
  {
    id: "h58",
    kind: "module-computed",
    title: "code made at run time that imports",
    file: "a.mjs",
    source: attempt(
      `(await new Function("w", "return import(w)")("file://__TARGET__")).secret`,
      `(await (0, eval)('import("file://__TARGET__")')).secret`,
    ),
    target: "module",
    control: "inside",
  },
  {
    id: "h58-data",
    kind: "module-computed",
    title: "a module in a data or blob URL that imports",
    file: "a.mjs",
    source: `const text = 'export { secret } from "file://__TARGET__";';\n` +
      attempt(
        `(await import("data:text/javascript," + encodeURIComponent(text))).secret`,
        `(await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })))).secret`,
      ),
    target: "module",
    control: "inside",
    // The runtime lets no module of a data URL import a local one.
    words: /Remote modules are not allowed to import local modules/,
  },
  {
    id: "h69",
    kind: "module-computed",
    title: "an import of a file as WebAssembly, text or bytes",
    file: "a.mjs",
    source: attempt(
      `Object.keys(await import("file://" + "__TARGET__".replace("x", "x"))).join()`,
      `(await import("file://" + "__TARGET__".replace("x", "x"), { with: { type: "text" } })).default`,
    ),
    target: "module",
    control: "inside",
  },
  {
    ...deep("h67"),
    kind: "module-literal",
    control: "inside",
    graph: true,
  },
  {
    id: "literal-import",
    kind: "module-literal",
    title: "a literal dynamic import in a module",
    file: "a.mjs",
    source: attempt(`(await import("file://__TARGET__")).secret`),
    target: "module",
    control: "inside",
    graph: true,
  },
  {
    ...deep("h07"),
    kind: "module-require",
    control: "inside",
    graph: true,
  },
  {
    id: "h08",
    kind: "module-require",
    title: "require of a path with a node_modules component",
    file: "a.cjs",
    source: `const where = ["__TARGET__"].join("");\n` +
      attempt("require(where).secret"),
    target: "node_modules",
    control: "inside",
  },
  {
    id: "h09",
    kind: "module-require",
    title: "the loader's own internals",
    file: "a.cjs",
    source: `const Module = require("node:module");\n` +
      attempt(`Module._load(["__TARGET__"].join(""), module, false).secret`),
    target: "json",
    control: "inside",
  },
  {
    id: "h10",
    kind: "module-require",
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
    id: "h77",
    kind: "module-require",
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
  {
    ...deep("h66"),
    kind: "module-require-esm",
    control: "inside",
    graph: true,
  },
  {
    ...deep("h76"),
    kind: "module-require-esm",
    control: "inside",
    graph: true,
  },
  {
    id: "h60",
    kind: "module-across-runs",
    title: "a module written in one run and imported in the next",
    file: "a.mjs",
    source: `const later = Deno.env.get("MCP_DATA_DIR") + "/later.mjs";
let there = true;
try { Deno.statSync(later); } catch { there = false; }
if (!there) { Deno.writeTextFileSync(later, 'export { secret } from "file://__TARGET__";'); console.log("HELD first run"); }
else ${attempt(`(await import("file://" + later)).secret`)}
`,
    target: "module",
    control: "inside",
    runs: 2,
  },
];
