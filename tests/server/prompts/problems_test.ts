/** Where problems of prompts are told: `skill_list`, `check`, `list`. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { skillfence } from "../../cli/command.ts";
import { connect, type Json, processTest } from "../../support/clients.ts";
import { makeTree } from "../../support/tree.ts";

const SKILL = "---\nname: review\ndescription: d\n---\nbody\n";
const FILES = {
  "skills/review/SKILL.md": SKILL,
  "prompts/review.md": "The file has the name.",
  "prompts/empty.md": "",
};

Deno.test({
  name: "skill_list: problems of prompts come after those of skills",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    await using client = await connect("v1", {
      args: [
        "--skills",
        tree.path("skills"),
        "--prompt-dir",
        tree.path("prompts"),
      ],
    });
    const { structured } = await client.call("skill_list");
    deepEqual(
      structured.problems.map((
        { reason, root, path, severity }: Json,
      ) => [severity, reason, root, path]),
      [
        ["warning", "prompt-empty", tree.path("prompts"), "empty.md"],
        ["note", "prompt-name-taken", tree.path("skills"), "review"],
      ],
    );
    equal(structured.skills.length, 1, "the skill is served all the same");
  },
});

Deno.test("check, list: a prompt file that is not there is an error with its path", async () => {
  await using tree = await makeTree({ "skills/review/SKILL.md": SKILL });
  const missing = tree.path("no-such.md");
  const args = ["--skills", tree.path("skills"), "--prompt-file", missing];
  const check = await skillfence(["check", ...args]);
  equal(check.code, 1, check.stdout);
  ok(check.stdout.replace(/\s+/g, "").includes(missing), check.stdout);
  match(check.stdout, /prompt-unreadable/);
  const list = await skillfence(["list", "--json", ...args]);
  equal(list.code, 0);
  const [problem] = JSON.parse(list.stdout).problems;
  deepEqual([problem.root, problem.path], [missing, "."]);
  const fine = await skillfence(["check", ...args.slice(0, 2)]);
  equal(fine.code, 0, fine.stdout);
});
