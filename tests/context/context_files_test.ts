import assert from "node:assert/strict";
import { findContextFiles, rulesFor } from "../../src/context/context_files.ts";
import type { ContextFiles } from "../../src/context/types.ts";
import { makeTree } from "../support/tree.ts";

const paths = ({ files }: ContextFiles) => files.map(({ path }) => path);
const why = (left: ContextFiles["skipped"]) =>
  Object.fromEntries(left.map(({ path, why }) => [path, why]));

Deno.test("context files, row 76: the root's AGENTS.md speaks of everything, server/AGENTS.md of server/", async () => {
  await using tree = await makeTree({
    "AGENTS.md": "root",
    "server/AGENTS.md": "server",
  });
  const { files } = await findContextFiles([tree.root], {});
  assert.deepEqual(
    files.map(({ path, scope, text }) => [path, scope, text]),
    [["AGENTS.md", "", "root"], ["server/AGENTS.md", "server", "server"]],
  );
  assert.equal(files[1]?.realPath, tree.path("server/AGENTS.md"));
  assert.equal(files[1]?.workspace, tree.root);
});

Deno.test("context files, row 77: the walk skips node_modules and directories with a dot", async () => {
  await using tree = await makeTree({
    "a/CLAUDE.md": "a",
    "node_modules/x/AGENTS.md": "no",
    ".hidden/AGENTS.md": "no",
    "a/.agents/AGENTS.md": "no",
  });
  assert.deepEqual(paths(await findContextFiles([tree.root], {})), [
    "a/CLAUDE.md",
  ]);
});

Deno.test("context files, row 78: what rules ignore is not looked at, the root's own files are", async () => {
  await using tree = await makeTree({
    ".gitignore": "AGENTS.md\n/build/\n!kept/AGENTS.md\n",
    "AGENTS.md": "root",
    "build/CLAUDE.md": "no",
    "other/AGENTS.md": "no",
    "kept/AGENTS.md": "kept",
    "deep/.gitignore": "CLAUDE.md\n",
    "deep/x/CLAUDE.md": "no",
  });
  assert.deepEqual(paths(await findContextFiles([tree.root], {})), [
    "AGENTS.md",
    "kept/AGENTS.md",
  ]);
});

Deno.test("context files, row 79: a deep file has its parents' rules, outer ones first", async () => {
  await using tree = await makeTree({
    "AGENTS.md": "root",
    "a/b/AGENTS.md": "ab",
    "a/AGENTS.md": "a",
    "ab/AGENTS.md": "other",
  });
  const { files } = await findContextFiles([tree.root], {});
  const rules = rulesFor(files, tree.root, "a/b/c/deep.ts");
  assert.deepEqual(rules.map(({ path }) => path), [
    "a/AGENTS.md",
    "a/b/AGENTS.md",
  ]);
  assert.deepEqual(rulesFor(files, tree.root, "a"), []);
  assert.deepEqual(rulesFor(files, "/elsewhere", "a/b/c"), []);
});

Deno.test("context files, row 80: svc/CLAUDE.md speaks of svc/", async () => {
  await using tree = await makeTree({ "svc/CLAUDE.md": "svc" });
  const { files } = await findContextFiles([tree.root], {});
  assert.equal(files[0]?.scope, "svc");
  assert.equal(files[0]?.fileName, "CLAUDE.md");
});

Deno.test("context files, row 81: an unusable nested file is left out alone, links to one file collapse, no workspace gives none", async () => {
  await using tree = await makeTree({
    "a/AGENTS.md": "a",
    "a/CLAUDE.md": { link: "AGENTS.md" },
    "b/AGENTS.md": new Uint8Array([0x61, 0xff]),
    "c/AGENTS.md": "c",
  });
  await Deno.link(tree.path("c/AGENTS.md"), tree.path("c/GEMINI.md"));
  const found = await findContextFiles([tree.root], {});
  assert.deepEqual(paths(found), ["a/AGENTS.md", "c/AGENTS.md"]);
  assert.deepEqual(why(found.skipped), {
    "a/CLAUDE.md": "it is the same file as a/AGENTS.md",
    "c/GEMINI.md": "it is the same file as c/AGENTS.md",
  });
  assert.deepEqual(why(found.problems), {
    "b/AGENTS.md": "it is not UTF-8 (byte 1)",
  });
  const none = await findContextFiles([tree.path("missing")], {});
  assert.deepEqual(none.files, []);
  assert.match(none.problems[0]!.why, /it is not there/);
  assert.deepEqual(await findContextFiles([], {}), {
    files: [],
    skipped: [],
    problems: [],
  });
});

Deno.test("context files, rows 82 and 84: any letter case counts, without any directory of skills", async () => {
  await using tree = await makeTree({
    "agents.MD": "a",
    "CLAUDE.MD": "c",
    "Gemini.md": "g",
  });
  assert.deepEqual(paths(await findContextFiles([tree.root], {})), [
    "CLAUDE.MD",
    "Gemini.md",
    "agents.MD",
  ]);
});

Deno.test("context files, row 83: .cursorrules counts whole, frontmatter and all", async () => {
  const text = "---\ntriggers: [x]\n---\nTabs.\n";
  await using tree = await makeTree({ ".cursorrules": text });
  const { files } = await findContextFiles([tree.root], {});
  assert.equal(files[0]?.text, text);
  assert.equal(files[0]?.realPath, tree.path(".cursorrules"));
});

Deno.test("context files, row 85: CLAUDE.md as a link to AGENTS.md is one file, two files are two", async () => {
  await using linked = await makeTree({
    "AGENTS.md": "x",
    "CLAUDE.md": { link: "AGENTS.md" },
  });
  assert.deepEqual(paths(await findContextFiles([linked.root], {})), [
    "AGENTS.md",
  ]);
  await using apart = await makeTree({ "AGENTS.md": "x", "CLAUDE.md": "x" });
  assert.equal((await findContextFiles([apart.root], {})).files.length, 2);
});

