import assert from "node:assert/strict";
import { makeTree, type Tree } from "../support/tree.ts";
import {
  type CommandOptions,
  type Ended,
  HAS_TERMINAL,
  onTerminal,
  skillfence,
} from "./command.ts";

const SCRIPTS: Record<string, string> = {
  "echo.mjs": `
    import process from "node:process";
    import { readFileSync } from "node:fs";
    console.log(JSON.stringify({ argv: process.argv.slice(2), key: process.env.KEY, stdin: readFileSync(0, "utf8") }));`,
  "exit.mjs": `console.error("gone wrong"); Deno.exit(7);`,
  "bytes.mjs":
    `Deno.stdout.writeSync(new Uint8Array([0xff, 0x1b, 0x5b, 0x33, 0x31, 0x6d]));`,
  "leave.mjs": `
    import process from "node:process";
    import { readFileSync, mkdirSync, writeFileSync } from "node:fs";
    const out = process.env.SKILL_OUT;
    mkdirSync(out + "/deep");
    writeFileSync(out + "/deep/copy.txt", readFileSync(out + "/../in/given.txt"));`,
  "forever.mjs": `await new Promise(() => setInterval(() => {}, 1000));`,
  "trap.mjs": `Deno.kill(Deno.pid, "SIGKILL");`,
};

function tree(): Promise<Tree> {
  const run = Object.keys(SCRIPTS).map((script) =>
    `    - { script: ${script}, interpreter: node, env: [KEY], timeout: 3 }`
  );
  const document = `---
name: demo
description: For tests.
mcp-host:
  version: 1
  run:
${run.join("\n")}
---
`;
  const files = Object.entries(SCRIPTS).map((
    [name, text],
  ) => [`demo/${name}`, text]);
  return makeTree({ "demo/SKILL.md": document, ...Object.fromEntries(files) });
}

function run(
  { root }: Tree,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Ended> {
  return skillfence(["run", "--skills", root, "demo", ...args], options);
}

Deno.test("run: without --confirm the Plan is shown and nothing runs", async () => {
  await using skills = await tree();
  const { code, stdout } = await run(skills, [
    "leave.mjs",
    "--",
    "--a b",
    "\u202e",
  ]);
  assert.equal(code, 0);
  assert.match(stdout, /arguments +"--a b"\n +"\\u\{202e\}"\n/);
  assert.match(stdout, /may +reads the skill's own directory/);
  assert.match(stdout, /--allow-read=.*,<scratch>/);
  assert.match(
    stdout,
    /Nothing was run\. .*--confirm --plan-digest sha256:[0-9a-f]{64}\n$/,
  );
});

Deno.test("run: arguments and stdin reach the script, its output comes through a pipe unchanged", async () => {
  await using skills = await tree();
  const args = ["echo.mjs", "--confirm", "--stdin", "--", "--json", "a b"];
  const { code, stdout, stderr } = await run(skills, args, { stdin: "text é" });
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), {
    argv: ["--json", "a b"],
    stdin: "text é",
  });
  assert.match(
    stderr,
    /^skillfence: exit 0 after \d+ ms\n {2}denied env {2}KEY\n[^]*\n {2}KEY is not set in the server's environment\n$/,
  );
});

