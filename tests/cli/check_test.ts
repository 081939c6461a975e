import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";
import { skillfence } from "./command.ts";

const GOOD = `---
name: good
description: Does good.
mcp-host:
  version: 1
  run:
    - { script: a.mjs, interpreter: node }
    - { script: b.py, interpreter: python3 }
---
Body.
`;

Deno.test("check: a sound skill ends with its Plans and what a client would list; exit 0", async () => {
  await using tree = await makeTree({
    "good/SKILL.md": GOOD,
    "good/a.mjs": "1",
    "good/b.py": "1",
  });
  const { code, stdout } = await skillfence(["check", tree.path("good")]);
  assert.equal(code, 0, stdout);
  const order = [
    "Problems\nNone.",
    "Plan of good a.mjs\n",
    "sha256:",
    "Plan of good b.py\n  cannot run here (INTERPRETER_UNAVAILABLE)",
    "What a client would list\n",
    "0 errors",
  ].map((part) => stdout.indexOf(part));
  assert.deepEqual(order, [...order].sort((a, b) => a - b));
  assert.ok(!order.includes(-1), stdout);
});

Deno.test("check: an error gives exit 1 with place, line and fix; --json says the same", async () => {
  await using tree = await makeTree({
    "bad/SKILL.md": "---\nname: bad\ndescription: Use: when\n---\nBody.\n",
  });
  const words = await skillfence(["check", tree.root]);
  assert.equal(words.code, 1);
  assert.match(
    words.stdout,
    /error +malformed-frontmatter +bad\/?S?K?I?L?L?.*:3:\d+: /,
  );
  const json = await skillfence(["check", tree.root, "--json"]);
  assert.equal(json.code, 1);
  const report = JSON.parse(json.stdout);
  assert.equal(report.ok, false);
  const [error] = report.problems.filter((each: { severity: string }) =>
    each.severity === "error"
  );
  assert.equal(error.line, 3);
  assert.equal(report.listing.skills[0].name, "bad");
});

Deno.test("check: says how a secret with hosts travels, in words and in --json", async () => {
  await using tree = await makeTree({
    "good/SKILL.md": GOOD.replace(
      "---\nBody",
      "  egress: [api.x.example]\n  env:\n" +
        "    - { name: KEY, secret: true, hosts: [api.x.example] }\n" +
        "    - { name: FREE, secret: true }\n---\nBody",
    ),
    "good/a.mjs": "1",
    "good/b.py": "1",
  });
  const words = await skillfence(["check", tree.path("good")]);
  assert.equal(words.code, 0, words.stdout);
  const note =
    /good: the value of KEY is held back by the run's proxy.* request header values, over https to api\.x\.example\..*in a URL or in a request body does not work/;
  assert.match(words.stdout, note);
  assert.match(words.stdout, /^0 errors, 0 warnings, 1 note$/m);
  const json = await skillfence(["check", tree.path("good"), "--json"]);
  const { notes } = JSON.parse(json.stdout);
  assert.equal(notes.length, 1);
  assert.match(notes[0], note);
});

Deno.test("check: names the layers in force, in words and in --json", async () => {
  await using tree = await makeTree({
    "good/SKILL.md": GOOD,
    "good/a.mjs": "1",
    "good/b.py": "1",
  });
  const env = { SKILLFENCE_OS_FENCE: "off" };
  const dir = tree.path("good");
  const words = await skillfence(["check", dir], { env });
  assert.match(
    words.stdout,
    /Layers\n {2}decision +on .*\n(?: .*\n)*? {2}permissions +on .*\n(?: .*\n)*? {2}os +off +turned off by SKILLFENCE_OS_FENCE=off/,
  );
  const json = await skillfence(["check", dir, "--json"], { env });
  const { layers } = JSON.parse(json.stdout);
  assert.deepEqual(
    layers.map(({ name, on }: { name: string; on: boolean }) => [name, on]),
    [["decision", true], ["permissions", true], ["os", false]],
  );
});

Deno.test("check: a script that its skill keeps from running is an error", async () => {
  await using tree = await makeTree({
    "a,b/good/SKILL.md": GOOD,
    "a,b/good/a.mjs": "1",
    "a,b/good/b.py": "1",
  });
  const { code, stdout } = await skillfence([
    "check",
    tree.path("a,b"),
    "--json",
  ]);
  const { problems, scripts, ok } = JSON.parse(stdout);
  assert.deepEqual(problems, []);
  assert.equal(scripts[0].refused.code, "PREFLIGHT");
  assert.equal(ok, false);
  assert.equal(code, 1);
});

Deno.test("check: without DIR the configured roots; relative DIR is below the working directory", async () => {
  await using tree = await makeTree({
    "good/SKILL.md": GOOD,
    "good/a.mjs": "1",
    "good/b.py": "1",
  });
  for (
    const [args, env] of [
      [["check", "--json"], { SKILLS_DIR: tree.root }],
      [["check", "--json", "good"], { MCP_SKILLS_PATH: "/nowhere" }],
    ] as const
  ) {
    const { stdout } = await skillfence(args, { env, cwd: tree.root });
    assert.equal(JSON.parse(stdout).listing.skills[0].name, "good");
  }
});

Deno.test("check: a DIR that is not there is an error", async () => {
  const { code, stdout } = await skillfence(["check", "/no/such/dir"]);
  assert.equal(code, 1);
  assert.match(stdout, /root-unreadable +\/no\/such\/dir: the root cannot/);
});

Deno.test("check: an empty DIR is a mistake in the call, exit 2", async () => {
  const { code, stderr } = await skillfence(["check", ""]);
  assert.equal(code, 2);
  assert.match(stderr, /empty DIR/);
});

Deno.test("check: every command of a text with the row that lets it run, every declared server with its pin", async () => {
  await using tree = await makeTree({
    "root/a/SKILL.md":
      "---\nname: a\ndescription: d\nmcp_tools: { mcpServers: { files: { command: npx, args: [-y, x] } } }\n---\nOn !`git branch --show-current`, !`cat x | wc`.\n",
  });
  const row = '{"skill":"a","command":["git","branch","--show-current"]}';
  const run = async (env: Record<string, string>) =>
    await skillfence(["check", tree.path("root")], { env });
  const { code, stdout } = await run({});
  assert.equal(code, 0, stdout);
  assert.ok(stdout.includes(row), stdout);
  assert.match(stdout, /cat x \| wc\n +never runs: .*pipe/);
  assert.match(stdout, /warning +command /);
  assert.match(stdout, /MCP server a files\n +npx -y x\n +not-granted: /);
  assert.ok(
    stdout.includes(`skillfence mcp pin a files --skills ${tree.path("root")}`),
    stdout,
  );
  const granted = await run({ MCP_SKILL_RENDER: `[${row}]` });
  assert.match(granted.stdout, /listed in MCP_SKILL_RENDER/);
  assert.doesNotMatch(granted.stdout, /Grants that do not work/);
  for (
    const variable of ["MCP_SKILL_RUN", "MCP_SKILL_RENDER", "MCP_SKILL_MCP"]
  ) {
    const faulty = await run({ [variable]: row });
    assert.match(
      faulty.stdout,
      new RegExp(`Grants that do not work\n${variable} .*not a JSON array`),
    );
  }
  const { stdout: json } = await skillfence(
    ["check", "--json", tree.path("root")],
  );
  const report = JSON.parse(json);
  assert.deepEqual(report.commands[0], {
    skill: "a",
    command: "git branch --show-current",
    granted: false,
    row,
  });
  assert.equal(report.servers[0].state, "not-granted");
});
