import assert from "node:assert/strict";
import {
  interpreterFor,
  interpreterProblem,
} from "../../src/fence/interpreters.ts";

Deno.test("interpreterFor: deno and node, and what node adds", () => {
  const deno = interpreterFor("deno");
  const node = interpreterFor("node");
  assert.ok(deno.ok && node.ok);
  assert.deepEqual(deno.value.flags, []);
  assert.deepEqual(node.value.flags, [
    "--unstable-detect-cjs",
    "--unstable-sloppy-imports",
    "--allow-sys=cpus,homedir,osRelease",
  ]);
});

Deno.test("interpreterFor: nothing else, whatever an object would inherit", () => {
  for (const name of ["python3", "Deno", "", "constructor", "__proto__"]) {
    const found = interpreterFor(name);
    assert.ok(!found.ok);
    assert.equal(found.code, "INTERPRETER_UNAVAILABLE");
    assert.match(found.hint, /deno and node/);
    assert.match(interpreterProblem(name) ?? "", /not available/);
  }
  assert.equal(interpreterProblem("node"), undefined);
});

Deno.test("interpreterFor: a strange name is shown, not printed", () => {
  const found = interpreterFor("sh\u{202e}\n");
  assert.ok(!found.ok);
  assert.match(found.message, /sh\\u\{202e\}\\u\{a\}/);
});
