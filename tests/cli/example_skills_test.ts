/** The bundled skills, read the way the server reads them. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { readSkillDocument } from "../../src/skill/document.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { skillfence } from "./command.ts";

const SKILLS = join(import.meta.dirname!, "..", "..", "skills");
const NAMES = ["fence-probe", "http-fetch-demo", "skill-author", "text-stats"];

for (const name of NAMES) {
  Deno.test(`${name}: its document has no finding and declares scripts that exist`, async () => {
    const bytes = await Deno.readFile(join(SKILLS, name, "SKILL.md"));
    const document = readSkillDocument(bytes);
    assert.deepEqual(document.findings, []);
    assert.equal(document.claimedName, name);
    assert.ok((document.description ?? "").length > 40);
    assert.ok(document.declaration.scripts.length > 0);
    for (const { script } of document.declaration.scripts) {
      assert.ok((await Deno.lstat(join(SKILLS, name, script))).isFile, script);
    }
  });
}

Deno.test("skills: the directory holds the four examples and nothing else", () => {
  const names = [...Deno.readDirSync(SKILLS)].map((entry) => entry.name).sort();
  assert.deepEqual(names, NAMES);
});

Deno.test("skill-author: its checker knows the variables that are never handed over", async () => {
  const { UNGRANTABLE } = await import("../../src/skill/env_names.ts");
  const { checkBlock } = await import(
    "../../skills/skill-author/lib/check_block.mjs"
  );
  for (const rule of UNGRANTABLE) {
    const name = rule.replace("*", rule.startsWith("*") ? "X" : "_X")
      .replace("__", "_");
    const env = [rule.includes("*") ? name : rule];
    const block = {
      version: 1,
      run: [{ script: "a.mjs", interpreter: "node", env }],
    };
    const findings: unknown[] = checkBlock(block, () => 1);
    assert.equal(findings.length, 1, `${rule} as ${env}`);
  }
});

/**
 * The skills at a place where the account that scripts of a root server run as
 * reads them, wherever the checkout lies.
 */
async function copied(): Promise<Tree> {
  const tree = await makeTree();
  await copyTree(SKILLS, tree.path("skills"));
  return tree;
}

async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyTree(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

function run(tree: Tree, skill: string, script: string, ...more: string[]) {
  const skills = tree.path("skills");
  return ["run", "--skills", skills, skill, script, "--confirm", ...more];
}

Deno.test("text-stats: counts stdin and handed-in files, and leaves a report", async () => {
  await using tree = await copied();
  await tree.write({ "one.txt": "Word word other\n", "two.txt": "two\n" });
  const piped = await skillfence(
    run(tree, "text-stats", "scripts/stats.mjs", "--stdin", "--", "--top", "1"),
    { stdin: "again once again\n" },
  );
  assert.equal(piped.code, 0, piped.stderr);
  assert.match(
    piped.stdout,
    /^stdin: 1 lines, 3 words, 17 characters.*\n +2 {2}again\n$/,
  );

  const files = [
    "--file",
    tree.path("one.txt"),
    "--file",
    tree.path("two.txt"),
  ];
  const out = ["--out", tree.path("out")];
  const handed = await skillfence(
    run(tree, "text-stats", "scripts/stats.mjs", ...files, ...out),
  );
  assert.equal(handed.code, 0, handed.stderr);
  const report = JSON.parse(
    await Deno.readTextFile(tree.path("out/report.json")),
  );
  assert.deepEqual(
    report.map((
      { name, words }: { name: string; words: number },
    ) => [name, words]),
    [["one.txt", 3], ["two.txt", 1]],
  );
  const missing = await skillfence(
    run(tree, "text-stats", "scripts/stats.mjs", ...files, "three.txt"),
  );
  assert.equal(missing.code, 2);
  const nothing = await skillfence(
    run(tree, "text-stats", "scripts/stats.mjs"),
  );
  assert.equal(nothing.code, 1);
});

Deno.test("skill-author: its checker finds what the server finds", async () => {
  await using tree = await copied();
  const good = await Deno.readTextFile(join(SKILLS, "text-stats", "SKILL.md"));
  const checked = await skillfence(
    run(tree, "skill-author", "scripts/check.mjs", "--stdin", "text-stats"),
    { stdin: good },
  );
  assert.equal(checked.code, 0, checked.stdout);
  assert.equal(checked.stdout, "0 errors, 0 other findings\n");

  const bad = good.replace("version: 1", "version: 3").replace(
    "interpreter: node",
    "interpreter: ruby",
  )
    .replace("timeout: 20", "timeout: 900");
  const found = await skillfence(
    run(tree, "skill-author", "scripts/check.mjs", "--stdin", "other"),
    { stdin: bad },
  );
  assert.equal(found.code, 1);
  for (
    const word of [
      "the directory is other",
      "version: 1 is required",
      "interpreter must be",
      "cut to 300",
    ]
  ) {
    assert.ok(found.stdout.includes(word), found.stdout);
  }
});

Deno.test("fence-probe: everything it tries is denied, and its controls succeed", async () => {
  await using tree = await copied();
  const { code, stdout, stderr } = await skillfence(
    run(tree, "fence-probe", "scripts/probe.mjs", "--out", tree.path("out")),
  );
  assert.equal(code, 0, stdout + stderr);
  const rows: { outcome: string }[] = JSON.parse(
    await Deno.readTextFile(tree.path("out/probe.json")),
  );
  const of = (outcome: string) =>
    rows.filter((row) => row.outcome === outcome).length;
  assert.equal(of("ok"), 3);
  assert.equal(of("GOT THROUGH"), 0);
  if (Deno.build.os === "linux") assert.equal(of("denied"), 18, stdout);
  assert.equal(rows.length, 21);
});

Deno.test("fence-probe: says so when something gets through", async () => {
  await using tree = await makeTree();
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    // Only writing is let through.
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      "--no-config",
      "--no-remote",
      "--no-npm",
      "--allow-read=" + SKILLS + "," + tree.root,
      "--allow-write=" + tree.root,
      "--allow-env",
      "--allow-run",
      join(SKILLS, "fence-probe", "scripts", "probe.mjs"),
    ],
    env: { SKILL_OUT: tree.root, DENO_DIR: tree.path("deno") },
    cwd: tree.root,
  }).output();
  const said = new TextDecoder().decode(stdout);
  assert.equal(code, 3, said);
  assert.match(said, /^GOT THROUGH +start a program/m);
});

