/**
 * Texts, triggers, declared servers and context files that would start things,
 * and an owner who granted none of it: whatever a client asks, nothing starts.
 */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import {
  connect,
  type Json,
  LINES,
  processTest,
  type TestClient,
} from "../support/clients.ts";
import { command, skillfence } from "../cli/command.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";

/** Each thing that starts would leave a file of its own. */
function trap(tree: Tree, name: string): string {
  return join(tree.path("started"), name);
}

/** A skill with everything in it that could start something. */
function skill(tree: Tree, name: string, ...head: string[]): string {
  const at = (what: string) => trap(tree, `${name.replace("/", "-")}-${what}`);
  const server = { command: "/usr/bin/touch", args: [at("server")] };
  return [
    "---",
    `name: ${name}`,
    "description: Starts things.",
    ...head,
    `mcp_tools: ${JSON.stringify({ mcpServers: { one: server } })}`,
    "mcp-host:",
    "  version: 1",
    "  run:",
    "    - { script: scripts/go.mjs, interpreter: node }",
    "---",
    `Now: !\`/usr/bin/touch ${at("host")}\` and !\`scripts/go.mjs\`, or`,
    `!\`sh -c 'touch ${at("shell")}'\` and !\`touch ${at("word")} # x\`.`,
    "",
  ].join("\n");
}

async function trapped(): Promise<Tree> {
  const tree = await makeTree({ started: { dir: true }, work: { dir: true } });
  // What is fenced may not write there: then its outcome tells.
  const go = (name: string) =>
    `import { writeFileSync } from "node:fs";\ntry { writeFileSync(${
      JSON.stringify(trap(tree, name))
    }, ""); } catch { /* Fenced. */ }\nconsole.log("it ran");\n`;
  const server = { command: "/usr/bin/touch", args: [trap(tree, "mcp-json")] };
  await tree.write({
    "skills/word/SKILL.md": skill(tree, "word", "triggers: [start]"),
    "skills/word/scripts/go.mjs": go("word-script"),
    "skills/word/.mcp.json": JSON.stringify({ mcpServers: { two: server } }),
    "skills/task/SKILL.md": skill(tree, "task", "inputs: [{ name: what }]"),
    "skills/task/scripts/go.mjs": go("task-script"),
    "skills/rule/SKILL.md": skill(tree, "rule", 'paths: ["*.ts"]'),
    "skills/quiet/SKILL.md": skill(
      tree,
      "quiet",
      "triggers: [start]",
      "disable-model-invocation: true",
    ),
    "work/.agents/skills/own/SKILL.md": skill(tree, "own", "triggers: [start]"),
    "work/.agents/skills/own/scripts/go.mjs": go("own-script"),
    "work/.agents/skills/always.md": `!\`touch ${trap(tree, "always")}\`\n`,
    "work/AGENTS.md": `!\`touch ${trap(tree, "agents")}\`\n`,
    "work/sub/AGENTS.md": `!\`touch ${trap(tree, "nested")}\`\n`,
    "work/sub/a.ts": "",
  });
  return tree;
}

/** Of each text's commands: three that no row lists, and one that is none. */
const NOT_RUN = ["not-granted", "not-granted", "not-granted", "refused"];

function started(tree: Tree): string[] {
  return [...Deno.readDirSync(tree.path("started"))].map(({ name }) => name);
}

