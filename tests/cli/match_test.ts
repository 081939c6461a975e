import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";
import { type Ended, MAIN, skillfence } from "./command.ts";

const SKILLS = {
  "skills/deploy/SKILL.md":
    "---\nname: deploy\ndescription: d\ntriggers: [deploy, /ship]\n---\nDeploy with care.\n",
  "skills/api-rule/SKILL.md":
    '---\nname: api-rule\ndescription: d\npaths: ["src/api/**/*.ts"]\n---\nValidate input.\n',
  "skills/plain/SKILL.md":
    "---\nname: plain\ndescription: d\n---\nOnly by choice.\n",
} as const;

/** Long enough to build an index on a busy machine; a test needs its answer. */
const WAIT = ["--within", "30000"];

interface Asking {
  readonly client?: string;
  readonly args?: readonly string[];
  readonly within?: readonly string[];
}

/** One hook call with skills in `tree`, whose cache is its own. */
function ask(
  tree: Tree,
  payload: unknown,
  asking: Asking = {},
): Promise<Ended> {
  const { client = "claude", args = [], within = WAIT } = asking;
  const stdin = typeof payload === "string" ? payload : JSON.stringify(payload);
  return skillfence([
    ...["match", "--stdin", "--client", client, ...within],
    ...["--skills", tree.path("skills"), ...args],
  ], { stdin, env: { SKILLFENCE_CACHE_DIR: tree.path("cache") } });
}

/** What went to the model; the call itself must be without fault. */
function context({ code, stdout, stderr }: Ended): string {
  assert.deepEqual([code, stderr], [0, ""]);
  const { hookSpecificOutput, ...rest } = JSON.parse(stdout);
  assert.deepEqual(rest, {});
  return hookSpecificOutput.additionalContext;
}

const SILENT = { code: 0, stdout: "", stderr: "" };
const prompt = (text: string) => ({
  session_id: "s",
  transcript_path: "/t.jsonl",
  cwd: "/",
  permission_mode: "default",
  hook_event_name: "UserPromptSubmit",
  prompt: text,
});

Deno.test("match: a sample payload of each client's prompt event is answered with the keys that it accepts", async () => {
  await using tree = await makeTree({ ...SKILLS });
  const samples = [
    ["claude", prompt("please deploy it"), "UserPromptSubmit"],
    [
      "codex",
      { ...prompt("please deploy it"), model: "m", turn_id: "1" },
      "UserPromptSubmit",
    ],
    ["gemini", {
      session_id: "s",
      transcript_path: "/t",
      cwd: "/",
      hook_event_name: "BeforeAgent",
      timestamp: "2026-01-01T00:00:00Z",
      prompt: "please deploy it",
    }, "BeforeAgent"],
  ] as const;
  for (const [client, payload, event] of samples) {
    const ended = await ask(tree, payload, { client });
    assert.match(context(ended), /Skill: deploy\n\nDeploy with care\./);
    assert.deepEqual(Object.keys(JSON.parse(ended.stdout).hookSpecificOutput), [
      "hookEventName",
      "additionalContext",
    ]);
    assert.equal(
      JSON.parse(ended.stdout).hookSpecificOutput.hookEventName,
      event,
    );
  }
  for (const client of ["opencode", "text"]) {
    const { code, stdout } = await ask(tree, { prompt: "deploy", cwd: "/" }, {
      client,
    });
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^<EXTRA_INFO>\n[^{]*Deploy with care\.\n<\/EXTRA_INFO>\n$/,
    );
  }
  // Cursor: nothing can be added to a prompt.
  assert.deepEqual(
    await ask(tree, {
      conversation_id: "c",
      generation_id: "g",
      hook_event_name: "beforeSubmitPrompt",
      prompt: "deploy",
      attachments: [],
      workspace_roots: [tree.root],
    }, { client: "cursor" }),
    SILENT,
  );
});

