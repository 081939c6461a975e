import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";
import { HAS_TERMINAL, onTerminal, skillfence } from "./command.ts";

const HOSTILE = "evil\u202e\u001b[31m\u0007 text";

function skill(description: string): string {
  return `---\nname: x\ndescription: ${
    JSON.stringify(description)
  }\n---\nBody.\n`;
}

Deno.test("list: prints aligned columns, problems and where it looked; no colour in a pipe", async () => {
  await using tree = await makeTree({
    "alpha/SKILL.md": skill("First."),
    "alpha/notes.txt": "x",
    "beta-longer/SKILL.md": skill("Second."),
    "broken/notes.txt": "no skill here",
  });
  const { code, stdout, stderr } = await skillfence([
    "list",
    "--skills",
    tree.root,
  ]);
  assert.equal(stderr, "");
  assert.equal(code, 0);
  const lines = stdout.split("\n");
  assert.equal(lines[0], "SKILL        FILES  SCRIPTS  KIND  DESCRIPTION");
  assert.equal(lines[1], "alpha            2  -        -     First.");
  assert.equal(lines[2], "beta-longer      1  -        -     Second.");
  assert.match(stdout, /warning +no-skill-md +broken: /);
  assert.match(
    stdout,
    /2 skills in .* \(--skills\); 0 errors, 3 warnings, 2 notes\n$/,
  );
  // Said to models, whose listing has the notes first.
  assert.doesNotMatch(stdout, /Everything below these notes/);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(stdout, /\x1b/);
});

Deno.test("list: --json is what skill_list answers, and nothing else on stdout", async () => {
  await using tree = await makeTree({ "alpha/SKILL.md": skill("First.") });
  const { code, stdout } = await skillfence(["list", "--json"], {
    env: { SKILLS_DIR: tree.root },
  });
  assert.equal(code, 0);
  const listing = JSON.parse(stdout);
  assert.deepEqual(listing.roots, [tree.root]);
  assert.equal(listing.rootsFrom, "SKILLS_DIR");
  assert.equal(listing.grantFrom, "declaration");
  assert.equal(listing.skills[0].name, "alpha");
  assert.equal(listing.problems[0].reason, "name-mismatch");
  assert.ok(Array.isArray(listing.notes));
});

Deno.test("list: strangers' text shows its control and direction characters, cut at 200", async () => {
  await using tree = await makeTree({
    "alpha/SKILL.md": skill(HOSTILE + "y".repeat(300)),
  });
  const { stdout } = await skillfence(["list", "--skills", tree.root]);
  assert.match(stdout, /evil\\u\{202e\}\\u\{1b\}\[31m\\u\{7\} text/);
  assert.match(stdout, /y… \(\+\d+ characters\)/);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(stdout, /[\u202e\x1b\x07]/);
});

Deno.test("list: with several roots a problem is shown with its root", async () => {
  await using tree = await makeTree({
    "one/a/SKILL.md": skill("x"),
    "two/b/notes.txt": "no skill",
  });
  const roots = ["--skills", tree.path("one"), "--skills", tree.path("two")];
  const { stdout } = await skillfence(["list", ...roots]);
  assert.ok(stdout.includes(`${tree.path("one/a/SKILL.md")}: `), stdout);
  assert.ok(stdout.includes(`${tree.path("two/b")}: `), stdout);
});

Deno.test("list: an absolute path and a bare environment do, in /", async () => {
  await using tree = await makeTree({ "alpha/SKILL.md": skill("First.") });
  const { code, stdout } = await skillfence(["list", "--skills", tree.root], {
    cwd: "/",
    env: { HOME: "" },
  });
  assert.equal(code, 0);
  assert.match(stdout, /alpha/);
});

Deno.test({
  name:
    "list: on a terminal in colour and wrapped; NO_COLOR and TERM=dumb take the colour away",
  ignore: !HAS_TERMINAL,
  async fn() {
    await using tree = await makeTree({
      "alpha/SKILL.md": skill("word ".repeat(30)),
    });
    const args = ["list", "--skills", tree.root];
    const plain = await onTerminal(args, { env: { NO_COLOR: "1" } });
    const dumb = await onTerminal(args, { env: { TERM: "dumb" } });
    const color = await onTerminal(args);
    assert.equal(color.code, 0);
    assert.ok(color.stdout.includes("\x1b[1malpha\x1b[22m"), color.stdout);
    // Colours only: the runtime itself clears lines on a terminal.
    for (const { stdout } of [plain, dumb]) {
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(stdout, /\x1b\[\d+m/);
    }
    const row = plain.stdout.split("\r\n").find((line) =>
      line.startsWith("alpha")
    );
    assert.ok(row !== undefined && row.length <= 100, row);
  },
});