Deno.test("context files, row 86: of one kind the first in code unit order counts, and the others are told", async () => {
  await using tree = await makeTree({
    "agents.md": "3",
    "AGENTS.md": "2",
    "AGENT.md": "1",
    "b/agents.md": "2",
    "b/AGENTS.md": "1",
  });
  const found = await findContextFiles([tree.root], {});
  assert.deepEqual(found.files.map(({ text }) => text), ["1", "1"]);
  assert.match(why(found.problems)["AGENTS.md"]!, /^AGENT\.md beside it/);
  assert.match(why(found.problems)["agents.md"]!, /^AGENT\.md beside it/);
  assert.match(why(found.problems)["b/agents.md"]!, /^AGENTS\.md beside it/);
});

const ALL = {
  "AGENTS.md": "a",
  "CLAUDE.md": "c",
  "GEMINI.md": "g",
  ".cursorrules": "r",
  "sub/AGENTS.md": "sa",
  "sub/CLAUDE.md": "sc",
  "sub/GEMINI.md": "sg",
} as const;

Deno.test("context files, row 87: by client instead of model: each gets what it does not load itself, an unknown one all", async () => {
  await using tree = await makeTree(ALL);
  const cases: Record<string, string[]> = {
    "claude-code": ["CLAUDE.md", "sub/CLAUDE.md"],
    "claude-ai": [],
    "codex-mcp-client": ["AGENTS.md"],
    "gemini-cli-mcp-client": ["GEMINI.md", "sub/GEMINI.md"],
    "opencode": ["AGENTS.md"],
    "cursor-vscode": [".cursorrules", "AGENTS.md", "sub/AGENTS.md"],
    "Visual Studio Code": ["AGENTS.md"],
    "github-copilot-developer": ["AGENTS.md"],
    "Cline": ["AGENTS.md", "sub/AGENTS.md"],
    "goose": ["AGENTS.md"],
    "Zed": [".cursorrules"],
    "windsurf-client": ["AGENTS.md", "sub/AGENTS.md"],
    "hermes-agent": ["AGENTS.md"],
    "fast-agent-mcp": ["AGENTS.md"],
    "LM Studio": [],
    "openai-mcp": [],
    "something-else": [],
  };
  for (const [client, own] of Object.entries(cases)) {
    const found = await findContextFiles([tree.root], { client });
    assert.deepEqual(
      found.skipped.map(({ path, why }) => [path, why]),
      own.map((path) => [path, `${client} loads it itself`]),
      client,
    );
    assert.equal(found.files.length, Object.keys(ALL).length - own.length);
  }
  const unsaid = await findContextFiles([tree.root], {});
  assert.deepEqual(unsaid.files.length, Object.keys(ALL).length);
});

Deno.test("context files: a client that takes only the first of its list is asked what is there", async () => {
  await using tree = await makeTree({ ".rules": "own", "AGENTS.md": "a" });
  const zed = await findContextFiles([tree.root], { client: "Zed" });
  assert.deepEqual(paths(zed), ["AGENTS.md"]);
  await using claude = await makeTree({ "CLAUDE.md": "c" });
  const opencode = await findContextFiles([claude.root], {
    client: "opencode",
  });
  assert.deepEqual(paths(opencode), []);
});

Deno.test("context files: one that the client loads under another name, by a link, is left out too", async () => {
  await using tree = await makeTree({
    "AGENTS.md": "x",
    "CLAUDE.md": { link: "AGENTS.md" },
  });
  const found = await findContextFiles([tree.root], { client: "claude-code" });
  assert.deepEqual(paths(found), []);
  assert.equal(why(found.skipped)["AGENTS.md"], "claude-code loads it itself");
});

Deno.test("context files: a client loads files of the first workspace only; one workspace is read once", async () => {
  await using tree = await makeTree({
    "one/CLAUDE.md": "1",
    "two/CLAUDE.md": "2",
    "again": { link: "two" },
  });
  const found = await findContextFiles(
    [tree.path("one"), tree.path("two"), tree.path("again")],
    { client: "claude-code" },
  );
  assert.deepEqual(found.files.map(({ text }) => text), ["2"]);
  assert.equal(found.skipped.length, 1);
});

Deno.test("context files: further dialects are read when asked for, each by its word", async () => {
  await using tree = await makeTree({
    ".cursor/rules/one.mdc": "m",
    ".cursor/rules/other.txt": "no",
    ".github/copilot-instructions.md": "p",
    ".windsurfrules": "w",
    ".clinerules/a.md": "l",
    ".clinerules/b.txt": "no",
    "sub/.windsurfrules": "no",
  });
  assert.deepEqual(paths(await findContextFiles([tree.root], {})), []);
  const expected = {
    "cursor-rules": [".cursor/rules/one.mdc"],
    copilot: [".github/copilot-instructions.md"],
    windsurf: [".windsurfrules"],
    cline: [".clinerules/a.md"],
    unknown: [],
  };
  for (const [dialect, files] of Object.entries(expected)) {
    const found = await findContextFiles([tree.root], { dialects: [dialect] });
    assert.deepEqual(paths(found), files, dialect);
  }
  const cursor = await findContextFiles([tree.root], {
    dialects: ["cursor-rules", "copilot"],
    client: "cursor-vscode",
  });
  assert.deepEqual(paths(cursor), [".github/copilot-instructions.md"]);
  await using file = await makeTree({ ".clinerules": "one file" });
  const cline = await findContextFiles([file.root], { dialects: ["cline"] });
  assert.deepEqual(paths(cline), [".clinerules"]);
});