Deno.test("match: a sample payload of each client's event after a tool brings up the rule for the touched file", async () => {
  await using tree = await makeTree({ ...SKILLS, "work/src/api/v1/a.ts": "" });
  const cwd = tree.path("work");
  const file = tree.path("work/src/api/v1/a.ts");
  const after = { session_id: "s", cwd, hook_event_name: "PostToolUse" };
  const claude = await ask(tree, {
    ...after,
    tool_name: "Edit",
    tool_input: { file_path: file, old_string: "a", new_string: "b" },
    tool_response: {},
    tool_use_id: "1",
  });
  assert.match(
    context(claude),
    /glob: src\/api\/\*\*\/\*\.ts\nSkill: api-rule/,
  );
  const patch =
    "*** Begin Patch\n*** Update File: src/api/v1/a.ts\n@@\n-a\n+b\n*** End Patch";
  const codex = await ask(tree, {
    ...after,
    tool_name: "apply_patch",
    tool_input: { command: patch },
  }, { client: "codex" });
  assert.match(context(codex), /Validate input\./);
  const gemini = await ask(tree, {
    ...after,
    hook_event_name: "AfterTool",
    tool_name: "replace",
    tool_input: { file_path: "src/api/v1/a.ts" },
  }, { client: "gemini" });
  assert.match(gemini.stdout, /"hookEventName":"AfterTool"/);
  const cursor = await ask(tree, {
    hook_event_name: "postToolUse",
    tool_name: "Write",
    tool_input: { file_path: file },
    workspace_roots: [cwd],
  }, { client: "cursor" });
  assert.deepEqual(Object.keys(JSON.parse(cursor.stdout)), [
    "additional_context",
  ]);
  const opencode = await ask(tree, { paths: [file], cwd }, {
    client: "opencode",
  });
  assert.match(opencode.stdout, /Validate input\./);
  // A file elsewhere, and words of a prompt event's other half.
  const outside = { ...after, tool_input: { file_path: "/etc/api/v1/a.ts" } };
  assert.deepEqual(await ask(tree, outside), SILENT);
});

Deno.test("match: without a match, and for whatever is no payload, nothing is printed and the exit code is 0", async () => {
  await using tree = await makeTree({ ...SKILLS });
  const payloads: (unknown)[] = [
    prompt("nothing of interest"),
    prompt("only by choice plain"),
    prompt(""),
    { ...prompt("deploy"), hook_event_name: "Stop" },
    "",
    "garbage {",
    "null",
    "[1]",
    '"deploy"',
    { prompt: { deploy: 1 }, tool_input: [["x"]] },
    `{"prompt":"deploy ${"x".repeat(1024 * 1024)}"}`,
  ];
  for (const payload of payloads) {
    assert.deepEqual(await ask(tree, payload), SILENT);
  }
});

Deno.test("match: mistakes of whoever set it up are told on stderr, with exit code 0 and nothing on stdout", async () => {
  await using tree = await makeTree({ ...SKILLS });
  for (
    const [args, word] of [
      [["--client", "nobody", "--stdin"], "usage: match --stdin"],
      [["--client", "claude"], "usage: match --stdin"],
      [["--stdin"], "usage: match --stdin"],
      [["--bogus"], "usage: match --stdin"],
      [["--stdin", "--client", "claude", "--skills", "~/x"], "leading ~"],
      [["--stdin", "--client", "claude", "--skill-dir", "{"], "not JSON"],
    ] as const
  ) {
    const ended = await skillfence(["match", ...WAIT, ...args], {
      stdin: JSON.stringify(prompt("deploy")),
    });
    assert.deepEqual([ended.code, ended.stdout], [0, ""], args.join(" "));
    assert.ok(ended.stderr.includes(word), ended.stderr);
  }
  const after = await skillfence(
    [
      "--skills",
      tree.path("skills"),
      "match",
      "--stdin",
      "--client",
      "text",
      ...WAIT,
    ],
    {
      stdin: '{"prompt":"deploy"}',
      env: { SKILLFENCE_CACHE_DIR: tree.path("cache") },
    },
  );
  assert.match(after.stdout, /Deploy with care/, "flags before the word");
});

Deno.test("match: exits 0 and prints nothing or what the client accepts, whatever the payload (property)", async () => {
  await using tree = await makeTree({ ...SKILLS });
  await ask(tree, prompt("deploy"));
  const member = fc.oneof(
    fc.constant("deploy"),
    fc.json().map((text) => JSON.parse(text)),
  );
  const payload = fc.record({
    hook_event_name: fc.constantFrom("UserPromptSubmit", "PostToolUse", "x", 1),
    prompt: member,
    cwd: member,
    workspace_roots: member,
    tool_input: member,
    paths: member,
  }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(payload, async (payload) => {
      const { code, stdout, stderr } = await ask(tree, payload);
      assert.deepEqual([code, stderr], [0, ""]);
      if (stdout === "") return;
      assert.deepEqual(Object.keys(JSON.parse(stdout)), ["hookSpecificOutput"]);
      assert.ok(stdout.length <= 8_000);
    }),
    { numRuns: 8 },
  );
});

