import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { makeTree } from "../support/tree.ts";
import { command, MAIN, skillfence } from "./command.ts";

const SKILL =
  "---\nname: deploy\ndescription: d\ntriggers: [deploy]\n---\nDeploy with care.\n";

/** The command of one event, as each client's configuration holds it. */
const COMMANDS: Record<
  string,
  // deno-lint-ignore no-explicit-any
  (config: any) => { prompt?: string; tool: string; timeouts: number[] }
> = {
  claude: nested("UserPromptSubmit", "PostToolUse"),
  codex: nested("UserPromptSubmit", "PostToolUse"),
  gemini: nested("BeforeAgent", "AfterTool"),
  cursor: ({ hooks }) => ({
    tool: hooks.postToolUse[0].command,
    timeouts: [hooks.postToolUse[0].timeout],
  }),
};

function nested(prompt: string, tool: string): (typeof COMMANDS)[string] {
  return ({ hooks }) => {
    const [before] = hooks[prompt][0].hooks;
    const [after] = hooks[tool][0].hooks;
    assert.equal(before.type, "command");
    assert.equal(typeof hooks[tool][0].matcher, "string");
    return {
      prompt: before.command,
      tool: after.command,
      timeouts: [before.timeout, after.timeout],
    };
  };
}

Deno.test("hook: each client's configuration is JSON of its own shape, with seconds or milliseconds as it counts", async () => {
  for (const [client, commands] of Object.entries(COMMANDS)) {
    const { code, stdout, stderr } = await skillfence(["hook", client]);
    assert.equal(code, 0);
    const config = JSON.parse(stdout);
    const { tool, timeouts } = commands(config);
    const unit = client === "gemini" ? 1000 : 1;
    assert.ok(timeouts.every((timeout) => timeout === 5 * unit), client);
    assert.ok(
      tool.startsWith(Deno.execPath()) &&
        tool.endsWith(`${MAIN} match --stdin --client ${client}`),
      tool,
    );
    assert.match(stderr, new RegExp(`\\.${client}/\\w+\\.json`));
    const keys = client === "cursor" ? ["version", "hooks"] : ["hooks"];
    assert.deepEqual(Object.keys(config), keys);
  }
});

Deno.test("hook: its command, run by a shell as clients do, answers with the roots and workspaces that were given", async () => {
  await using tree = await makeTree({
    "my skills/deploy/SKILL.md": SKILL,
    "it's work/.agents/skills/here.md": "---\ntriggers: [deploy]\n---\nHere.\n",
  });
  const flags = ["--skills", "my skills", "--workspace", "it's work"];
  for (const client of ["claude", "codex", "gemini"]) {
    const { stdout } = await skillfence(["hook", client, ...flags], {
      cwd: tree.root,
    });
    const { prompt } = COMMANDS[client]!(JSON.parse(stdout));
    // From another directory, with what a busy machine needs.
    const ended = await command("sh", ["-c", `${prompt} --within 30000`], {
      cwd: "/",
      env: { SKILLFENCE_CACHE_DIR: tree.path("cache") },
      stdin: '{"prompt":"deploy it"}',
    });
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    const said = JSON.parse(ended.stdout).hookSpecificOutput;
    assert.match(said.additionalContext, /Deploy with care/);
    assert.match(said.additionalContext, /workspace\/here/);
  }
});

Deno.test("hook: roots from the environment are written into the command", async () => {
  const { stdout } = await skillfence(["hook", "cursor"], {
    env: { MCP_SKILLS_PATH: "/srv/skills" },
  });
  assert.match(COMMANDS.cursor!(JSON.parse(stdout)).tool, /--skills \/srv\/sk/);
  const json = '{"dir":"/srv/flat","flat":true,"ignore":["x"]}';
  const filtered = await skillfence(["hook", "cursor", "--skill-dir", json]);
  assert.ok(
    COMMANDS.cursor!(JSON.parse(filtered.stdout)).tool.endsWith(
      `--skill-dir '{"dir":"/srv/flat","ignore":["x"],"flat":true}'`,
    ),
  );
});

Deno.test("hook opencode: the plugin adds what matches to a message and to a tool's output, and nothing else", async () => {
  await using tree = await makeTree({
    "skills/deploy/SKILL.md": SKILL,
    "skills/rule/SKILL.md":
      '---\nname: rule\ndescription: d\npaths: ["*.ts"]\n---\nTyped.\n',
    "work/a.ts": "",
  });
  const { code, stdout, stderr } = await skillfence([
    "hook",
    "opencode",
    "--skills",
    tree.path("skills"),
  ]);
  assert.equal(code, 0);
  assert.match(stderr, /\.opencode\/plugins\/skills\.ts/);
  const patient = stdout.replace('"match",', '"match","--within","30000",');
  await tree.write({
    "plugin.ts": patient,
    "use.ts": `
      import { Skills } from ${
      JSON.stringify(
        pathToFileURL(tree.path("plugin.ts")).href,
      )
    };
      const hooks = await Skills({ directory: ${
      JSON.stringify(tree.path("work"))
    } });
      const parts = [{ type: "text", text: "please deploy" }, { type: "file" }];
      await hooks["chat.message"]({}, { message: {}, parts });
      const quiet = [{ type: "text", text: "hello" }];
      await hooks["chat.message"]({}, { message: {}, parts: quiet });
      const after = { title: "", output: "done", metadata: {} };
      await hooks["tool.execute.before"]({ callID: "1" }, { args: { filePath: "a.ts" } });
      await hooks["tool.execute.after"]({ callID: "1" }, after);
      const mcp = { content: [] };
      await hooks["tool.execute.before"]({ callID: "2" }, { args: { filePath: "a.ts" } });
      await hooks["tool.execute.after"]({ callID: "2" }, mcp);
      console.log(JSON.stringify({ parts, quiet, after, mcp }));
    `,
  });
  const ended = await command(
    Deno.execPath(),
    ["run", "-A", "--no-check", tree.path("use.ts")],
    { env: { SKILLFENCE_CACHE_DIR: tree.path("cache") } },
  );
  assert.equal(ended.code, 0, ended.stderr);
  const { parts, quiet, after, mcp } = JSON.parse(ended.stdout);
  assert.match(parts[0].text, /^please deploy\n\n<EXTRA_INFO>\n[^]*with care/);
  assert.deepEqual(parts[1], { type: "file" });
  assert.deepEqual(quiet, [{ type: "text", text: "hello" }]);
  assert.match(after.output, /^done\n\n<EXTRA_INFO>\n[^]*Typed\./);
  assert.deepEqual(mcp, { content: [] });
});

Deno.test("hook: an unknown client and a mistake in the configuration end with 2", async () => {
  const unknown = await skillfence(["hook", "clude"]);
  assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
  assert.match(unknown.stderr, /did you mean claude\?/);
  const wrong = await skillfence(["hook", "claude", "--skills", "~/x"]);
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /leading ~/);
});
