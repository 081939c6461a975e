/**
 * A conversation of twelve turns over a workspace and a root with skills of
 * every kind: what comes up at each, and what does not.
 */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  connect,
  type Json,
  LINES,
  processTest,
  type TestClient,
} from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";

/** A SKILL.md or flat file with this frontmatter, one line each. */
function skill(name: string, ...lines: readonly string[]): string {
  const head = [`name: ${name}`, `description: About ${name}.`, ...lines];
  return `---\n${head.join("\n")}\n---\nText of ${name}.\n`;
}

const ROOT: Readonly<Record<string, string>> = {
  // Keywords, in both spellings.
  "git/SKILL.md": skill("git", "triggers: [git]"),
  "linear/SKILL.md": skill("linear", "triggers: [/linear]"),
  "cpp/SKILL.md": skill("cpp", 'triggers: ["c++"]'),
  "k8s/SKILL.md": skill(
    "k8s",
    'trigger: { type: keyword, keywords: ["kubernetes", "k8s"] }',
  ),
  "database/SKILL.md": skill("database", "triggers: [数据库]"),
  "cafe/SKILL.md": skill("cafe", "triggers: [café]"),
  "pull-request/SKILL.md": skill("pull-request", "triggers: [pull request]"),
  "review/SKILL.md": skill("review", "triggers: [/review]"),
  "todo/SKILL.md": skill("todo", "triggers: [todo]", "in-code: true"),
  "jira/SKILL.md": skill("jira", "triggers: ['re:\\bJIRA-[0-9]+\\b']"),
  "styled/SKILL.md": skill(
    "styled",
    "triggers: [styled]",
    "references: [../shared/style.md]",
  ),
  "shared/style.md": "The style itself.\n",
  // Tasks.
  "deploy/SKILL.md": skill(
    "deploy",
    "inputs: [{ name: where, description: Which machine, required: true }]",
  ) + "To ${where}.\n",
  "release/SKILL.md": skill(
    "release",
    "trigger: { type: task, triggers: [cut a release] }",
  ),
  // Rules.
  "typescript/SKILL.md": skill(
    "typescript",
    'paths: ["src/**/*.ts", "!**/*.test.ts"]',
  ),
  "docs-rule/SKILL.md": skill("docs-rule", "paths: docs/"),
  // Hidden, chosen, rendered, with a server.
  "quiet/SKILL.md": skill(
    "quiet",
    "triggers: [hush]",
    "disable-model-invocation: true",
  ),
  "plain/SKILL.md": skill("plain", "trigger: null"),
  "other/SKILL.md": skill("other"),
  "dated/SKILL.md": skill("dated") + "Says: !`scripts/say.mjs`.\n",
  "dated/scripts/say.mjs": "console.log('rendered words');\n",
  "served/SKILL.md": skill(
    "served",
    "mcp_tools: { mcpServers: { files: { command: npx, args: [-y, x] } } }",
  ),
};

/** Single files of a directory that the owner chose. */
const FLAT: Readonly<Record<string, string>> = {
  "flat/tip.md": skill("tip", "triggers: [tip]"),
  "flat/nested/hint.md": skill(
    "hint",
    "trigger: { type: path, paths: [Makefile] }",
  ),
  "flat/manner.md": "Manner: no hurry.\n",
  "flat/README.md": "About these files.\n",
};

const WORK: Readonly<Record<string, string>> = {
  ".agents/skills/house.md": skill("house", "triggers: [house]"),
  ".agents/skills/always.md": "Always: be brief.\n",
  ".agents/skills/rule.md": skill("rule", 'paths: ["*.ts"]'),
  ".agents/skills/nested/deep.md": skill("deep", "triggers: [deep]"),
  ".agents/skills/own/SKILL.md": skill("own", "triggers: [own words]"),
  ".agents/skills/ask.md": skill("ask", "inputs: [{ name: q }]"),
  ".openhands/skills/house.md": skill("house", "triggers: [house]") +
    "Shadowed.\n",
  ".openhands/skills/second.md": skill("second", "triggers: [second]"),
  ".openhands/microagents/repo.md": "Repository: use tabs.\n",
  ".openhands/microagents/third.md": skill("third", "triggers: [third]"),
  "AGENTS.md": "Project: say please.\n",
  "src/AGENTS.md": "Below src: no globals.\n",
  "src/app.ts": "",
  "src/app.test.ts": "",
};

interface Turn {
  readonly report: Json;
  /** Names of what came up, in order. */
  readonly up: readonly string[];
  readonly blocks: readonly string[];
}

async function turn(client: TestClient, args: Json): Promise<Turn> {
  const { text, isError } = await client.call("skill_match", args);
  equal(isError, false, text[0]);
  const report = JSON.parse(text[0]!);
  const up = report.hits.map(({ skill, file }: Json) => skill ?? file);
  // Every text in one block that says what it is and that nothing ends early.
  for (const { block } of report.hits) {
    if (block === undefined) continue;
    match(text[block]!, /^<EXTRA_INFO>\n[^]*\n<\/EXTRA_INFO>$/);
  }
  return { report, up, blocks: text };
}

async function say(client: TestClient, message: string): Promise<Turn> {
  return await turn(client, { message });
}