Deno.test("match: at most 8,000 characters: what is too long is named, with the call that loads it", async () => {
  const body = "Much to say. ".repeat(700);
  await using tree = await makeTree({
    "skills/long/SKILL.md":
      `---\nname: long\ndescription: d\ntriggers: [deploy]\n---\n${body}`,
    "skills/user-only/SKILL.md":
      `---\nname: user-only\ndescription: d\ntriggers: [deploy]\ndisable-model-invocation: true\n---\n${body}`,
    "skills/zshort/SKILL.md":
      "---\nname: zshort\ndescription: d\ntriggers: [deploy]\n---\nShort.\n",
  });
  const ended = await ask(tree, prompt("deploy"));
  const text = context(ended);
  assert.ok(ended.stdout.length <= 8_000, String(ended.stdout.length));
  assert.match(
    text,
    /The skill "long" matches \(keyword "deploy"\)\. Call skill_load with name "long"/,
  );
  assert.match(
    text,
    /"user-only" matches .* Call skill_match with message "deploy"/,
  );
  assert.match(text, /Skill: zshort\n\nShort\./);
  for (let i = 0; i < 150; i++) {
    await tree.write({
      [`skills/many${i}/SKILL.md`]:
        `---\nname: many${i}\ndescription: d\ntriggers: [everywhere]\n---\n"\n`,
    });
  }
  const many = await ask(tree, prompt("everywhere"));
  assert.ok(many.stdout.length <= 8_000, String(many.stdout.length));
  assert.match(
    context(many),
    /\d+ more skills match; skill_match names them\.$/,
  );
});

Deno.test("match: a text is never rendered: its commands stand there, with their number", async () => {
  await using tree = await makeTree({
    "skills/dyn/SKILL.md":
      "---\nname: dyn\ndescription: d\ntriggers: [branch]\n---\nOn !`touch pwned` and !`id`, not \\!`this` or `!`.\n",
  });
  const text = context(await ask(tree, prompt("which branch")));
  assert.match(text, /On !`touch pwned` and !`id`, not/);
  assert.match(
    text,
    /\n2 commands in this text stand as they are: none was run/,
  );
});

Deno.test("match: what changes on disk counts at the next call: a text, a trigger, a skill that comes or goes", async () => {
  await using tree = await makeTree({ ...SKILLS });
  assert.match(context(await ask(tree, prompt("deploy"))), /with care/);
  await tree.write({
    "skills/deploy/SKILL.md": SKILLS["skills/deploy/SKILL.md"]
      .replace("with care", "at night"),
  });
  assert.match(context(await ask(tree, prompt("deploy"))), /at night/);
  await tree.write({
    "skills/deploy/SKILL.md":
      "---\nname: deploy\ndescription: d\ntriggers: [rollout]\n---\nNew.\n",
  });
  assert.deepEqual(await ask(tree, prompt("deploy")), SILENT);
  assert.match(context(await ask(tree, prompt("rollout"))), /New\./);
  await tree.write({
    "skills/later/SKILL.md":
      "---\nname: later\ndescription: d\ntriggers: [deploy]\n---\nLater.\n",
  });
  assert.match(context(await ask(tree, prompt("deploy"))), /Later\./);
  await Deno.remove(tree.path("skills/later"), { recursive: true });
  assert.deepEqual(await ask(tree, prompt("deploy")), SILENT);
});

Deno.test("match: a skill's file that leads elsewhere or is no file since the scan is not read", async () => {
  await using tree = await makeTree({
    ...SKILLS,
    "outside/secret": "outside-secret deploy",
  });
  await ask(tree, prompt("deploy"));
  const file = tree.path("skills/deploy/SKILL.md");
  await Deno.remove(file);
  await Deno.symlink(tree.path("outside/secret"), file);
  assert.ok(!(await ask(tree, prompt("deploy"))).stdout.includes("outside"));
  await Deno.remove(file);
  await new Deno.Command("mkfifo", { args: [file] }).output();
  assert.deepEqual(await ask(tree, prompt("deploy")), SILENT);
});

