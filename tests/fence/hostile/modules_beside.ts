/** Ways round the module graph: hooks, syntax, maps, configuration, the network. */

import { type Attack, attempt } from "./attack.ts";
import { SECRET } from "./scene.ts";

/** Ways round the module graph: hooks, syntax, maps, configuration, the network. */
export const MODULE_SIDE_ATTACKS: readonly Attack[] = [
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