Deno.test("run: hints and notes name commands and options, never tools", async () => {
  await using skills = await tree();
  const asked = (args: readonly string[]) =>
    skillfence(["run", "--skills", skills.root, ...args]);
  const unknown = await asked(["dem", "exit.mjs"]);
  assert.equal(unknown.code, 2);
  assert.match(
    unknown.stderr,
    /\(UNKNOWN_SKILL\).*\n {2}Did you mean demo\? `skillfence list` names every skill\. Give the --skills, --skill-dir and --workspace that the server has, too\.\n$/,
  );
  const json = await asked(["zzzzzz", "exit.mjs", "--json"]);
  assert.match(
    JSON.parse(json.stdout).hint,
    /`skillfence list` names every skill\. Give the --skills,/,
  );
  // Nobody granted KEY, so that the Plan's digest is asked for.
  const env = { KEY: "k" };
  const shown = await run(skills, ["exit.mjs"], { env });
  assert.match(shown.stdout, /runs only when this Plan's digest is given/);
  const refused = await run(skills, ["exit.mjs", "--confirm"], { env });
  assert.match(
    refused.stderr,
    /\(CONFIRM_PLAN\).*\n {2}.*--plan-digest sha256:/,
  );
  for (const { stdout, stderr } of [unknown, json, shown, refused]) {
    assert.doesNotMatch(stdout + stderr, /skill_|planDigest/);
  }
});

Deno.test("run: the script's exit code is the command's, its stderr goes to stderr", async () => {
  await using skills = await tree();
  const { code, stderr } = await run(skills, ["exit.mjs", "--confirm"]);
  assert.equal(code, 7);
  assert.match(stderr, /^gone wrong\nskillfence: exit 7/);
});

Deno.test("run: 124 at the deadline, 128 and the number for a signal", async () => {
  await using skills = await tree();
  const late = await run(skills, ["forever.mjs", "--confirm"]);
  assert.equal(late.code, 124, late.stderr);
  assert.match(late.stderr, /ended by its timeout/);
  // In a sandbox of its own a script is the first process, which no signal
  // of its own ends.
  const killed = await run(skills, ["trap.mjs", "--confirm"], {
    env: { SKILLFENCE_OS_FENCE: "off" },
  });
  assert.equal(killed.code, 128 + 9, killed.stderr);
});

Deno.test("run: hands files in, and keeps what is left with --out", async () => {
  await using skills = await tree();
  await skills.write({ "given.txt": "handed over" });
  const args = [
    "leave.mjs",
    "--confirm",
    "--file",
    "given.txt",
    "--out",
    "kept",
  ];
  const first = await run(skills, args, { cwd: skills.root });
  assert.equal(first.code, 0, first.stderr);
  const kept = skills.path("kept/deep/copy.txt");
  assert.equal(await Deno.readTextFile(kept), "handed over");
  assert.match(first.stderr, /left behind: out\/deep\/copy\.txt \(11 bytes\)/);
  const again = await run(skills, args, { cwd: skills.root });
  assert.equal(again.code, 2);
  assert.match(
    again.stderr,
    /refused \(PATH_REFUSED\): not kept: out\/deep\/copy\.txt/,
  );
});

Deno.test("run: an --out that cannot be made is refused before anything runs", async () => {
  await using skills = await tree();
  await skills.write({ "given.txt": "x" });
  const { code, stdout, stderr } = await run(skills, [
    "exit.mjs",
    "--confirm",
    "--out",
    skills.path("given.txt/below"),
  ]);
  assert.equal(code, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /^skillfence: refused \(PATH_REFUSED\): --out /);
  assert.doesNotMatch(stderr, /gone wrong|exit 7/);
});

Deno.test("run: --json prints the tools' own answers: preview, done, refused", async () => {
  await using skills = await tree();
  const preview = await run(skills, ["exit.mjs", "--json"]);
  assert.equal(preview.code, 0);
  const { status, plan } = JSON.parse(preview.stdout);
  assert.equal(status, "preview");
  const done = await run(skills, [
    "exit.mjs",
    "--json",
    "--confirm",
    "--plan-digest",
    plan.digest,
  ]);
  assert.equal(done.code, 7);
  const answer = JSON.parse(done.stdout);
  assert.equal(answer.status, "done");
  assert.equal(answer.stderr, "gone wrong\n");
  assert.equal(answer.planDigest, plan.digest);
  const refused = await run(skills, ["absent.mjs", "--json"]);
  assert.equal(refused.code, 2);
  assert.equal(JSON.parse(refused.stdout).code, "UNKNOWN_SCRIPT");
});

Deno.test("run: a changed skill makes an old digest PLAN_CHANGED, and nothing runs", async () => {
  await using skills = await tree();
  const { stdout } = await run(skills, ["leave.mjs", "--json"]);
  const { digest } = JSON.parse(stdout).plan;
  await skills.write({ "demo/data.txt": "new" });
  const { code, stderr } = await run(skills, [
    "leave.mjs",
    "--confirm",
    "--plan-digest",
    digest,
    "--out",
    skills.path("kept"),
  ]);
  assert.equal(code, 2);
  assert.match(stderr, /refused \(PLAN_CHANGED\)/);
  await assert.rejects(Deno.stat(skills.path("kept")));
  // A preview that was asked for by its digest says so as well.
  const asked = await run(skills, ["leave.mjs", "--plan-digest", digest]);
  assert.equal(asked.code, 2);
  assert.match(asked.stderr, /refused \(PLAN_CHANGED\)/);
});

Deno.test("run: a variable that nobody granted needs the digest, and then is handed over", async () => {
  await using skills = await tree();
  const env = { KEY: "secret-value" };
  const bare = await run(skills, ["echo.mjs", "--confirm"], { env });
  assert.equal(bare.code, 2);
  assert.match(bare.stderr, /nobody granted KEY/);
  assert.doesNotMatch(bare.stdout + bare.stderr, /secret-value/);
  const digest = /sha256:[0-9a-f]{64}/.exec(bare.stderr)![0];
  const args = ["echo.mjs", "--confirm", "--plan-digest", digest];
  const told = await run(skills, args, { env });
  assert.equal(JSON.parse(told.stdout).key, "secret-value", told.stderr);
  const grant = JSON.stringify([{
    skill: "demo",
    script: "echo.mjs",
    env: ["KEY"],
  }]);
  const granted = await run(skills, ["echo.mjs", "--confirm"], {
    env: { ...env, MCP_SKILL_RUN: grant },
  });
  assert.equal(granted.code, 0, granted.stderr);
});

Deno.test("run: SKILLFENCE_CONFIRM=plan asks for the digest of every run", async () => {
  await using skills = await tree();
  const env = { SKILLFENCE_CONFIRM: "plan" };
  const { code, stderr } = await run(skills, ["exit.mjs", "--confirm"], {
    env,
  });
  assert.equal(code, 2);
  assert.match(stderr, /CONFIRM_PLAN.*SKILLFENCE_CONFIRM=plan/);
});

Deno.test("run: hosted without a grant, or with --no-run, nothing runs", async () => {
  await using skills = await tree();
  const hosted = await skillfence(["run", "demo", "exit.mjs", "--confirm"], {
    env: { MCP_SKILLS_PATH: skills.root },
  });
  assert.equal(hosted.code, 2);
  assert.match(hosted.stderr, /refused \(NOT_GRANTED\)/);
  const off = await run(skills, ["exit.mjs", "--confirm", "--no-run"]);
  assert.equal(off.code, 2);
  assert.match(off.stderr, /refused \(RUN_DISABLED\)/);
});

Deno.test("run: hosted with a configuration mistake nothing runs", async () => {
  await using skills = await tree();
  const { code, stderr } = await skillfence([
    "run",
    "demo",
    "exit.mjs",
    "--confirm",
  ], {
    env: {
      MCP_SKILLS_PATH: skills.root,
      MCP_SKILL_RUN: JSON.stringify([{ skill: "demo", script: "exit.mjs" }]),
      SKILLFENCE_MAX_RUNS: "many",
    },
  });
  assert.equal(code, 2);
  assert.match(stderr, /refused \(CONFIG\)/);
});

Deno.test({
  name: "run: bytes go raw into a pipe and visible onto a terminal",
  ignore: !HAS_TERMINAL,
  async fn() {
    await using skills = await tree();
    const args = [
      "run",
      "--skills",
      skills.root,
      "demo",
      "bytes.mjs",
      "--confirm",
    ];
    const piped = await skillfence(args);
    assert.ok(piped.stdout.endsWith("\x1b[31m"));
    const shown = await onTerminal(args);
    assert.match(shown.stdout, /\\u\{1b\}\[31m/);
  },
});
