/** What the documents say, held against the code. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import metadata from "../../deno.json" with { type: "json" };
import { accepted } from "../../src/config/variable_kinds.ts";
import { VARIABLES } from "../../src/config/variables.ts";
import { INTERPRETER_NAMES } from "../../src/fence/interpreters.ts";
import { skillfence } from "./command.ts";

const ROOT = join(import.meta.dirname!, "..", "..");
const read = (path: string) => Deno.readTextFileSync(join(ROOT, path));
const README = read("README.md");

/** Cells of the table whose head begins with `first`, code marks removed. */
function tableRows(text: string, first: string): string[][] {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => line.startsWith(`| ${first} `));
  assert.ok(head >= 0, `no table begins with ${first}`);
  const end = lines.findIndex((line, i) => i > head && !line.startsWith("|"));
  return lines.slice(head + 2, end).map((line) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("`", ""))
  );
}

function markdownFiles(dir = ""): string[] {
  return [...Deno.readDirSync(join(ROOT, dir))].flatMap((entry) => {
    const path = dir === "" ? entry.name : `${dir}/${entry.name}`;
    if (entry.isDirectory) {
      return dir === "" && !["docs", "skills"].includes(entry.name)
        ? []
        : markdownFiles(path);
    }
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

Deno.test("README: the configuration table is the program's own", () => {
  assert.deepEqual(
    tableRows(README, "variable"),
    VARIABLES.map((
      row,
    ) => [row.name, row.meaning, accepted(row.kind), row.fallback]),
  );
});

Deno.test("README: the tools are the served ones, in their order", async () => {
  const messages = [
    {
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    },
    { id: 2, method: "tools/list" },
  ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  const { stdout } = await skillfence([], { stdin: messages.join("") });
  const answers = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const tools: { name: string }[] =
    answers.find(({ id }) => id === 2).result.tools;
  assert.deepEqual(
    tableRows(README, "tool").map(([name]) => name),
    tools.map(({ name }) => name),
  );
});

Deno.test("README: names every package that the program imports, and its commands exist", () => {
  const runtime = Object.keys(metadata.imports)
    .map((name) => name.replace(/\/(stdio|ext\/skills)?$/, ""))
    .filter((name) =>
      ![
        "@modelcontextprotocol/sdk",
        "fast-check",
        "dockerfile-utils",
      ].includes(name)
    );
  const named = tableRows(README, "package").map(([name]) => name);
  assert.deepEqual(named.sort(), [...new Set(runtime)].sort());
  for (const text of [README, read("CONTRIBUTING.md")]) {
    for (
      const [, task] of text.matchAll(/(?:deno@2\.9\.6|^deno) task (\w+)/gm)
    ) {
      assert.ok(task! in metadata.tasks, task);
    }
  }
});

Deno.test("README: the declaration block is read without a finding", async () => {
  const { readSkillDocument } = await import("../../src/skill/document.ts");
  for (
    const path of [
      "README.md",
      "docs/skills.md",
      "skills/skill-author/SKILL.md",
    ]
  ) {
    const blocks = [...read(path).matchAll(/```yaml\n([\s\S]*?)```/g)]
      .map(([, block]) =>
        block!.startsWith("---") ? block! : `---\ndescription: d\n${block}---\n`
      );
    assert.ok(blocks.length > 0, path);
    for (const block of blocks) {
      const document = readSkillDocument(new TextEncoder().encode(block));
      assert.deepEqual(document.findings, [], path);
      assert.equal(document.declaration.scripts.length, 1);
    }
  }
});

Deno.test("README and grant.md: the grant is read without a complaint about its form", async () => {
  const { readGrant } = await import("../../src/grant/parse_grant.ts");
  for (const path of ["README.md", "docs/grant.md"]) {
    const [, block] = /```json\n(\[[\s\S]*?\])\n```/.exec(read(path))!;
    const grant = readGrant(
      block!.replace("sha256:…", `sha256:${"0".repeat(64)}`),
      false,
    );
    assert.equal(grant.rows.length, 1, path);
    assert.deepEqual(grant.notes, [], path);
  }
});

Deno.test("README: the client's configuration starts a server that grants one script", async () => {
  const [, block] = /```json\n(\{[\s\S]*?"mcpServers"[\s\S]*?)```/.exec(
    README,
  )!;
  const { args, env } = JSON.parse(block!).mcpServers.skills;
  const skills = join(ROOT, "skills");
  const { code, stdout } = await skillfence(
    [
      "list",
      "--json",
      ...args.map((arg: string) => arg.startsWith("/") ? skills : arg),
    ],
    { env },
  );
  assert.equal(code, 0);
  const { skills: listed } = JSON.parse(stdout);
  const runnable = listed.filter(({ scripts }: { scripts: unknown[] }) =>
    scripts.length > 0
  );
  assert.deepEqual(runnable.map(({ name }: { name: string }) => name), [
    "text-stats",
  ]);
});

Deno.test("problems.md: lists exactly the reasons that the code gives", () => {
  const documented = [
    ...read("docs/reference/problems.md").matchAll(/^\| `([a-z0-9-]+)` /gm),
  ].map(([, reason]) => reason!);
  const given = new Set<string>();
  for (
    const room of [
      "skill",
      "catalog",
      "prompt",
      "grant",
      "fence",
      "context",
      "upstream",
      "server",
      "server/prompts",
    ]
  ) {
    for (const { name } of Deno.readDirSync(join(ROOT, "src", room))) {
      if (!name.endsWith(".ts")) continue;
      for (const reason of reasonsIn(read(`src/${room}/${name}`))) {
        given.add(reason);
      }
    }
  }
  assert.deepEqual([...documented].sort(), [...given].sort());
});

Deno.test("problems.md: lists exactly the codes of refusals", () => {
  const documented = [
    ...read("docs/reference/problems.md").matchAll(/^\| `([A-Z_]+)` /gm),
  ].map(([, code]) => code!);
  const given = [
    ...read("src/base/refusal.ts").matchAll(/^ {2}\| "([A-Z_]+)"/gm),
  ]
    .map(([, code]) => code!);
  assert.ok(given.length > 20);
  assert.deepEqual(documented.sort(), given.sort());
});

/** `reason: "x"`, and the first kebab-case argument of a reporting call. */
function reasonsIn(source: string): string[] {
  const patterns = [
    /\breason: "([a-z0-9-]+)"/g,
    /\bnew Findings\(\s*"([a-z0-9-]+)"/g,
    /(?:\brefused|#report|\breport|\bnote|#note|#add)\([^()]*?"([a-z]+(?:-[a-z0-9]+)+)"/g,
  ];
  return patterns.flatMap((pattern) =>
    [...source.matchAll(pattern)].map((match) => match[1]!)
  );
}

Deno.test("skills.md: names the interpreters that there are", () => {
  const row = read("docs/skills.md").split("\n").find((line) =>
    line.startsWith("| `run[].interpreter`")
  )!;
  for (const name of INTERPRETER_NAMES) {
    assert.ok(row.includes(`\`${name}\``), name);
  }
});

Deno.test("docs: every link leads to a file, every anchor to a heading", () => {
  for (const path of markdownFiles()) {
    for (const [, target] of read(path).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target!)) continue;
      const [file, anchor] = target!.split("#");
      const linked = file === "" ? path : join(dirname(path), file!);
      const info = Deno.statSync(join(ROOT, linked));
      if (anchor === undefined || info.isDirectory) continue;
      const anchors = [...read(linked).matchAll(/^#+ (.*)$/gm)].map((
        [, heading],
      ) =>
        heading!.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-")
      );
      assert.ok(anchors.includes(anchor), `${path}: ${target}`);
    }
  }
});

Deno.test("cli.md: its synopsis names every option that the help names", async () => {
  const [, synopsis] = /```\n([\s\S]*?)```/.exec(
    read("docs/reference/cli.md"),
  )!;
  for (
    const command of [
      ...["serve", "list", "check", "run", "doctor", "hook", "match", "audit"],
    ]
  ) {
    const { stdout } = await skillfence([command, "--help"]);
    for (const [option] of stdout.matchAll(/--[a-z-]+(?= )/g)) {
      assert.ok(synopsis!.includes(option), `${command} ${option}`);
    }
  }
});
