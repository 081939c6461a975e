import assert from "node:assert/strict";
import { join } from "node:path";
import { checkClaims, claimsOf, readClaims } from "../../tools/claims.ts";
import { readReport } from "../../tools/junit.ts";
import { makeTree } from "../support/tree.ts";

/** A report that a real `deno test` writes about these tests. */
async function realReport(source: string): Promise<string> {
  await using tree = await makeTree({ "a_test.ts": source });
  await new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-config", "--junit-path", "report.xml", "a_test.ts"],
    cwd: tree.root,
    stdout: "null",
    stderr: "null",
  }).output();
  return await Deno.readTextFile(tree.path("report.xml"));
}

const SOURCE = `
Deno.test('quotes "a" & <b> \`c\` | d', () => {});
Deno.test("fails", () => { throw new Error("<skipped/>"); });
Deno.test({ name: "left out", ignore: true, fn() {} });
Deno.test("outer", async (t) => {
  await t.step("inner", () => {});
  await t.step({ name: "not now", ignore: true, fn() {} });
});
`;

Deno.test("readReport: reads names, outcomes and steps of a real report", async () => {
  const cases = readReport(await realReport(SOURCE));
  assert.deepEqual(
    new Map(cases.map(({ name, outcome }) => [name, outcome])),
    new Map([
      ['quotes "a" & <b> `c` | d', "passed"],
      ["fails", "failed"],
      ["left out", "skipped"],
      ["outer", "passed"],
      ["outer > inner", "passed"],
      ["outer > not now", "skipped"],
    ]),
  );
  assert.ok(cases.every((one) => one.file.endsWith("a_test.ts")));
});

Deno.test("readClaims: reads tables of claims, several tests in a cell", () => {
  const markdown = [
    "# Claims",
    "",
    "| sentence | test |",
    "| --- | :---: |",
    "| One thing. | `first: a` |",
    "| Two \\| things. | `second` and `third \\| x`, ``with `ticks` `` |",
    "| Nothing. | see elsewhere |",
    "",
    "| name | meaning |",
    "|---|---|",
    "| `no` | `claim` |",
    "",
    "| section | sentence | tests |",
    "|---|---|---|",
    "| S | Four. | `fourth` |",
  ].join("\r\n");
  assert.deepEqual(readClaims("A.md", markdown), [
    { file: "A.md", line: 5, sentence: "One thing.", tests: ["first: a"] },
    {
      file: "A.md",
      line: 6,
      sentence: "Two | things.",
      tests: ["second", "third | x", "with `ticks` "],
    },
    { file: "A.md", line: 7, sentence: "Nothing.", tests: [] },
    { file: "A.md", line: 15, sentence: "S | Four.", tests: ["fourth"] },
  ]);
});

Deno.test("checkClaims: missing, failed, skipped and unnamed tests are complaints", () => {
  const claim = (...tests: string[]) => ({
    file: "A.md",
    line: 1,
    sentence: "S.",
    tests,
  });
  const cases = [
    { name: "good", file: "a", outcome: "passed" },
    { name: "bad", file: "a", outcome: "failed" },
    { name: "left out", file: "a", outcome: "skipped" },
    { name: "twice", file: "a", outcome: "passed" },
    { name: "twice", file: "b", outcome: "skipped" },
  ] as const;
  assert.deepEqual(checkClaims([claim("good")], cases), []);
  assert.deepEqual(checkClaims([claim("good", "good")], cases), []);
  assert.deepEqual(
    checkClaims(
      [
        claim(),
        claim("Good"),
        claim("good", "bad"),
        claim("left out"),
        claim("twice"),
      ],
      cases,
    ),
    [
      'A.md:1: "S." names no test',
      'A.md:1: "S.": no test "Good"',
      'A.md:1: "S.": failed: "bad"',
      'A.md:1: "S.": skipped: "left out"',
      'A.md:1: "S.": skipped: "twice"',
    ],
  );
});

Deno.test("claimsOf: reads every document; none at all is a complaint", async () => {
  const row = (test: string) => `| s | test |\n|---|---|\n| x | ${test} |\n`;
  await using tree = await makeTree({
    "docs/claims/A.md": row("`outer`"),
    "docs/claims/B.md": row("`gone`"),
    "docs/claims/notes.txt": row("`gone`"),
    "report.xml": await realReport(SOURCE),
  });
  assert.deepEqual(await claimsOf(tree.root, tree.path("report.xml")), {
    claims: 2,
    complaints: ['docs/claims/B.md:3: "x": no test "gone"'],
  });
  await Deno.remove(tree.path("docs"), { recursive: true });
  assert.deepEqual(await claimsOf(tree.root, tree.path("report.xml")), {
    claims: 0,
    complaints: ["docs/claims holds no claim"],
  });
});

Deno.test("claimsOf: without a test report it says to run the tests", async () => {
  await using tree = await makeTree();
  const report = tree.path("report.xml");
  assert.deepEqual(await claimsOf(tree.root, report), {
    claims: 0,
    complaints: [`there is no test report at ${report}: run the tests`],
  });
});

Deno.test("claims.ts: a report in which nothing ran exits 1", async () => {
  await using tree = await makeTree({ "report.xml": "<testsuites/>" });
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tools/claims.ts", tree.path("report.xml")],
    cwd: join(import.meta.dirname!, "../.."),
    stdout: "null",
    stderr: "null",
  }).output();
  assert.equal(code, 1);
});
