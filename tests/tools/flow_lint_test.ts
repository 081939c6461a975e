import assert from "node:assert/strict";
import { join } from "node:path";
import { codeOnly, importsOf } from "../../tools/code_text.ts";
import { lintName, lintSource, lintTree } from "../../tools/flow_lint.ts";
import { walkFiles } from "../../tools/walk_files.ts";
import { makeTree } from "../support/tree.ts";

const ROOT = join(import.meta.dirname!, "..", "..");

function messages(path: string, source: string): string[] {
  return lintSource(path, source).map((one) => one.message);
}

Deno.test("lintSource: an import of an earlier room and of the own room passes", () => {
  assert.deepEqual(
    messages(
      "src/fence/plan.ts",
      'import { a } from "../grant/permit.ts";\nimport { b } from "./flags.ts";\nimport { join } from "node:path";\n',
    ),
    [],
  );
});

for (
  const [kind, source] of [
    ["static", 'import { a } from "../server/x.ts";'],
    ["type", 'import type { A } from "../server/x.ts";'],
    ["several lines", 'import {\n  a,\n  b,\n} from "../server/x.ts";'],
    ["bare", 'import "../server/x.ts";'],
    ["re-export", 'export * from "../server/x.ts";'],
    ["dynamic", 'const a = await import("../server/x.ts");'],
    ["type of import", 'type A = import("../server/x.ts").A;'],
    ["by a detour", 'import { a } from "../../src/server/x.ts";'],
  ] as const
) {
  Deno.test(`lintSource: a ${kind} import against the flow is an error`, () => {
    assert.match(
      messages("src/fence/plan.ts", source).join(),
      /fence imports server, a later room \(src\/server\/x\.ts\)/,
    );
  });
}

Deno.test("lintSource: an import out of src and a computed import are errors", () => {
  assert.match(
    messages("src/cli/x.ts", 'import "../../tests/a.ts";').join(),
    /outside src/,
  );
  assert.match(
    messages("src/cli/x.ts", "await import(name);").join(),
    /computed/,
  );
  assert.match(
    messages("src/cli/x.ts", "await import(`./${name}.ts`);").join(),
    /computed/,
  );
});

Deno.test("lintSource: what only looks like an import is none", () => {
  const source = [
    '// import { a } from "../server/a.ts";',
    '/* import "../server/b.ts"; */',
    'const text = `import "../server/c.ts"; ${x + "y"} from \'../server/d.ts\'`;',
    "const t = 'import \"../server/e.ts\"';",
    'const r = /import "..\\/server\\/f.ts"/;',
  ].join("\n");
  assert.deepEqual(messages("src/fence/a.ts", source), []);
});

Deno.test("importsOf: code after strings, templates and expressions is still read", () => {
  const source =
    'const r = a / b; const q = /["\'`]/g; const s = `${`}`}`;\nimport "./x.ts";';
  assert.deepEqual(importsOf(source), [{ specifier: "./x.ts", line: 2 }]);
});

Deno.test("codeOnly: positions stay", () => {
  const source = 'a("b\\"c"); // d\n/* e\nf */ g(/[/"]/, `h${i}j`);';
  const code = codeOnly(source);
  assert.equal(code.length, source.length);
  assert.equal(
    code,
    'a("    ");     \n    \n     g(/    /, ` ${i} `);',
  );
});

Deno.test("lintSource: a room without a place is an error", () => {
  assert.match(messages("src/web/a.ts", "").join(), /a room to come/);
  assert.match(messages("src/utils/a.ts", "").join(), /no known room/);
  assert.match(messages("src/a.ts", "").join(), /one of its rooms/);
});

Deno.test("lintSource: console stands in cli and in a stderr logger only", () => {
  assert.match(
    messages("src/server/a.ts", 'console.error("x");').join(),
    /console/,
  );
  assert.match(
    messages("src/server/a.ts", "const c = console;").join(),
    /console/,
  );
  assert.deepEqual(messages("src/cli/a.ts", 'console.log("x");'), []);
  assert.deepEqual(messages("src/base/log.ts", 'console.error("x");'), []);
  assert.match(
    messages("src/base/log.ts", 'console.log("x");').join(),
    /console/,
  );
  assert.deepEqual(
    messages("src/server/a.ts", '"console.log"; // console.log'),
    [],
  );
});

Deno.test("lintSource: default exports are errors in both spellings", () => {
  assert.match(
    messages("src/skill/a.ts", "export default 1;").join(),
    /default export/,
  );
  assert.match(
    messages("src/skill/a.ts", "export { a as default };").join(),
    /default export/,
  );
});

Deno.test("lintSource: a file of 251 lines is a warning, of 401 an error", () => {
  const severities = (lines: number) =>
    lintSource("src/skill/a.ts", "a;\n".repeat(lines)).map((f) => f.severity);
  assert.deepEqual(severities(250), []);
  assert.deepEqual(severities(251), ["warning"]);
  assert.deepEqual(severities(400), ["warning"]);
  assert.deepEqual(severities(401), ["error"]);
});

Deno.test("lintName: only snake_case passes, in directories too", () => {
  assert.deepEqual(lintName("src/skill/host_pattern.ts"), []);
  assert.deepEqual(lintName("tests/server/v1_test.ts"), []);
  for (
    const path of [
      "src/skill/hostPattern.ts",
      "src/skill/host-pattern.ts",
      "src/Skill/host.ts",
      "src/skill/host_pattern_.ts",
      "src/skill/host.test.ts",
    ]
  ) assert.match(lintName(path)[0]?.message ?? "", /snake_case/);
});

Deno.test("lintTree: walks src, tools and tests, not fixtures", async () => {
  await using tree = await makeTree({
    "src/base/a.ts": 'import "../cli/b.ts";\n',
    "src/cli/b.ts": "export const b = 1;\n",
    "src/cli/notes.md": "export default",
    "tools/badName.ts": "",
    "tests/fixtures/badName.ts": "",
    "tests/a/badName.ts": "",
  });
  assert.deepEqual((await lintTree(tree.root)).map((one) => one.path), [
    "src/base/a.ts",
    "tools/badName.ts",
    "tests/a/badName.ts",
  ]);
});

Deno.test("flow_lint.ts: exits 1 on a broken rule and 0 on none", async () => {
  await using tree = await makeTree({
    "src/base/a.ts": 'import "../cli/b.ts";\n',
  });
  const lint = async () => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "tools/flow_lint.ts", tree.root],
      cwd: new URL("../../", import.meta.url),
    }).output();
    return { code, stderr: new TextDecoder().decode(stderr) };
  };
  const bad = await lint();
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /error: src\/base\/a\.ts:1: base imports cli/);
  await tree.write({ "src/base/a.ts": "" });
  assert.equal((await lint()).code, 0);
});

Deno.test("src: context and upstream are used by the server, and by the words of the command line that are theirs", async () => {
  const users = new Set<string>();
  for await (const path of walkFiles(join(ROOT, "src"))) {
    if (/^(?:context|upstream)\//.test(path)) continue;
    const source = await Deno.readTextFile(join(ROOT, "src", path));
    const uses = importsOf(source).some(({ specifier }) =>
      /\/(?:context|upstream)\//.test(specifier ?? "")
    );
    // `cli/match/answer.ts` is `cli/match`, `server/tools/x.ts` is `server`.
    if (uses) users.add(/^(?:server|cli\/\w+)/.exec(path)?.[0] ?? path);
  }
  assert.deepEqual([...users].sort(), ["cli/match", "cli/mcp_pin", "server"]);
});
