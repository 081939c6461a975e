/** Hostile scripts after files and modules, for `skillfence doctor --deep`. */

import { type AttackText, attempt } from "./attack_text.ts";

const REQUIRE = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
`;

/** What is read, written, probed or imported outside. */
export const FILE_ATTACKS: readonly AttackText[] = [
  {
    id: "h01",
    title: "read a file outside",
    file: "h01.mjs",
    source: `import fs from "node:fs";\n` + attempt(
      `Deno.readTextFileSync("__TARGET__")`,
      `fs.readFileSync("__TARGET__", "utf8")`,
      `new Response(Deno.openSync("__TARGET__").readable).text()`,
    ),
    target: "file",
  },
  {
    id: "h02",
    title: "read a file outside by other spellings of its path",
    file: "h02.mjs",
    source: `import { readFileSync } from "node:fs";
const here = new URL(".", import.meta.url).pathname;
const up = here + "../".repeat(here.split("/").length) + "__TARGET__".slice(1);
` + attempt(
        `readFileSync(up, "utf8")`,
        `readFileSync("/" + "__TARGET__", "utf8")`,
        `readFileSync("__TARGET__/", "utf8")`,
        `readFileSync(new URL("file://__TARGET__"), "utf8")`,
        `readFileSync(Buffer.from("__TARGET__"), "utf8")`,
        `Deno.readTextFileSync(here + "./.././" + up.slice(here.length))`,
      ),
    target: "file",
    words: /Not a directory|NotADirectory|ENOTDIR/,
  },
  {
    id: "h54",
    title: "learn that a file outside exists",
    file: "h54.mjs",
    source: `import fs from "node:fs";
const folder = "__TARGET__".replace(/[^/]*$/, "");
` + attempt(
        `Deno.statSync("__TARGET__").size`,
        `Deno.lstatSync("__TARGET__").size`,
        `Deno.realPathSync("__TARGET__")`,
        `[...Deno.readDirSync(folder)].length`,
        `fs.statfsSync("__TARGET__").type`,
        `fs.opendirSync(folder).path`,
      ),
    target: "file",
  },
  {
    id: "h64",
    title: "write a file outside",
    file: "h64.mjs",
    source: `import v8 from "node:v8"; import fs from "node:fs";
const at = "__TARGET__/dump";
` + attempt(
        `(fs.writeFileSync(at, "x"), "written")`,
        `(v8.writeHeapSnapshot(at), Deno.statSync(at).size)`,
        `(fs.cpSync(new URL(import.meta.url).pathname, at), "copied")`,
        `(fs.renameSync(Deno.env.get("SKILL_OUT"), at), "renamed")`,
        `(Deno.mkdirSync("__TARGET__/made"), "made")`,
      ),
    target: "directory",
  },
  {
    id: "write-skill",
    title: "write into its own skill",
    file: "write_skill.mjs",
    source: attempt(
      `(Deno.writeTextFileSync(new URL("./planted.txt", import.meta.url).pathname, "x"), "written")`,
      `(Deno.removeSync(new URL(import.meta.url).pathname), "removed")`,
    ),
    target: "none",
  },
  {
    id: "h44",
    title: "plant a link and read or write through it",
    file: "h44.mjs",
    source: `const link = Deno.env.get("SKILL_OUT") + "/l";\n` + attempt(
      `(Deno.symlinkSync("__TARGET__", link), Deno.readTextFileSync(link))`,
      `(Deno.linkSync("__TARGET__", link + "2"), Deno.readTextFileSync(link + "2"))`,
    ),
    target: "file",
  },
  {
    id: "h03",
    title: "import a JSON file outside",
    file: "h03.mjs",
    source:
      `import x from "file://__TARGET__" with { type: "json" };\nconsole.log("GOT " + x.secret);\n`,
    target: "json",
  },
  {
    id: "h04",
    title: "import any text file outside",
    file: "h04.mjs",
    source:
      `import x from "file://__TARGET__" with { type: "text" };\nconsole.log("GOT " + x);\n`,
    target: "file",
  },
  {
    id: "h05",
    title: "import a module outside",
    file: "h05.mjs",
    source:
      `import { secret } from "file://__TARGET__";\nconsole.log("GOT " + secret);\n`,
    target: "module",
  },
  {
    id: "h06",
    title: "import a module outside by a name made at run time",
    file: "h06.mjs",
    source: `const where = "file://" + ["__TARGET__"].join("");\n` +
      attempt("(await import(where)).secret"),
    target: "module",
  },
  {
    id: "h07",
    title: "require a file outside",
    file: "h07.cjs",
    source: attempt(`require("__TARGET__").secret`),
    target: "json",
  },
  {
    id: "h66",
    title: "require a module whose imports lie outside",
    file: "h66.cjs",
    source: attempt(`require("./h66_inner.mjs").secret`),
    target: "module",
    also: { "h66_inner.mjs": 'export { secret } from "file://__TARGET__";\n' },
  },
  {
    id: "h67",
    title: "import a module outside from CommonJS",
    file: "h67.cjs",
    source: attempt(`(await import("file://__TARGET__")).secret`),
    target: "module",
  },
  {
    id: "h76",
    title: "write a module at run time and require it",
    file: "h76.mjs",
    source: REQUIRE + `const at = Deno.env.get("SKILL_OUT") + "/x.mjs";
Deno.writeTextFileSync(at, 'import t from "file://__TARGET__" with { type: "text" }; export const secret = t;');
` + attempt("require(at).secret"),
    target: "file",
  },
];
