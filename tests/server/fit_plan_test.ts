import assert from "node:assert/strict";
import { encodedLength } from "../../src/server/fit.ts";
import { openServer, runs, skillText } from "../support/server_calls.ts";

const LONGEST_ARGS = Array.from({ length: 64 }, () => "\u0001".repeat(128));
const VARIABLES = Array.from(
  { length: 64 },
  (_, i) => `A${i}`.padEnd(900, "B"),
);

Deno.test("skill_preview: the longest Plan stays under the answer's size, its digest whole", async () => {
  await using server = await openServer({
    files: {
      "s/SKILL.md": skillText({
        block:
          `  run:\n    - { script: go.mjs, interpreter: node, env: [${VARIABLES}] }\n`,
      }),
      "s/go.mjs": "",
    },
  });
  const call = {
    name: "s",
    script: "go.mjs",
    args: LONGEST_ARGS,
    files: Array.from({ length: 64 }, (_, i) => ({
      name: `${i}`.padEnd(255, '"'),
      text: "",
    })),
  };
  for (const tool of ["skill_preview", "skill_run"]) {
    const { text, structured } = await server.call(tool, call);
    assert.equal(structured.status, "preview");
    assert.ok(encodedLength(text[0]!) < 40_000, `${encodedLength(text[0]!)}`);
    assert.match(structured.plan.digest, /^sha256:[0-9a-f]{64}$/);
    assert.equal(structured.plan.argv.length, 64);
    assert.match(structured.hint, /shown in part/);
  }
  const changed = await server.call("skill_run", {
    ...call,
    confirm: true,
    planDigest: `sha256:${"0".repeat(64)}`,
  });
  assert.equal(changed.structured.code, "PLAN_CHANGED");
  assert.ok(encodedLength(changed.text[0]!) < 40_000);
});

Deno.test("skill_preview: a Plan that fits is shown whole", async () => {
  await using server = await openServer({
    files: {
      "s/SKILL.md": skillText({ block: runs("go.mjs") }),
      "s/go.mjs": "",
    },
  });
  const args = ["x".repeat(8000)];
  const { structured } = await server.call("skill_preview", {
    name: "s",
    script: "go.mjs",
    args,
  });
  assert.deepEqual(structured.plan.argv, args);
  assert.doesNotMatch(structured.hint, /in part/);
});
