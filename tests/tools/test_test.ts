import assert from "node:assert/strict";
import { join } from "node:path";
import { failedLines, tallyLine, tallyOf } from "../../tools/test.ts";
import { makeTree } from "../support/tree.ts";

const PROJECT = join(import.meta.dirname!, "../..");

Deno.test("tallyOf: counts a report and never calls an empty run good", () => {
  const report = `<testsuites><testsuite>
    <testcase name="a" classname="f"></testcase>
    <testcase name="b" classname="f"><skipped/></testcase>
    <testcase name="c" classname="f"><failure message="x">y</failure></testcase>
  </testsuite></testsuites>`;
  assert.equal(
    tallyLine(tallyOf(report, false)),
    "1 passed, 1 failed, 1 skipped",
  );
  assert.deepEqual(failedLines(report), ["failed: f: c"]);
  assert.equal(tallyLine(tallyOf("", true)), "0 passed, 1 failed, 0 skipped");
  const good = '<testcase name="a" classname="f"/>';
  assert.equal(tallyLine(tallyOf(good, true)), "1 passed, 0 failed, 0 skipped");
  // A test file that does not load is in no report; only the exit code tells.
  assert.equal(
    tallyLine(tallyOf(good, false)),
    "1 passed, 1 failed, 0 skipped",
  );
});

Deno.test("test.ts: a part of the tests ends in its tally and exit code", async () => {
  await using tree = await makeTree({
    "good_test.ts":
      'Deno.test("a", () => {}); Deno.test({ name: "b", ignore: true, fn() {} });',
    "broken_test.ts": 'throw new Error("does not load");',
  });
  const run = async (file: string) => {
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "tools/test.ts", tree.path(file)],
      cwd: PROJECT,
    }).output();
    return [code, new TextDecoder().decode(stdout).trim().split("\n").at(-1)];
  };
  assert.deepEqual(await run("good_test.ts"), [
    0,
    "1 passed, 0 failed, 1 skipped",
  ]);
  assert.deepEqual(await run("broken_test.ts"), [
    1,
    "0 passed, 1 failed, 0 skipped",
  ]);
});