for (const line of LINES) {
  Deno.test({
    name:
      `a conversation of 12 turns (${line}): what comes up at each, and what does not`,
    ...processTest,
    async fn() {
      await using root = await makeTree(ROOT);
      await using flat = await makeTree(FLAT);
      await using work = await makeTree(WORK);
      await using client = await connect(line, {
        args: [
          ...["--skills", root.root, "--workspace", work.root],
          "--skill-dir",
          JSON.stringify({ dir: flat.path("flat"), flat: true }),
        ],
        env: {
          SKILLFENCE_OS_FENCE: "off",
          MCP_SKILL_RENDER: JSON.stringify([
            { skill: "dated", command: ["scripts/say.mjs"] },
          ]),
        },
      });

      // 1: nothing comes up; what holds everywhere is named all the same.
      const hello = await say(client, "Hello, can you help me?");
      deepEqual(hello.up, []);
      equal(hello.report.context.uri, "skillfence://context");

      // 2: a keyword, whatever its case.
      const git = await say(client, "Run GIT status, please");
      deepEqual(git.up, ["git"]);
      deepEqual(git.report.hits[0].at, {
        in: "message",
        offset: 4,
        text: "GIT",
      });

      // 3: parts of words, paths and plain prose bring nothing.
      const words = await say(
        client,
        "A digit in github; a linear function in src/linear.py",
      );
      deepEqual(words.up, []);
      ok(words.report.near.some(({ skill }: Json) => skill === "git"));

      // 4: signs, another script, accents.
      deepEqual((await say(client, "C++ 的数据库 im CAFÉ")).up, [
        "cafe",
        "cpp",
        "database",
      ]);
      deepEqual((await say(client, "c++today in a cafe")).up, []);

      // 5: code counts only where its author asks.
      deepEqual(
        (await say(client, "See `git` and `todo`:\n```\nkubernetes\n```\n")).up,
        ["todo"],
      );

      // 6: slash words first; white space in a phrase may be any.
      deepEqual((await say(client, "/review this pull\n request")).up, [
        "review",
        "pull-request",
      ]);

      // 7: a task, by its own name; then loaded with what the user said.
      const deploy = await say(client, "/deploy it and cut a release");
      deepEqual(deploy.up, ["deploy", "release"]);
      deepEqual(deploy.report.hits[0].inputs, [
        { name: "where", required: true },
      ]);
      match(deploy.blocks[1]!, /To \$\{where\}/);
      const missing = await client.call("skill_load", { name: "deploy" });
      match(missing.text[0]!, /INPUT_MISSING.*where \(Which machine\)/);
      const told = await client.call("skill_load", {
        name: "deploy",
        inputs: { where: "staging" },
      });
      match(told.text[0]!, /To staging\./);

      // 8: a regular expression, and a map of keywords.
      deepEqual((await say(client, "JIRA-42 broke our k8s")).up, [
        "jira",
        "k8s",
      ]);
      deepEqual((await say(client, "XJIRA-42, JIRA-x")).up, []);

      // 9: a file: rules of the root, of the workspace, of its directory.
      const touched = await turn(client, { paths: ["src/app.ts"] });
      deepEqual(touched.up, [
        "typescript",
        "workspace/rule",
        "src/AGENTS.md",
      ]);
      deepEqual(
        touched.report.hits.map(({ untrusted }: Json) => untrusted === true),
        [false, true, true],
      );
      const test = await turn(client, {
        paths: ["src/app.test.ts", "docs/a/b.md", "/etc/passwd"],
      });
      deepEqual(test.up, ["docs-rule", "workspace/rule", "src/AGENTS.md"]);
      equal(test.report.refusedPaths[0].path, "/etc/passwd");

      // 10: what the caller has is named and not repeated.
      const exclude = touched.report.hits.map((
        { skill, file, digest }: Json,
      ) => `${skill ?? file}@${digest}`);
      const again = await turn(client, { paths: ["src/app.ts"], exclude });
      deepEqual(again.up, touched.up);
      equal(again.blocks.length, 1);

      // 11: a hidden skill comes by its word, and by nothing else.
      deepEqual((await say(client, "hush")).up, ["quiet"]);
      const refused = await client.call("skill_load", { name: "quiet" });
      match(refused.text[0]!, /NOT_FOR_MODELS/);

      // 12: single files; the workspace's own, the first of a name; and what
      // is always on.
      const own = await turn(client, {
        message: "own words: house, deep, second, third, tip",
        paths: ["sub/Makefile"],
      });
      deepEqual(own.up, [
        "tip",
        "workspace/house",
        "workspace/nested/deep",
        "workspace/own",
        "workspace/second",
        "workspace/third",
        "nested/hint",
      ]);
      ok(!own.blocks.join().includes("Shadowed"));
      const context = await client.call("skill_file", {
        path: "skillfence://context",
      });
      for (const text of ["say please", "be brief", "use tabs", "no hurry"]) {
        match(context.text[1]!, new RegExp(`<UNTRUSTED_CONTENT>[^<]*${text}`));
      }

      await afterwards(client);
    },
  });
}

/** What was chosen and not brought, and what never showed. */
async function afterwards(client: TestClient): Promise<void> {
  const names = async (args: Json) =>
    (await client.call("skill_list", args)).structured.skills
      .map(({ name }: Json) => name);
  const listed = await names({});
  for (const name of ["plain", "other", "dated", "served", "workspace/ask"]) {
    ok(listed.includes(name), name);
  }
  const hidden = await names({ hidden: true });
  deepEqual(hidden, [
    "docs-rule",
    "manner",
    "nested/hint",
    "quiet",
    "typescript",
    "workspace/always",
    "workspace/repo",
    "workspace/rule",
  ]);
  ok(!listed.includes("quiet") && !listed.includes("workspace/always"));
  ok(listed.length + hidden.length >= 30);
  const dated = await client.call("skill_load", { name: "dated" });
  match(dated.text[0]!, /Says: [^]*rendered words/);
  const served = JSON.parse(
    (await client.call("skill_load", { name: "served" })).text[1]!,
  );
  equal(served.mcpServers[0].state, "not-granted");
  const bundled = await turn(client, { message: "styled", bundle: true });
  match(bundled.blocks[2]!, /The style itself/);
  ok(!client.instructions!.includes("say please"));
}
