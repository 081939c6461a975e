/** The module graph: imports and requires that would read past the flags. */

import { type Attack, attempt, deep } from "./attack.ts";
import { SECRET } from "./scene.ts";

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
    id: "closed",
    linux: true,
    kind: "module-closed",
    title: "an import from what the Plan says is closed in the skill",
    file: "a.mjs",
    source: `import { createRequire } from "node:module";
const require = createRequire(import.meta.url), out = Deno.env.get("SKILL_OUT");
const here = new URL("./.venv/secret.mjs", import.meta.url).href;
Deno.writeTextFileSync(out + "/x.mjs", "export { secret } from " + JSON.stringify(here));
` + attempt(
        `Deno.readTextFileSync(new URL(here).pathname)`,
        `(await import("./.venv/secret.mjs")).secret`,
        `require(out + "/x.mjs").secret`,
      ),
    target: "directory",
    also: { ".venv/secret.mjs": `export const secret = "${SECRET}";\n` },
    // A hidden directory with a link that leads out is closed as a whole.
    before: ({ skillDir, outside }) =>
      Deno.symlink(outside, `${skillDir}/.venv/out`),
    control: "bare",
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
  {
    id: "h49",
    kind: "module-hooks",
    title: "a registered loader hook that hands over another file",
    file: "a.mjs",
    source: `import module from "node:module";
import { readFileSync } from "node:fs";
` + attempt(
        `(module.registerHooks({ load: () => ({ format: "module", shortCircuit: true, source: "export const secret = " + JSON.stringify(readFileSync("__TARGET__", "utf8")) }) }), undefined) ?? (await import(new URL("./virtual.mjs", import.meta.url).href)).secret`,
      ),
    target: "file",
    control: "inside",
    also: { "virtual.mjs": "export const secret = undefined;\n" },
  },
  {
    id: "h50",
    kind: "module-hooks",
    title: "a loader module registered from outside",
    file: "a.mjs",
    source: `import module from "node:module";\n` +
      attempt(
        `(module.register("file://__TARGET__"), (await import("./virtual.mjs")).secret)`,
      ),
    target: "module",
    also: { "virtual.mjs": "export const secret = undefined;\n" },
    control: { none: "the runtime does not run registered loaders" },
    words: /nothing came of it|not a function/,
  },
  {
    id: "h71",
    kind: "module-syntax",
    title: "a JSX pragma that names a module outside",
    file: "a.tsx",
    source:
      `/** @jsxImportSource file://__TARGET__ */\ntry { console.log("GOT " + JSON.stringify(<b />)); } catch (error) { console.log("HELD " + error); }\n`,
    target: "module",
    control: { none: "a pragma takes a package name, never a path" },
    words: /jsx-runtime/,
  },
  {
    id: "h72",
    kind: "module-syntax",
    title: "a type reference outside",
    file: "a.ts",
    source:
      `/// <reference types="file://__TARGET__" />\nconst t: string = "HELD types are not read";\nconsole.log(t);\n`,
    target: "module",
    control: { none: "types are never read at run time" },
    words: /types are not read/,
  },
  {
    id: "h51",
    kind: "module-source-map",
    title: "a source map outside that is no map",
    file: "a.mjs",
    source:
      `try { throw new Error("x"); } catch (e) { console.log("HELD the trace: " + e.stack.replaceAll("\\n", " ")); }
//# sourceMappingURL=file://__TARGET__
`,
    target: "file",
    control: { none: "text that is no map maps nothing" },
    words: /the trace: Error: x/,
  },
  {
    id: "h51-map",
    kind: "module-source-map",
    title: "a source map outside whose names hold a secret",
    file: "a.mjs",
    source:
      `try { throw new Error("x"); } catch (e) { console.log("HELD the trace: " + e.stack.replaceAll("\\n", " ")); }
//# sourceMappingURL=file://__TARGET__/m.map
`,
    target: "directory",
    control: "bare",
    before: ({ outside }) =>
      Deno.writeTextFile(
        `${outside}/m.map`,
        JSON.stringify({
          version: 3,
          sources: [`${SECRET}.ts`],
          names: [],
          mappings: "AAAA",
        }),
      ),
    words: /the trace: Error: x/,
  },
  {
    id: "config-shipped",
    kind: "config-shipped",
    title: "a configuration that the skill ships",
    file: "a.mjs",
    source: attempt(
      `(await import("shipped")).secret`,
      `await Deno.openKv(":memory:")`,
    ),
    target: "module",
    also: {
      "deno.json": JSON.stringify({
        imports: { shipped: "file://__TARGET__" },
        unstable: ["kv"],
      }),
      "package.json": JSON.stringify({ imports: { "#s": "__TARGET__" } }),
      ".env": "TEST_SECRET=shipped",
    },
    control: "bare",
    bare: ["--no-config=off"],
    words: /not a dependency|bare specifier|Relative import path|openKv/,
  },
];
