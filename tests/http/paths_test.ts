/** No directory of the server's machine stands in any answer over HTTP. */

import assert from "node:assert/strict";
import type { Json } from "../support/clients.ts";
import { LINES, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { connectHttp, type HttpClient, startHttp } from "./server.ts";

const SCRIPT = `
console.log(Deno.cwd(), import.meta.url);
await Deno.writeTextFile(Deno.env.get("SKILL_OUT") + "/left.txt", "left");
try { Deno.readTextFileSync("/etc/hostname"); } catch (error) { console.log(String(error)); }
throw new Error("on purpose");
`;

const SKILLS = {
  "root/runs/SKILL.md": `---
name: runs
description: runs a script
mcp-host:
  version: 1
  run:
    - script: scripts/a.ts
      interpreter: deno
      timeout: 30
---
Body.
`,
  "root/runs/scripts/a.ts": SCRIPT,
  "root/runs/notes.txt": "notes\n",
  "root/refers/SKILL.md": `---
name: refers
description: refers
references:
  - ../shared/api.md
---
See references/shared/api.md.
`,
  "root/shared/api.md": "---\nname: api\n---\nThe API.\n",
  "root/broken/SKILL.md": "---\nname: [\n---\n",
  "root/gone": { link: "/nowhere/at/all" },
  "more/inner/SKILL.md": "---\nname: inner\ndescription: other root\n---\n",
  "root/prints/SKILL.md":
    "---\ndescription: d\ninputs: [{ name: n, required: false }]\n---\nPrints: !`scripts/where.mjs` and !`scripts/fails.mjs`\n",
  "root/prints/scripts/where.mjs":
    "console.log(import.meta.dirname, process.cwd());\n",
  "root/prints/scripts/fails.mjs":
    "console.error(import.meta.dirname); process.exit(3);\n",
  "work/AGENTS.md": "Say please.\n",
  "work/CLAUDE.md": { link: "/nowhere/at/all" },
  "work/.agents/skills/own.md": '---\npaths: ["*.ts"]\n---\nOwn rule.\n',
  "work/.agents/skills/told/SKILL.md":
    "---\ndescription: d\nmcp_tools: { mcpServers: { it: { command: node, args: [x] } } }\n---\nTold !`git status`.\n",
  "prompts/hello.md": "---\ndescription: says hello\n---\nHello.\n",
};

for (const line of LINES) {
  Deno.test({
    name:
      `http paths: a ${line} client that asks for everything sees no directory of the server`,
    ...processTest,
    async fn() {
      await using tree = await makeTree(SKILLS);
      await using server = await startHttp({
        skills: tree.path("root"),
        args: [
          "--skills",
          tree.path("more"),
          "--prompt-dir",
          tree.path("prompts"),
          "--workspace",
          tree.path("work"),
          "--allow-run",
        ],
        env: {
          MCP_SKILL_RUN: JSON.stringify([{
            skill: "runs",
            script: "scripts/a.ts",
          }]),
          MCP_SKILL_RENDER: JSON.stringify(
            ["scripts/where.mjs", "scripts/fails.mjs"]
              .map((script) => ({ skill: "prints", command: [script] })),
          ),
        },
      });
      await using client = await connectHttp(line, server);
      const answers = await everything(client);
      const text = JSON.stringify(answers);
      for (
        const place of [
          tree.root,
          "/skillfence-",
          "/nowhere",
          Deno.env.get("HOME")!,
        ]
      ) {
        const at = text.indexOf(place);
        assert.equal(at, -1, text.slice(Math.max(0, at - 300), at + 200));
      }
      assert.match(text, /<root 1>/);
      assert.match(text, /<root 2>/);
      assert.match(text, /<work 1>/);
      assert.match(text, /on purpose/);
      assert.match(text, /confinement.command is left out/);
      // By tool and by prompt: what a command prints, and says as it fails.
      const printed = text.match(/<root 1>\/prints\/scripts/g) ?? [];
      assert.ok(printed.length >= 4, text.slice(0, 4000));
    },
  });
}

/** Every list, every item of it, and every tool in ways that work and fail. */
async function everything(client: HttpClient): Promise<Json[]> {
  const answers: Json[] = [];
  const ask = async (method: string, params?: Record<string, unknown>) => {
    try {
      const answer = await client.request(method, params);
      answers.push(answer);
      return answer;
    } catch (error) {
      const { message, data } = error as { message: string; data?: Json };
      answers.push({ message, data });
      return undefined;
    }
  };
  const call = (name: string, args: Record<string, unknown> = {}) =>
    ask("tools/call", { name, arguments: args });
  answers.push(
    client.raw.getInstructions(),
    client.raw.getServerCapabilities(),
  );
  await ask("tools/list");
  const { resources = [] } = await ask("resources/list") ?? {};
  for (const { uri } of resources) await ask("resources/read", { uri });
  for (
    const uri of [
      "skill://runs/notes.txt",
      "skill://runs/missing.txt",
      "skill://runs/..%2f..%2fetc",
      "skillfence://nothing",
      "file:///etc/passwd",
    ]
  ) await ask("resources/read", { uri });
  await ask("resources/templates/list");
  const { prompts = [] } = await ask("prompts/list") ?? {};
  for (const { name } of prompts) await ask("prompts/get", { name });
  await ask("prompts/get", { name: "none" });
  const { skills = [] } = await ask("skills/list") ?? {};
  for (const { uri } of skills) {
    await ask("skills/get", { uri });
    await ask("resources/directory/read", {
      uri: uri.replace(/\/SKILL.md$/, ""),
    });
  }
  await call("skill_list");
  await call("skill_list", { query: "api", reload: true });
  for (const name of ["runs", "refers", "inner", "broken", "none"]) {
    await call("skill_load", { name });
    await call("skill_load", { name, bundle: true });
    await call("skill_file", {
      name,
      paths: ["SKILL.md", "missing", "../x", "/etc/passwd", "out:none"],
    });
  }
  await call("skill_load", { name: "prints" });
  await call("skill_load", { name: "workspace/told" });
  await call("skill_list", { hidden: true });
  await call("skill_match", { paths: ["a.ts", "../x", "/etc/passwd"] });
  await call("skill_file", { path: "skillfence://context" });
  await call("skill_tools", { name: "workspace/told" });
  await call("skill_call", {
    name: "workspace/told",
    server: "it",
    tool: "x",
    confirm: true,
  });
  const run = { name: "runs", script: "scripts/a.ts" };
  const preview = await call("skill_preview", run);
  const digest = preview.structuredContent.plan.digest;
  await call("skill_run", {
    ...run,
    confirm: true,
    planDigest: digest.replace(/.$/, "0"),
  });
  const ran = await call("skill_run", {
    ...run,
    confirm: true,
    planDigest: digest,
  });
  assert.equal(ran.structuredContent.status, "done", JSON.stringify(ran));
  for (const { id } of ran.structuredContent.outputs) {
    await call("skill_file", { name: "runs", path: `out:${id}` });
  }
  await call("skill_preview", { name: "runs", script: "none.ts" });
  await call("skill_preview", { ...run, files: [{ name: "../x", text: "" }] });
  return answers;
}
