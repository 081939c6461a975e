import assert from "node:assert/strict";
import { processTest } from "../support/clients.ts";
import { RawServer } from "../support/raw_server.ts";
import { openServer, skillText } from "../support/server_calls.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";

Deno.test("SKILLFENCE_MAX_SKILLS: so many skills are served, the rest is told", async () => {
  await using server = await openServer({
    files: {
      "a/SKILL.md": skillText(),
      "b/SKILL.md": skillText(),
      "c/SKILL.md": skillText(),
    },
    env: { SKILLFENCE_MAX_SKILLS: "2" },
  });
  const { structured } = await server.call("skill_list");
  assert.equal(structured.skills.length, 2);
  const [problem] = structured.problems;
  assert.equal(problem.reason, "skill-limit");
  assert.match(problem.detail, /more than 2 skills: 1/);
});

/** Ends well only beside another run of itself: each leaves a file and waits. */
const MEETS = `
import { readdirSync, writeFileSync } from "node:fs";
import process from "node:process";
const data = process.env.MCP_DATA_DIR;
writeFileSync(data + "/" + process.argv[2], "");
while (readdirSync(data).length < 2) await new Promise((r) => setTimeout(r, 20));
`;

Deno.test("SKILLFENCE_MAX_RUNS and SKILLFENCE_DATA_DIR: two runs meet in the skill's data directory", async () => {
  await using data = await makeTree({ "data": { dir: true } });
  await using server = await openServer({
    files: {
      "a/SKILL.md": skillText({
        block:
          "  run:\n    - { script: meet.mjs, interpreter: node, timeout: 20 }\n",
      }),
      "a/meet.mjs": MEETS,
    },
    env: {
      SKILLFENCE_MAX_RUNS: "2",
      SKILLFENCE_DATA_DIR: data.path("data"),
    },
  });
  const call = (arg: string) =>
    server.call("skill_run", {
      name: "a",
      script: "meet.mjs",
      args: [arg],
      confirm: true,
    });
  const both = await Promise.all([call("one"), call("two")]);
  for (const { structured } of both) {
    assert.deepEqual(
      [structured.exitCode, structured.timedOut],
      [0, false],
      JSON.stringify(structured),
    );
  }
  const [own] = [...Deno.readDirSync(data.path("data"))];
  assert.match(own!.name, /^a-[0-9a-f]{8}$/);
  const kept = [...Deno.readDirSync(data.path(`data/${own!.name}`))];
  assert.deepEqual(kept.map(({ name }) => name).sort(), ["one", "two"]);
});

for (const [level, says] of [["info", false], ["debug", true]] as const) {
  Deno.test({
    name: `SKILLFENCE_LOG: at ${level} a skipped line is ${
      says ? "told" : "not told"
    } on stderr`,
    ...processTest,
    async fn() {
      await using tree = await makeTree();
      await using server = new RawServer({
        args: ["--skills", tree.root],
        env: { SKILLFENCE_LOG: level },
      });
      await server.write("garbage\n");
      await server.initialize();
      await server.hangUp();
      await server.ended();
      assert.equal(server.stderr.includes("not JSON"), says, server.stderr);
    },
  });
}

for (
  const [level, warns, informs] of [
    ["error", false, false],
    ["warn", true, false],
    ["info", true, true],
  ] as const
) {
  Deno.test({
    name: `SKILLFENCE_LOG: at ${level} the start ${
      warns ? "warns of a broken grant" : "is silent"
    }${informs ? " and says what is served" : ""}`,
    ...processTest,
    async fn() {
      await using tree = await makeTree({
        "a/SKILL.md": "---\nname: a\ndescription: A.\n---\n",
      });
      await using server = new RawServer({
        args: ["--skills", tree.root],
        env: { SKILLFENCE_LOG: level, MCP_SKILL_RUN: "{broken" },
      });
      await server.initialize();
      await server.request("tools/call", { name: "skill_list", arguments: {} });
      // The report and the listing wait for the same scan, in no order.
      if (informs) await until(() => server.stderr.includes("serving"));
      else if (warns) {
        await until(() => server.stderr.includes("MCP_SKILL_RUN"));
      }
      await server.hangUp();
      await server.ended();
      assert.equal(server.stderr.includes("MCP_SKILL_RUN"), warns);
      assert.equal(server.stderr.includes("serving 1 skills"), informs);
    },
  });
}
