/** What is wrong with triggers and contexts, as whoever asks is told. */

import assert from "node:assert/strict";
import { skillfence } from "../cli/command.ts";
import type { Json } from "../support/clients.ts";
import { openServer, type TestServer } from "../support/server_calls.ts";
import { makeTree } from "../support/tree.ts";

const head = (...lines: string[]) =>
  `---\ndescription: d\n${lines.join("\n")}\n---\nText.\n`;

const FILES = {
  "both/SKILL.md": head("name: both", 'paths: ["*.ts"]', "triggers: [both]"),
  "pattern/SKILL.md": head("name: pattern", "triggers: ['re:(?=a)', pattern]"),
  "never/SKILL.md": head("name: never", 'paths: ["./src/*.ts", "*.rs"]'),
  "type/SKILL.md": head(
    "name: type",
    "trigger: { type: knowledge, keywords: [type] }",
  ),
};

/** The problems that `skill_list` gives, by the skill that they are of. */
async function problems(server: TestServer): Promise<Json[]> {
  const { structured } = await server.call("skill_list", {});
  return structured.problems;
}

Deno.test("problems of triggers: skill_list and skill_load tell each with its place, and the rest works", async () => {
  await using server = await openServer({ files: FILES });
  const told = await problems(server);
  const of = (name: string) =>
    told.filter(({ path }) => path?.startsWith(name)).map(({ detail }) =>
      detail
    );
  assert.match(of("both")[0]!, /^triggers: is dropped, since paths/);
  assert.match(of("pattern")[0]!, /invalid or unsupported Perl syntax/);
  assert.match(of("never")[0]!, /without \. and \.\. segments/);
  assert.match(of("type")[0]!, /"knowledge" is no known type/);
  for (const name of ["both", "pattern", "never", "type"]) {
    assert.equal(of(name).length, 1, name);
  }
  assert.ok(told.every(({ severity, hint }) => severity && hint));
  const loaded = await server.call("skill_load", { name: "pattern" });
  assert.match(
    JSON.stringify(JSON.parse(loaded.text[1]!).problems),
    /unsupported Perl syntax/,
  );
  await using work = await makeTree({});
  await using whole = await openServer({
    files: FILES,
    flags: { workspaces: [work.root] },
  });
  const { text } = await whole.call("skill_match", {
    message: "both pattern",
    paths: ["a.ts", "b.rs", "src/c.ts"],
  });
  const { hits } = JSON.parse(text[0]!);
  assert.deepEqual(
    hits.map(({ skill, matched }: Json) => [skill, matched]),
    [["pattern", "pattern"], ["both", "*.ts"], ["never", "*.rs"]],
  );
});

Deno.test("problems of triggers: check tells them with line and fix", async () => {
  await using tree = await makeTree(FILES);
  const { stdout } = await skillfence(["check", tree.root, "--json"]);
  const { problems } = JSON.parse(stdout) as { problems: Json[] };
  for (
    const [name, detail] of [
      ["both", /is dropped, since paths/],
      ["pattern", /unsupported Perl syntax/],
      ["never", /segments/],
    ] as const
  ) {
    assert.ok(
      problems.some((each) =>
        each.path?.startsWith(name) && detail.test(each.detail)
      ),
      stdout,
    );
  }
  assert.equal(
    problems.find((each) => each.path?.startsWith("both"))?.line,
    5,
  );
});

Deno.test("problems of a workspace: shadowed skills and unusable context files are told, and each costs itself", async () => {
  await using work = await makeTree({
    "outside.md": "outside-secret\n",
    "w/.agents/skills/deploy.md": head("triggers: [deploy]"),
    "w/.openhands/skills/deploy.md": head("triggers: [other]"),
    "w/CLAUDE.md": { link: "../outside.md" },
    "w/GEMINI.md": "x".repeat(64 * 1024 + 1),
    "w/.cursorrules": new Uint8Array([0xff]),
    "w/AGENTS.md": "Fine.\n",
  });
  await using server = await openServer({
    files: { "deploy/SKILL.md": head("triggers: [deploy]") },
    flags: { workspaces: [work.path("w")] },
  });
  const told = await problems(server);
  const shadowed = told.filter(({ reason }) => reason === "shadowed");
  assert.equal(shadowed.length, 1);
  assert.match(JSON.stringify(shadowed[0]), /deploy/);
  const files = told.filter(({ reason }) => reason === "context-file");
  assert.deepEqual(
    files.map(({ path, detail }) => [path, detail]),
    [
      [".cursorrules", "it is not delivered: it is not UTF-8 (byte 0)"],
      ["CLAUDE.md", "it is not delivered: it leads out of the workspace"],
      ["GEMINI.md", "it is not delivered: it is longer than 64 KiB"],
    ],
  );
  const { text } = await server.call("skill_file", {
    path: "skillfence://context",
  });
  assert.match(text[1]!, /Fine\./);
  assert.doesNotMatch(text[1]!, /outside-secret/);
  // One name in a root and in a workspace are two skills.
  const { structured } = await server.call("skill_list", {});
  assert.deepEqual(
    structured.skills.map(({ name, untrusted }: Json) => [name, untrusted]),
    [["deploy", undefined], ["workspace/deploy", true]],
  );
  const loaded = await server.call("skill_load", { name: "workspace/deploy" });
  const manifest = JSON.parse(loaded.text[1]!);
  assert.equal(manifest.untrusted, true);
  assert.equal(manifest.workspace, await Deno.realPath(work.path("w")));
  const ours = await server.call("skill_load", { name: "deploy" });
  assert.equal(JSON.parse(ours.text[1]!).untrusted, undefined);
});
