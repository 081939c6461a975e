/** What a renderer decides before anything is started. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { countCommands, createRenderer } from "../../src/context/render.ts";
import type { RendererDeps } from "../../src/context/render.ts";
import { refuse } from "../../src/base/refusal.ts";
import { readRenderGrant } from "../../src/grant/parse_render.ts";
import { skillAt } from "../fence/plan_fixture.ts";
import { makeTree } from "../support/tree.ts";
import { makeRenderScene } from "./render_scene.ts";

const SIGNAL = new AbortController().signal;

/** Runs of which each only tells that it was asked for. */
function asked(): { runs: RendererDeps["runs"]; seen: string[] } {
  const seen: string[] = [];
  const no = (what: string) => () => {
    seen.push(what);
    return Promise.resolve(refuse("PREFLIGHT", `asked for ${what}`, ""));
  };
  const runs = {
    bundleDigest: no("digest"),
    prepareScript: no("script"),
    runScript: no("run"),
    prepareHost: no("host"),
    runHost: no("run"),
  };
  return { runs, seen };
}

Deno.test("render: no declaration, no row of MCP_SKILL_RUN and no default starts anything", async () => {
  for (const grant of [undefined, [{ skill: "demo", script: "a.mjs" }]]) {
    await using scene = await makeRenderScene({
      mode: "off",
      files: {
        "SKILL.md":
          "---\nname: demo\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - script: a.mjs\n      interpreter: deno\n---\nB.\n",
        "a.mjs": "console.log('it ran')",
      },
      ...grant === undefined ? {} : { grant },
    });
    const { text, commands } = await scene.render("!`a.mjs` !`git status`");
    assert.doesNotMatch(text, /it ran/);
    assert.deepEqual(commands.map(({ outcome }) => outcome), [
      "not-granted",
      "not-granted",
    ]);
    assert.match(text, /^\[Error: command `a\.mjs` is not granted: .*check/);
  }
});

Deno.test("render: only a granted command gets as far as being prepared", async () => {
  await using tree = await makeTree({ "demo/SKILL.md": "x", "demo/a.mjs": "" });
  const skill = skillAt(tree.path("demo"));
  const { runs, seen } = asked();
  const { render, offered } = createRenderer({
    grant: readRenderGrant(
      '[{"skill":"demo","command":["a.mjs","b c"]},{"skill":"demo","command":["git","status"]},{"skill":"other","command":["ls"]}]',
    ),
    workspaces: () => Promise.resolve([]),
    runs,
  });
  const text =
    "!`a.mjs 'b c'` !`a.mjs b c` !`ls` !`git status | sh` !`git status` \\!`ls`";
  const rows = await offered(skill, text);
  assert.deepEqual(seen, []);
  assert.deepEqual(rows.map(({ granted }) => granted), [
    ...[true, false, false, false, true],
  ]);
  assert.equal(rows[2]?.row, '{"skill":"demo","command":["ls"]}');
  assert.equal(rows[3]?.row, undefined);
  const { text: put, commands } = await render({ skill, text, signal: SIGNAL });
  assert.deepEqual(seen, ["script", "host"]);
  assert.deepEqual(commands.map(({ outcome }) => outcome), [
    ...["refused", "not-granted", "not-granted", "refused", "refused"],
  ]);
  assert.match(put, /"\|" would be a pipe.* !`ls`$/);
});

Deno.test("render: a word with a path, a shell script and a stranger's file start nothing", async () => {
  await using tree = await makeTree({
    "demo/SKILL.md": "x",
    "demo/a.sh": "",
    "other.mjs": "",
  });
  const skill = skillAt(tree.path("demo"));
  const { runs, seen } = asked();
  const commands = [["/bin/ls"], ["../other.mjs"], ["./a.sh"], ["b/c.mjs"]];
  const { render } = createRenderer({
    grant: readRenderGrant(
      JSON.stringify(commands.map((command) => ({ skill: "demo", command }))),
    ),
    workspaces: () => Promise.resolve([]),
    runs,
  });
  const text = commands.map(([word]) => `!\`${word}\``).join(" ");
  const rendered = await render({ skill, text, signal: SIGNAL });
  assert.deepEqual(
    rendered.commands.map(({ outcome }) => outcome),
    commands.map(() => "refused"),
  );
  assert.deepEqual(seen, []);
});

Deno.test("render: at most twenty commands of a text are looked at", async () => {
  await using tree = await makeTree({ "demo/SKILL.md": "x" });
  const { runs, seen } = asked();
  const { render } = createRenderer({
    grant: readRenderGrant('[{"skill":"demo","command":["git","status"]}]'),
    workspaces: () => Promise.resolve([]),
    runs,
  });
  const text = "!`git status`\n".repeat(22);
  const skill = skillAt(tree.path("demo"));
  const { commands } = await render({ skill, text, signal: SIGNAL });
  assert.equal(seen.length, 20);
  assert.deepEqual(commands.slice(19).map(({ outcome }) => outcome), [
    ...["refused", "limit", "limit"],
  ]);
});

Deno.test("render: a text has thirty seconds, and what is left then is not run", async () => {
  await using tree = await makeTree({ "demo/SKILL.md": "x" });
  const { runs, seen } = asked();
  const { render } = createRenderer({
    grant: readRenderGrant('[{"skill":"demo","command":["git","status"]}]'),
    workspaces: () => Promise.resolve([]),
    runs,
  });
  const { timeout } = AbortSignal;
  const over = new AbortController();
  const asks: number[] = [];
  AbortSignal.timeout = (ms) => {
    asks.push(ms);
    return over.signal;
  };
  const skill = skillAt(tree.path("demo"));
  const text = "!`git status` !`git status`";
  try {
    over.abort();
    const { commands } = await render({ skill, text, signal: SIGNAL });
    assert.deepEqual(asks, [30_000]);
    assert.deepEqual(commands.map(({ outcome }) => outcome), [
      ...["limit", "limit"],
    ]);
    assert.deepEqual(seen, []);
  } finally {
    AbortSignal.timeout = timeout;
  }
});

Deno.test("render: what stands between commands goes through `literal`, commands do not", async () => {
  await using tree = await makeTree({ "demo/SKILL.md": "x" });
  const { render } = createRenderer({
    grant: { rows: [], notes: [] },
    workspaces: () => Promise.resolve([]),
    runs: asked().runs,
  });
  const { text, commands } = await render({
    skill: skillAt(tree.path("demo")),
    text: "${a} !`x 'a'` ${a} \\!`${a}`",
    literal: (part) => part.replaceAll("${a}", "!`git status`"),
    signal: SIGNAL,
  });
  assert.deepEqual(commands.map(({ text }) => text), ["x 'a'"]);
  assert.match(text, /^!`git status` \[Error: .*\] !`git status` !`!`git/);
});

Deno.test("render: a text that cannot be read as Markdown is delivered with a reason", async () => {
  await using tree = await makeTree({ "demo/SKILL.md": "x" });
  const { render } = createRenderer({
    grant: { rows: [], notes: [] },
    workspaces: () => Promise.resolve([]),
    runs: asked().runs,
  });
  const text = `${"a ".repeat(40_000)}!\`ls\``;
  const skill = skillAt(tree.path("demo"));
  const rendered = await render({ skill, text, signal: SIGNAL });
  assert.equal(rendered.text, text);
  assert.match(rendered.commands[0]?.why ?? "", /no command was looked for/);
  assert.equal(await countCommands("!`a` `b` !`c`"), 2);
});

Deno.test("render: what ran is written to the audit log", async () => {
  await using logs = await makeTree({});
  const path = join(logs.root, "audit.jsonl");
  {
    await using scene = await makeRenderScene({
      mode: "off",
      files: { "a.mjs": "console.log(1)" },
      rows: [["a.mjs", "secret argument"]],
      env: { SKILLFENCE_AUDIT_LOG: path },
    });
    const { text } = await scene.render("!`a.mjs 'secret argument'` !`b`");
    assert.match(text, /^`1` /);
  }
  const lines = (await Deno.readTextFile(path)).trim().split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, 1);
  const [{ event, skill, script, outcome, planDigest }] = lines;
  assert.deepEqual([event, skill, script], ["render", "demo", "a.mjs"]);
  assert.equal(outcome.exitCode, 0);
  assert.match(planDigest, /^sha256:/);
  assert.doesNotMatch(JSON.stringify(lines), /secret argument/);
});
