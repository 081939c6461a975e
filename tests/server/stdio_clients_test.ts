import assert from "node:assert/strict";
import { INSTRUCTIONS } from "../../src/server/instructions.ts";
import { publishTool, TOOLS } from "../../src/server/tool_table.ts";
import { connect, LINES, processTest } from "../support/clients.ts";
import { setup } from "../support/config.ts";
import { runs, skillText } from "../support/server_calls.ts";
import { makeTree } from "../support/tree.ts";

const SCRIPT = `
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
const stdin = readFileSync(0, "utf8");
writeFileSync(process.env.SKILL_OUT + "/copy.txt", stdin.toUpperCase());
console.log("args", process.argv.slice(2).join(","));
process.exit(process.argv.includes("fail") ? 3 : 0);
`;
const FILES = {
  "echo/SKILL.md": skillText({
    description: "Echoes.",
    block: runs("go.mjs"),
    body: "# Echo\n",
  }),
  "echo/go.mjs": SCRIPT,
};

for (const line of LINES) {
  Deno.test({
    name:
      `stdio, ${line}: the main job, from the list to a file that came back`,
    ...processTest,
    fn: async () => {
      await using tree = await makeTree(FILES);
      await using client = await connect(line, {
        args: ["--skills", tree.root],
      });

      const list = await client.call("skill_list", { query: "echoes" });
      assert.equal(list.text[0], JSON.stringify(list.structured));
      assert.equal(list.structured.skills[0].name, "echo");

      const load = await client.call("skill_load", { name: "echo" });
      assert.equal(load.structured, undefined);
      assert.equal(load.text[0], "# Echo\n");
      assert.equal(JSON.parse(load.text[1]!).scripts[0].runnableHere, true);

      const call = {
        name: "echo",
        script: "go.mjs",
        args: ["a b", "é"],
        stdin: "hello",
      };
      const preview = await client.call("skill_preview", call);
      assert.equal(preview.text[0], JSON.stringify(preview.structured));
      const { plan } = preview.structured;
      const run = await client.call("skill_run", {
        ...call,
        confirm: true,
        planDigest: plan.digest,
      });
      assert.equal(run.text[0], JSON.stringify(run.structured));
      assert.equal(run.structured.status, "done", run.text[0]);
      assert.equal(run.structured.planDigest, plan.digest);
      assert.equal(run.structured.stdout, "args a b,é\n");
      assert.equal(run.structured.exitCode, 0);

      const [{ id }] = run.structured.outputs;
      const file = await client.call("skill_file", {
        name: "echo",
        paths: [`out:${id}`, "go.mjs"],
      });
      assert.deepEqual(file.text.slice(1), ["HELLO", SCRIPT]);

      const failed = await client.call("skill_run", {
        ...call,
        args: ["fail"],
        confirm: true,
      });
      assert.deepEqual(
        [failed.isError, failed.structured.exitCode],
        [false, 3],
        "a non-zero exit is a normal result",
      );
      assert.deepEqual(client.errors, []);
    },
  });

  Deno.test({
    name: `stdio, ${line}: tools, instructions and capabilities as published`,
    ...processTest,
    fn: async () => {
      await using tree = await makeTree(FILES);
      await using client = await connect(line, {
        args: ["--skills", tree.root],
      });
      assert.equal(client.instructions, INSTRUCTIONS);
      assert.deepEqual(client.capabilities, {
        tools: {},
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        extensions: {
          "io.modelcontextprotocol/skills": { directoryRead: true },
        },
      });
      const { config } = setup();
      const published = TOOLS.map((tool) => publishTool(tool, config));
      assert.deepEqual(
        JSON.parse(JSON.stringify(await client.listTools())),
        JSON.parse(JSON.stringify(published)),
      );
    },
  });

  Deno.test({
    name:
      `stdio, ${line}: refusals pass the client's check of the output schema`,
    ...processTest,
    fn: async () => {
      await using tree = await makeTree(FILES);
      await using client = await connect(line, {
        args: ["--skills", tree.root],
      });
      // Clients check structured answers once they know the schemas.
      await client.listTools();
      for (
        const [name, args, code] of [
          ["skill_list", { limit: "many" }, "INVALID_ARGUMENTS"],
          ["skill_list", { nonsense: 1 }, "INVALID_ARGUMENTS"],
          ["skill_list", { cursor: "x" }, "INVALID_ARGUMENTS"],
          ["skill_preview", { name: "echo" }, "INVALID_ARGUMENTS"],
          ["skill_preview", { name: "eco", script: "go.mjs" }, "UNKNOWN_SKILL"],
          ["skill_run", { name: "echo", script: "no.mjs" }, "UNKNOWN_SCRIPT"],
        ] as const
      ) {
        const answer = await client.call(name, args);
        assert.equal(answer.isError, true);
        assert.equal(answer.structured.status, "refused");
        assert.equal(answer.structured.code, code);
        assert.equal(answer.text[0], JSON.stringify(answer.structured));
      }
      for (
        const [name, args, code] of [
          ["skill_load", { name: 7 }, "INVALID_ARGUMENTS"],
          ["skill_load", { name: "eco" }, "UNKNOWN_SKILL"],
          ["skill_file", { name: "echo" }, "INVALID_ARGUMENTS"],
        ] as const
      ) {
        const answer = await client.call(name, args);
        assert.deepEqual([answer.isError, answer.structured], [
          true,
          undefined,
        ]);
        assert.equal(JSON.parse(answer.text[0]!).code, code);
      }
    },
  });
}

Deno.test({
  name: "stdio: --no-run and SKILLFENCE_REQUIRE_USER=0 change the tool list",
  ...processTest,
  fn: async () => {
    await using tree = await makeTree(FILES);
    await using client = await connect("v2", {
      args: ["--skills", tree.root, "--no-run"],
    });
    const names = (await client.listTools()).map(({ name }) => name);
    assert.deepEqual(names, [
      "skill_list",
      "skill_match",
      "skill_load",
      "skill_file",
    ]);

    await using unattended = await connect("v1", {
      args: ["--skills", tree.root],
      env: { SKILLFENCE_REQUIRE_USER: "0" },
    });
    const run = (await unattended.listTools())
      .find(({ name }) => name === "skill_run")!;
    assert.equal(run._meta, undefined);
  },
});

Deno.test({
  name: "stdio: a file of 8 MiB can be handed in",
  ...processTest,
  fn: async () => {
    await using tree = await makeTree({
      "size/SKILL.md": skillText({ block: runs("go.mjs") }),
      "size/go.mjs": `
import { statSync } from "node:fs";
import process from "node:process";
console.log(statSync(process.env.TMPDIR + "/in/big.bin").size);
`,
    });
    await using client = await connect("v1", { args: ["--skills", tree.root] });
    // The most whole base64 groups of 8 MiB.
    const big = "A".repeat(11_184_808);
    const answer = await client.call("skill_run", {
      name: "size",
      script: "go.mjs",
      confirm: true,
      files: [{ name: "big.bin", base64: big }],
    });
    assert.equal(answer.structured.stdout, "8388606\n", answer.text[0]);
  },
});