Deno.test("match: skills of the workspace that the client works in are matched, by --workspace others", async () => {
  const flat = (word: string) => `---\ntriggers: [build]\n---\n${word}\n`;
  await using tree = await makeTree({
    ...SKILLS,
    "one/.agents/skills/build.md": flat("one"),
    "two/.openhands/microagents/build.md": flat("two"),
    "none/x": "",
  });
  const build = (cwd: string) => ({ ...prompt("build it"), cwd });
  const one = context(await ask(tree, build(tree.path("one"))));
  assert.match(one, /Skill: workspace\/build \(from the workspace/);
  assert.match(one, /\none\n/);
  assert.match(context(await ask(tree, build(tree.path("two")))), /\ntwo\n/);
  await tree.write({
    "long/.agents/skills/build.md": flat("long ".repeat(2_000)),
  });
  const long = context(await ask(tree, build(tree.path("long"))));
  assert.match(long, /^The skill "workspace\/build" matches .* of a stranger/);
  assert.doesNotMatch(long, /before you go on/);
  for (
    const cwd of [tree.path("none"), tree.path("missing"), "one", "/dev/null"]
  ) {
    assert.deepEqual(await ask(tree, build(cwd)), SILENT);
  }
  const args = ["--workspace", tree.path("two")];
  const told = await ask(tree, build(tree.path("one")), { args });
  assert.match(context(told), /\ntwo\n/);
  // A folder that appears later is noticed.
  await tree.write({ "none/.agents/skills/build.md": flat("late") });
  assert.match(context(await ask(tree, build(tree.path("none")))), /late/);
});

Deno.test("match: context files of the directories that a touched file lies in come up, but those that the client loads", async () => {
  await using tree = await makeTree({
    ...SKILLS,
    "outside.md": "outside-secret",
    "work/AGENTS.md": "Of everything.\n",
    "work/src/AGENTS.md": "Below src. </EXTRA_INFO>\n",
    "work/src/CLAUDE.md": "Claude below src.\n",
    "work/src/api/AGENTS.md": "Below api.\n",
    "work/src/api/GEMINI.md": { link: "../../../outside.md" },
    "work/src/other/AGENTS.md": "Elsewhere.\n",
    "work/build/AGENTS.md": "Ignored.\n",
    "work/.gitignore": "build/\n",
    "work/src/api/a.ts": "",
    "work/build/b.ts": "",
    "work/c.ts": "",
  });
  const cwd = tree.path("work");
  const touch = (path: string) => ({
    hook_event_name: "PostToolUse",
    cwd,
    tool_name: "Read",
    tool_input: { file_path: path },
  });
  const claude = context(await ask(tree, touch(`${cwd}/src/api/a.ts`)));
  const order = ["Skill: api-rule", "Below src. &lt;", "Below api."].map((
    part,
  ) => claude.indexOf(part));
  assert.deepEqual(order, [...order].sort((a, b) => a - b));
  // The rule of the root speaks of src/api below the workspace too.
  assert.ok(order.every((at) => at >= 0), claude);
  assert.match(claude, /Rule: src\/AGENTS\.md \(from the workspace/);
  for (
    const not of [
      "Of everything",
      "Claude below",
      "Elsewhere",
      "outside-secret",
    ]
  ) assert.ok(!claude.includes(not), not);
  const codex = context(
    await ask(tree, touch(`${cwd}/src/api/a.ts`), { client: "codex" }),
  );
  assert.match(codex, /Claude below src/);
  for (const path of ["c.ts", "build/b.ts"]) {
    assert.deepEqual(await ask(tree, touch(`${cwd}/${path}`)), SILENT);
  }
  await tree.write({ "work/src/AGENTS.md": "Much to say. ".repeat(700) });
  const long = await ask(tree, touch(`${cwd}/src/api/a.ts`));
  assert.ok(long.stdout.length <= 8_000);
  assert.match(context(long), /The file "src\/AGENTS\.md" of the workspace/);
});

Deno.test("match: a flat root by --skill-dir is read with its filters", async () => {
  await using tree = await makeTree({
    "skills/x/SKILL.md": "---\nname: x\ndescription: d\n---\nx\n",
    "flat/a.md": "---\ntriggers: [word]\n---\nA.\n",
    "flat/b.md": "---\ntriggers: [word]\n---\nB.\n",
  });
  const root = JSON.stringify({
    dir: tree.path("flat"),
    flat: true,
    ignore: ["b"],
  });
  const text = context(
    await ask(tree, prompt("word"), { args: ["--skill-dir", root] }),
  );
  assert.match(text, /A\./);
  assert.doesNotMatch(text, /B\./);
});

Deno.test("match: an index that somebody else could have written is not used", async () => {
  await using tree = await makeTree({ ...SKILLS });
  await ask(tree, prompt("deploy"));
  const [index] = [...Deno.readDirSync(tree.path("cache/match"))];
  assert.match(index!.name, /^[0-9a-f]{64}\.json$/);
  const path = tree.path("cache/match", index!.name);
  assert.equal(
    (await Deno.lstat(tree.path("cache/match"))).mode! & 0o777,
    0o700,
  );
  assert.equal((await Deno.lstat(path)).mode! & 0o777, 0o600);
  assert.ok(!(await Deno.readTextFile(path)).includes("with care"));
  await Deno.chmod(tree.path("cache/match"), 0o777);
  assert.deepEqual(
    await ask(tree, prompt("deploy"), { within: ["--within", "3000"] }),
    SILENT,
  );
});

Deno.test("match: a broken index is made again", async () => {
  await using tree = await makeTree({ ...SKILLS });
  await ask(tree, prompt("deploy"));
  const [index] = [...Deno.readDirSync(tree.path("cache/match"))];
  for (const text of ["", "{", "[]", '{"skills":1}']) {
    await Deno.writeTextFile(tree.path("cache/match", index!.name), text);
    assert.match(context(await ask(tree, prompt("deploy"))), /with care/);
  }
});

Deno.test("match: standard input that never ends, or is closed, ends in silence by the deadline", async () => {
  await using tree = await makeTree({ ...SKILLS });
  const start = (stdin: "piped" | "null") =>
    new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "--no-prompt", MAIN, "match", "--stdin"],
        ...["--client", "claude", "--skills", tree.path("skills")],
      ],
      env: { SKILLFENCE_CACHE_DIR: tree.path("cache") },
      stdin,
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  for (const stdin of ["piped", "null"] as const) {
    await using child = start(stdin);
    // A test that hangs tells nothing.
    const tooLong = setTimeout(() => child.kill("SIGKILL"), 20_000);
    // Half a payload, and the pipe stays open until the process has ended.
    const writer = stdin === "piped" ? child.stdin.getWriter() : undefined;
    await writer?.write(new TextEncoder().encode('{"prompt":"deploy"'));
    const [{ code }, stdout] = await Promise.all([
      child.status,
      new Response(child.stdout).text(),
      child.stderr.cancel(),
    ]);
    clearTimeout(tooLong);
    await writer?.close().catch(() => {});
    assert.deepEqual([code, stdout], [0, ""]);
  }
  const closed = await new Deno.Command("sh", {
    args: [
      "-c",
      `"$0" run -A --no-prompt "$1" match --stdin --client claude <&- 2>&-`,
      Deno.execPath(),
      MAIN,
    ],
  }).output();
  assert.deepEqual([closed.code, closed.stdout.length], [0, 0]);
});

