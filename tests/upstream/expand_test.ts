import assert from "node:assert/strict";
import { expand } from "../../src/upstream/expand.ts";

const VALUES = new Map([["SKILL_ROOT", "/skills/a"], [
  "KEY",
  "${SKILL_ROOT}!",
]]);

function args(...words: string[]) {
  const { transport, ...rest } = expand(
    { kind: "stdio", command: "x", args: words, env: {} },
    VALUES,
  );
  return { words: transport.kind === "stdio" ? transport.args : [], ...rest };
}

Deno.test("expand: values, defaults, and what is no reference", () => {
  assert.deepEqual(
    args(
      "${SKILL_ROOT}/server.mjs",
      "--key=${KEY}",
      "${MODE:-a:-b}",
      "${EMPTY:-}",
      "$KEY ${1} ${a.b} ${} \\${KEY}",
    ),
    {
      words: [
        "/skills/a/server.mjs",
        "--key=${SKILL_ROOT}!",
        "a:-b",
        "",
        "$KEY ${1} ${a.b} ${} \\${SKILL_ROOT}!",
      ],
      missing: [],
      exposed: ["KEY"],
    },
  );
});

Deno.test("expand: names without a value and without a default are missing", () => {
  const { words, missing } = args("${HOME} ${OTHER}", "${HOME}");
  assert.deepEqual(words, ["${HOME} ${OTHER}", "${HOME}"]);
  assert.deepEqual(missing, ["HOME", "OTHER"]);
});

Deno.test("expand: variables, address and headers too; the command only the skill's place", () => {
  const stdio = expand({
    kind: "stdio",
    command: "${SKILL_ROOT}/${KEY}",
    args: [],
    env: { A: "${KEY}", B: "${NO}" },
  }, VALUES);
  assert.deepEqual(stdio.transport, {
    kind: "stdio",
    command: "/skills/a/${KEY}",
    args: [],
    env: { A: "${SKILL_ROOT}!", B: "${NO}" },
  });
  assert.deepEqual(stdio.missing, ["NO"]);
  assert.deepEqual(stdio.exposed, []);
  const http = expand({
    kind: "http",
    url: "https://x/${KEY}",
    headers: { Authorization: "Bearer ${KEY}" },
  }, VALUES);
  assert.deepEqual(http.transport, {
    kind: "http",
    url: "https://x/${SKILL_ROOT}!",
    headers: { Authorization: "Bearer ${SKILL_ROOT}!" },
  });
  assert.deepEqual(http.exposed, ["KEY"]);
});
