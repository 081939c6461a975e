import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";
import { HAS_TERMINAL, MAIN, onTerminal, skillfence } from "./command.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };

function lines(...messages: readonly object[]): string {
  return messages.map((message) => JSON.stringify(message) + "\n").join("");
}

for (const args of [[], ["serve"], ["serve", "--no-run"]]) {
  Deno.test(`serve: \`skillfence ${args.join(" ")}\` answers in JSON-RPC only and ends with its input`, async () => {
    await using tree = await makeTree({
      "a/SKILL.md": "---\ndescription: d\n---\n",
    });
    const { code, stdout } = await skillfence(
      [...args, "--skills", tree.root],
      {
        stdin: lines(INITIALIZE, LIST),
        env: { SKILLFENCE_LOG: "debug" },
      },
    );
    assert.equal(code, 0);
    const answers = stdout.trimEnd().split("\n").map((line) =>
      JSON.parse(line)
    );
    assert.ok(answers.every(({ jsonrpc }) => jsonrpc === "2.0"));
    const tools: { name: string }[] = answers.find(({ id }) =>
      id === 2
    ).result.tools;
    const runs = tools.some(({ name }) => name === "skill_run");
    assert.equal(runs, !args.includes("--no-run"));
  });
}

Deno.test("serve: hosted, a configuration mistake goes to stderr and tools are listed all the same", async () => {
  await using tree = await makeTree();
  const { code, stdout, stderr } = await skillfence([], {
    stdin: lines(INITIALIZE, LIST),
    env: { MCP_SKILLS_PATH: tree.root, SKILLFENCE_CONFIRM: "maybe" },
  });
  assert.equal(code, 0);
  assert.match(stderr, /SKILLFENCE_CONFIRM is "maybe"/);
  assert.equal(stdout.trimEnd().split("\n").length, 2);
});

Deno.test("serve: loads neither the parser nor another subcommand", async () => {
  const loaded = await modulesOf(
    new URL("../../src/cli/serve.ts", import.meta.url),
  );
  for (
    const name of [
      "commander",
      "/config/json_directory.ts",
      "/cli/list.ts",
      "/cli/doctor.ts",
      "/cli/program.ts",
      "/src/http/",
      "node:net",
    ]
  ) {
    assert.ok(!loaded.some((module) => module.includes(name)), name);
  }
  const entry = await modulesOf(new URL(`file://${MAIN}`));
  assert.ok(!entry.some((module) => module.includes("commander")));
});

/** Modules that loading `entry` loads: dynamic imports are not followed. */
async function modulesOf(entry: URL): Promise<string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry.href],
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout));
  type Dependency = { code?: { specifier: string }; isDynamic?: boolean };
  const byUrl = new Map<string, { dependencies?: Dependency[] }>(
    modules.map((module: { specifier: string }) => [module.specifier, module]),
  );
  const found = new Set<string>();
  const visit = (url: string): void => {
    if (found.has(url)) return;
    found.add(url);
    for (const { code, isDynamic } of byUrl.get(url)?.dependencies ?? []) {
      if (code !== undefined && isDynamic !== true) visit(code.specifier);
    }
  };
  visit(entry.href);
  return [...found];
}

Deno.test({
  name:
    "serve: started by hand on a terminal it says what it is, names MCP_SKILL_RUN and shows a client's configuration",
  ignore: !HAS_TERMINAL,
  async fn() {
    await using tree = await makeTree();
    // Ctrl-D on an empty line ends the input.
    const { code, stdout } = await onTerminal([
      "--skills",
      tree.root,
      "--skill-dir",
      '{"dir":"/b","ignore":["x*"],"watch":true}',
      "--prompt-file",
      "/p.md",
    ], { stdin: "\x04" });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /an MCP server/);
    assert.match(stdout, /Set MCP_SKILL_RUN to decide which/);
    const snippet = /\{[\s\S]*\}/.exec(stdout.replaceAll("\r\n", "\n"))![0];
    const { command, args } = JSON.parse(snippet).mcpServers.skills;
    assert.equal(command, Deno.execPath());
    assert.deepEqual(args.slice(-6), [
      "--skills",
      tree.root,
      "--skill-dir",
      '{"dir":"/b","ignore":["x*"]}',
      "--prompt-file",
      "/p.md",
    ]);
  },
});

Deno.test("serve: started by a client it says nothing on stderr", async () => {
  await using tree = await makeTree();
  const { stderr } = await skillfence(["--skills", tree.root], {
    stdin: lines(INITIALIZE),
  });
  assert.equal(stderr, "");
});