/** Everything that lists, matches, loads or reads. */
async function askAll(client: TestClient): Promise<void> {
  const { sdk } = client;
  const good = async (name: string, args: Json) => {
    const { isError, text } = await client.call(name, args);
    equal(isError, false, text[0]);
    return text;
  };
  await good("skill_list", {});
  await good("skill_list", { hidden: true, reload: true });
  const matched = await good("skill_match", {
    message: "start /task",
    paths: ["sub/a.ts"],
  });
  deepEqual(
    JSON.parse(matched[0]!).hits.map(({ skill, file }: Json) => skill ?? file),
    ["task", "quiet", "word", "workspace/own", "rule", "sub/AGENTS.md"],
  );
  for (const name of ["word", "task", "workspace/own"]) {
    const loaded = await good("skill_load", { name });
    match(loaded[0]!, /\[Error: /);
    ok(!loaded.join().includes("it ran"));
    const { commands } = JSON.parse(loaded.at(-1)!);
    deepEqual(commands.map(({ outcome }: Json) => outcome), NOT_RUN);
    await good("skill_load", { name, render: false });
    await good("skill_load", { name, bundle: true });
    await good("skill_file", { name, path: "SKILL.md" });
    await good("skill_tools", { name });
    const told = await client.call("skill_tools", { name, server: "one" });
    match(told.text.join(), /not-granted|MCP_SKILL_MCP/);
    const called = await client.call("skill_call", {
      name,
      server: "one",
      tool: "x",
      arguments: {},
      confirm: true,
    });
    equal(called.isError, true);
  }
  const { prompts } = await sdk.listPrompts();
  ok(prompts.length >= 4);
  for (const { name } of prompts) {
    const got = JSON.stringify(await sdk.getPrompt({ name }));
    ok(!got.includes("it ran"), got);
  }
  const { resources } = await sdk.listResources();
  for (const { uri } of resources) await sdk.readResource({ uri });
  await sdk.readResource({ uri: "skillfence://context" });
}

/** The widest grants of scripts there are, and none at all. */
const GRANTS: Readonly<Record<string, Record<string, string>>> = {
  "scripts granted": {
    MCP_SKILL_RUN: JSON.stringify(
      ["word", "task"].map((skill) => ({ skill, script: "scripts/go.mjs" })),
    ),
  },
  "nothing set": {},
};

for (const line of LINES) {
  for (const [what, env] of Object.entries(GRANTS)) {
    Deno.test({
      name:
        `nothing starts (${line}, ${what}): neither by listing nor matching nor loading nor reading, without a row for it`,
      ...processTest,
      ignore: Deno.build.os !== "linux", // /usr/bin/touch
      async fn() {
        await using tree = await trapped();
        await using client = await connect(line, {
          args: [
            ...["--skills", tree.path("skills")],
            ...["--workspace", tree.path("work")],
          ],
          env: {
            SKILLFENCE_OS_FENCE: "off",
            SKILLFENCE_AUDIT_LOG: tree.path("audit.log"),
            ...env,
          },
        });
        await askAll(client);
        deepEqual(started(tree), []);
        // A script of the same skill is run when that is asked for.
        await client.call("skill_run", {
          name: "word",
          script: "scripts/go.mjs",
          confirm: true,
        });
        const events = async () =>
          (await Deno.readTextFile(tree.path("audit.log"))).trim().split("\n")
            .map((line) => JSON.parse(line).event);
        // Written behind the answers, in order: all before it is there.
        await until(async () => (await events()).includes("run"));
        deepEqual(
          (await events()).filter((event) => event !== "refusal"),
          ["run"],
        );
      },
    });
  }
}

Deno.test({
  name: "nothing starts: neither by a hook nor on the command line",
  ignore: Deno.build.os !== "linux", // /usr/bin/touch
  async fn() {
    await using tree = await trapped();
    const roots = [
      ...["--skills", tree.path("skills")],
      ...["--workspace", tree.path("work")],
    ];
    const env = { SKILLFENCE_CACHE_DIR: tree.path("cache") };
    const hook = await skillfence(
      [
        ...["match", "--stdin", "--client", "text", "--within", "30000"],
        ...roots,
      ],
      {
        stdin: '{"prompt":"start /task","paths":["sub/a.ts"]}',
        env,
      },
    );
    match(hook.stdout, /Skill: word/);
    await skillfence(["list", "--json", ...roots], { env });
    await skillfence(["check", tree.path("skills/word")], { env });
    await skillfence(["hook", "claude", ...roots], { env });
    deepEqual(started(tree), []);
    // The trap works: what is meant to start leaves its file.
    await command("/usr/bin/touch", [trap(tree, "meant")], {});
    deepEqual(started(tree), ["meant"]);
  },
});