Deno.test("match: over 1,000 skills, patterns made to take long among them, an answer is whole or nothing at the usual bound", async () => {
  const bombs = JSON.stringify(
    Array.from({ length: 15 }, (_, n) => `re:(x?){240}y${n}`),
  );
  await using tree = await makeTree({
    ...Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [
        `skills/s${n}/SKILL.md`,
        `---\nname: s${n}\ndescription: d\ntriggers: [word${n}]\n---\nText ${n}.\n`,
      ]),
    ),
    "work/.agents/skills/bombs.md": `---\ntriggers: ${bombs}\n---\nBombs.\n`,
  });
  const payload = {
    ...prompt(`about word7 ${"x".repeat(200_000)}`),
    cwd: tree.path("work"),
  };
  const whole = context(await ask(tree, payload));
  assert.match(
    whole,
    /^<EXTRA_INFO>[^]*Skill: s7\n\nText 7\.\n<\/EXTRA_INFO>$/,
  );
  for (let i = 0; i < 5; i++) {
    const ended = await ask(tree, payload, { within: [] });
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    if (ended.stdout !== "") assert.equal(context(ended), whole);
  }
});

Deno.test("match: roots that take too long are left to a process of their own, which the deadline does not wait for", async () => {
  await using tree = await makeTree({ ...SKILLS });
  await new Deno.Command("mkfifo", {
    args: [tree.path("skills/pipe.md"), tree.path("skills/plain/x")],
  }).output();
  for (let i = 0; i < 3_000; i++) {
    Deno.mkdirSync(tree.path("skills", `d${i}`));
  }
  const first = await ask(tree, prompt("deploy"), {
    within: ["--within", "1"],
  });
  assert.deepEqual(first, SILENT);
  const ended = await ask(tree, prompt("deploy"), {
    within: ["--within", "600"],
  });
  assert.deepEqual([ended.code, ended.stderr], [0, ""]);
  // Nobody asks meanwhile; the index comes all the same.
  const made = () => {
    try {
      return [...Deno.readDirSync(join(tree.root, "cache/match"))].some((
        { name },
      ) => name.endsWith(".json"));
    } catch {
      return false;
    }
  };
  await until(made);
  assert.match(context(await ask(tree, prompt("deploy"))), /with care/);
});