Deno.test("http-fetch-demo: asks the declared host with the granted key, and no other host", async () => {
  const asked: { path: string; key: string | null }[] = [];
  await using server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen() {},
  }, (request) => {
    const { pathname } = new URL(request.url);
    asked.push({ path: pathname, key: request.headers.get("authorization") });
    return pathname.endsWith("/absent")
      ? new Response("", { status: 404 })
      : Response.json({ full_name: "a/b", stargazers_count: 7, license: null });
  });
  const { port } = server.addr;
  const script = "scripts/repo.ts";
  const document = await Deno.readTextFile(
    join(SKILLS, "http-fetch-demo", "SKILL.md"),
  );
  await using tree = await makeTree({
    "http-fetch-demo/SKILL.md": document.replace(
      "api.github.com:443",
      `127.0.0.1:${port}`,
    ),
    ["http-fetch-demo/" + script]: await Deno.readTextFile(
      join(SKILLS, "http-fetch-demo", script),
    ),
  });
  const grant = [{
    skill: "http-fetch-demo",
    script,
    env: ["GITHUB_TOKEN"],
    egress: [`127.0.0.1:${port}`],
  }];
  const env = {
    GITHUB_TOKEN: "key-value",
    MCP_SKILL_RUN: JSON.stringify(grant),
  };
  const call = (repository: string, base: string) =>
    skillfence(
      [
        "run",
        "--skills",
        tree.root,
        "http-fetch-demo",
        script,
        "--confirm",
        "--",
        repository,
        "--json",
        "--base",
        base,
      ],
      { env },
    );
  const found = await call("a/b", `http://127.0.0.1:${port}`);
  assert.equal(found.code, 0, found.stderr);
  assert.equal(JSON.parse(found.stdout).stars, 7);
  assert.deepEqual(asked, [{ path: "/repos/a/b", key: "Bearer key-value" }]);
  assert.equal((await call("a/absent", `http://127.0.0.1:${port}`)).code, 3);

  const seen = asked.length;
  const other = await call("a/b", `http://127.0.0.2:${port}`);
  assert.equal(other.code, 5);
  assert.match(other.stderr, /NotCapable/);
  assert.equal(asked.length, seen);
});
