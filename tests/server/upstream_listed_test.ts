/** Declared servers as they are listed, before anybody granted one. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { connect, type Json, LINES, processTest } from "../support/clients.ts";
import { skillfence } from "../cli/command.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const VALUE = "zqx-value-that-is-not-listed";

const SERVERS = {
  files: {
    command: "npx",
    args: ["-y", "@scope/files", "${SKILL_ROOT}"],
    env: { FILES_TOKEN: VALUE, MODE: `\${MODE:-${VALUE}}` },
  },
  weather: {
    url: "https://mcp.weather.example/mcp",
    headers: { Authorization: `Bearer ${VALUE}`, "X-Region": VALUE },
  },
};

async function skills(): Promise<Tree> {
  return await makeTree({
    "front/SKILL.md": `---\nname: front\ndescription: d\nmcp_tools: ${
      JSON.stringify({ mcpServers: SERVERS })
    }\n---\nText.\n`,
    "beside/SKILL.md": "---\nname: beside\ndescription: d\n---\nText.\n",
    "beside/.mcp.json": JSON.stringify({ mcpServers: SERVERS }),
  });
}

/** One row of each listing, without what differs by place and machine. */
function plain({ why, fence: _, digest, pin: __, skill: ___, ...row }: Json) {
  match(why, /no row of MCP_SKILL_MCP grants/);
  match(digest, /^sha256:[0-9a-f]{64}$/);
  return row;
}

const ROWS = [
  {
    server: "files",
    state: "not-granted",
    transport: "stdio",
    command: "npx",
    args: ["-y", "@scope/files", "${SKILL_ROOT}"],
    env: ["FILES_TOKEN", "MODE"],
  },
  {
    server: "weather",
    state: "not-granted",
    transport: "http",
    url: "https://mcp.weather.example/mcp",
    headers: ["Authorization", "X-Region"],
  },
];

for (const line of LINES) {
  Deno.test({
    name:
      `declared servers (${line}): listed with command, arguments, names of variables and headers, transport and digest, and no value`,
    ...processTest,
    async fn() {
      await using tree = await skills();
      await using client = await connect(line, {
        args: ["--skills", tree.root],
        env: { SKILLFENCE_OS_FENCE: "off" },
      });
      const digests: string[] = [];
      for (const name of ["front", "beside"]) {
        const told = await client.call("skill_tools", { name });
        deepEqual(told.structured.servers.map(plain), ROWS);
        digests.push(told.structured.servers[0].digest);
        // The manifest repeats frontmatter as its author wrote it.
        const { text } = await client.call("skill_load", {
          name,
          body: false,
        });
        const { mcpServers } = JSON.parse(text[0]!);
        deepEqual(mcpServers.map(plain), ROWS);
        ok(!JSON.stringify([told, mcpServers]).includes(VALUE));
      }
      // The same declaration in other files is another one.
      equal(new Set(digests).size, 2);
    },
  });
}

for (const line of LINES) {
  Deno.test({
    name:
      `declared servers (${line}): what is wrong with one is a problem of its skill, which stays`,
    ...processTest,
    async fn() {
      await using tree = await makeTree({
        "broken/SKILL.md": "---\nname: broken\ndescription: d\n---\nText.\n",
        "broken/.mcp.json": "{ not JSON",
        "half/SKILL.md": `---\nname: half\ndescription: d\nmcp_tools: ${
          JSON.stringify({
            good: SERVERS.weather,
            bad: { command: "x", env: { LD_PRELOAD: "y" } },
          })
        }\n---\nText.\n`,
      });
      await using client = await connect(line, {
        args: ["--skills", tree.root],
      });
      const { structured } = await client.call("skill_list");
      deepEqual(
        structured.skills.map(({ name }: Json) => name),
        ["broken", "half"],
      );
      const told = async (name: string) => {
        const { text } = await client.call("skill_load", { name });
        equal(text[0], "Text.\n");
        return JSON.parse(text[1]!);
      };
      const broken = await told("broken");
      match(JSON.stringify(broken.problems), /mcp-server.*not valid JSON/);
      equal(broken.mcpServers, undefined);
      const half = await told("half");
      match(JSON.stringify(half.problems), /mcp-server.*LD_PRELOAD/);
      deepEqual(half.mcpServers.map(({ server }: Json) => server), ["good"]);
      const { structured: all } = await client.call("skill_list");
      match(JSON.stringify(all.problems), /mcp-server/);
    },
  });
}

Deno.test("check: declared servers are listed as clients see them, with no value", async () => {
  await using tree = await skills();
  for (const args of [["--json"], []]) {
    const { code, stdout } = await skillfence(
      ["check", ...args, tree.root],
      { env: { SKILLFENCE_OS_FENCE: "off" } },
    );
    equal(code, 0, stdout);
    ok(!stdout.includes(VALUE), stdout);
    if (args.length === 0) {
      match(stdout, /FILES_TOKEN/);
      continue;
    }
    const { servers } = JSON.parse(stdout);
    deepEqual(servers.map(plain), [...ROWS, ...ROWS]);
  }
});
