import assert from "node:assert/strict";
import { join } from "node:path";
import { codeOnly } from "../../tools/code_text.ts";
import { lintTree, ROOMS } from "../../tools/flow_lint.ts";
import { walkFiles } from "../../tools/walk_files.ts";

const PROJECT = join(import.meta.dirname!, "../..");
const read = (path: string) => Deno.readTextFile(join(PROJECT, path));

/** Each file of `src` as code: no comments, no words of strings. */
async function sources(): Promise<[path: string, code: string][]> {
  const found: [string, string][] = [];
  for await (const path of walkFiles(join(PROJECT, "src"))) {
    if (path.endsWith(".ts")) {
      found.push([path, codeOnly(await read(`src/${path}`))]);
    }
  }
  return found;
}

Deno.test("layout: everything stands where it is said to, under the stated licence", async () => {
  for (
    const path of [
      "deno.json",
      "deno.lock",
      "main.ts",
      "src",
      "tests",
      "skills",
      "tools",
      "docs",
      ".github/workflows/ci.yml",
      ".ci/run",
      "mint.yaml",
      "README.md",
      "CONTRIBUTING.md",
      "LICENSE",
      ...ROOMS.map((room) => `src/${room}`),
    ]
  ) await Deno.lstat(join(PROJECT, path));
  assert.match(
    await read("LICENSE"),
    /^MIT License\s+Copyright \(c\) \d{4} the skillfence authors\n/,
  );
});

Deno.test("layout: no file breaks the flow of the rooms or a rule of names and lengths", async () => {
  const faults = await lintTree(PROJECT);
  assert.deepEqual(faults.filter(({ severity }) => severity === "error"), []);
});

Deno.test("src: no state lives in a module", async () => {
  const all = await sources();
  assert.ok(all.length > 100);
  for (const [path, code] of all) {
    const state = code.match(
      /^(?:export )?(?:(?:let|var) .*|const \w+(?:: [^=]+)? = (?:new \w+(?:<.*>)?\(\)|\[\]|\{\});)/m,
    );
    assert.equal(state, null, `${path}: ${state?.[0]}`);
  }
});

Deno.test("src: one place makes an MCP error of a refusal", async () => {
  const makers = (await sources()).filter(([, code]) =>
    /\bisError: true\b/.test(code)
  );
  assert.deepEqual(makers.map(([path]) => path), [
    "server/errors.ts",
    // What another server did not answer, in the form of its answers.
    "upstream/shown_answer.ts",
  ]);
});

Deno.test("README: a table says what stands in for each module of JSR", async () => {
  const text = await read("README.md");
  for (const name of ["yaml", "fs", "path", "crypto", "cli"]) {
    assert.ok(text.includes(`\`@std/${name}\``), name);
  }
  assert.match(text, /npm/);
});
