/** What a test does on a machine that lacks what it is about. */

import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";

const KERNEL = import.meta.resolve("../support/kernel.ts");
const ASKS = `
import { needs } from ${JSON.stringify(KERNEL)};
Deno.test({ name: "asks", ...needs("bwrap"), fn() {} });`;

/** Runs a file of tests that asks for bubblewrap, where there is none. */
async function without(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; out: string }> {
  await using tree = await makeTree({
    "asks_test.ts": ASKS,
    bin: { dir: true },
  });
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-check", "--no-config", "--no-lock"],
      tree.path("asks_test.ts"),
    ],
    env: { PATH: tree.path("bin"), NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: decode(stdout) + decode(stderr) };
}

Deno.test({
  name:
    "needs: what is missing is named and fails, unless the environment names the exception",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const missing = await without({ SKILLFENCE_TEST_WITHOUT: "" });
    assert.equal(missing.code, 1, missing.out);
    assert.match(missing.out, /this machine has bwrap .*FAILED/);
    assert.match(
      missing.out,
      /bwrap is missing: `bwrap --version` fails\. Where that is meant, set SKILLFENCE_TEST_WITHOUT=bwrap/,
    );
    const meant = await without({ SKILLFENCE_TEST_WITHOUT: "bwrap" });
    assert.equal(meant.code, 0, meant.out);
    assert.match(meant.out, /asks \.\.\. ignored/);
    const misspelled = await without({ SKILLFENCE_TEST_WITHOUT: "bubblewrap" });
    assert.equal(misspelled.code, 1);
    assert.match(misspelled.out, /"bubblewrap" is none of bwrap, /);
  },
});
