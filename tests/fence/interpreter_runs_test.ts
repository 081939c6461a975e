import assert from "node:assert/strict";
import { makeFixture, prepare, runBare } from "./plan_fixture.ts";

/** Runs `run.js` (or `run.mjs`) of a skill on one of the two interpreters. */
async function run(
  interpreter: "deno" | "node",
  files: Record<string, string>,
): Promise<{ code: number; out: string; err: string }> {
  const [script] = Object.keys(files);
  await using fixture = await makeFixture({
    block:
      `  run:\n    - script: ${script}\n      interpreter: ${interpreter}\n`,
    files,
  });
  return await runBare(await prepare(fixture.planner, { script: script! }));
}

for (const interpreter of ["deno", "node"] as const) {
  Deno.test(`interpreter ${interpreter}: bare names of builtins are found, on Deno`, async () => {
    const { out, err } = await run(interpreter, {
      "run.mjs":
        `import { sep } from "path"; import fs from "fs/promises"; console.log(typeof Deno, sep, typeof fs.readFile);`,
    });
    assert.equal(out, "object / function\n", err);
  });
}

const AS_NODE_DOES = {
  "run.js":
    `const { cpus, homedir, release } = require("os"); const { word } = require("./lib"); console.log(word, [cpus, homedir, release].map((ask) => typeof ask()).join());`,
  "lib.js": `exports.word = "found";`,
};

Deno.test("interpreter node: CommonJS in .js, imports without an ending, harmless questions", async () => {
  const { code, out, err } = await run("node", AS_NODE_DOES);
  assert.equal(out, "found object,string,string\n", err);
  assert.equal(code, 0);
  const sloppy = await run("node", {
    "run.mjs": `import { word } from "./lib"; console.log(word);`,
    "lib.mjs": `export const word = "found";`,
  });
  assert.equal(sloppy.out, "found\n", sloppy.err);
});

Deno.test("interpreter deno: has none of what node adds", async () => {
  assert.notEqual((await run("deno", AS_NODE_DOES)).code, 0);
  const { out } = await run("deno", {
    "run.mjs":
      `import { cpus } from "os"; try { cpus(); } catch (error) { console.log(error.name); }`,
  });
  assert.equal(out, "NotCapable\n");
});
