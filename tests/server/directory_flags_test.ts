/** The flags that say where skills and prompts are, as clients see them work. */

import { deepEqual } from "node:assert/strict";
import { delimiter } from "node:path";
import { connect, type Json, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\n`;

const FILES = {
  "one/acme/pay/SKILL.md": skill("pay"),
  "one/acme/old/SKILL.md": skill("old"),
  "one/other/SKILL.md": skill("other"),
  "two/other/SKILL.md": skill("other"),
  "prompts/team.a.md": "A",
  "prompts/team.old.md": "old",
  "prompts/else.md": "else",
  "more/x.md": "x of more",
  "AGENTS.md": "---\nname: x\n---\nThe file's x.\n",
};

async function seen(
  options: { args: readonly string[]; env?: Record<string, string> },
  watch: readonly string[] = [],
) {
  await using client = await connect("v2", options);
  // The watch begins once the first answer is out.
  const structured = await until(async () => {
    const { structured } = await client.call("skill_list");
    const states = structured.watch.map(({ state }: Json) => state);
    return watch.every((state, at) => states[at] === state) && structured;
  });
  const { prompts } = await client.sdk.listPrompts();
  const skills = structured.skills.map(({ name }: Json) => name);
  const files: string[] = prompts.map(({ name }: Json) => name)
    .slice(0, prompts.length - skills.length);
  const texts: Record<string, string> = {};
  for (const name of files) {
    const { messages } = await client.sdk.getPrompt({ name });
    texts[name] = messages[0].content.text;
  }
  return {
    skills,
    texts,
    reasons: structured.problems.map(({ reason }: Json) => reason),
  };
}

Deno.test({
  name:
    "--skill-dir: include, ignore and watch of each root hold, beside a plain --skills",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    const found = await seen({
      args: [
        "--skill-dir",
        JSON.stringify({
          dir: tree.path("one"),
          include: ["acme*"],
          ignore: ["*/old"],
          watch: false,
        }),
        "--skills",
        tree.path("two"),
      ],
    }, ["off", "watching"]);
    deepEqual(found.skills, ["acme/pay", "other"]);
    const all = await seen({
      args: [
        "--skill-dir",
        JSON.stringify({ dir: tree.path("one"), include: [] }),
      ],
    }, ["watching"]);
    deepEqual(all.skills, ["acme/old", "acme/pay", "other"]);
  },
});

Deno.test({
  name:
    "--prompt-file, --prompt-dir, SKILLFENCE_PROMPTS: files claim names first, filters are about names, fences go",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    const skills = ["--skills", tree.path("two")];
    const flags = await seen({
      args: [
        ...skills,
        "--prompt-dir",
        JSON.stringify({
          dir: tree.path("prompts"),
          include: ["team*"],
          ignore: ["*old"],
        }),
        "--prompt-dir",
        tree.path("more"),
        "--prompt-file",
        tree.path("AGENTS.md"),
      ],
    });
    deepEqual(flags.texts, { "x": "The file's x.", "team.a": "A" });
    deepEqual(flags.reasons, ["prompt-taken"]);
    const variable = await seen({
      args: skills,
      env: {
        SKILLFENCE_PROMPTS: [tree.path("more"), tree.path("AGENTS.md")]
          .join(delimiter),
      },
    });
    deepEqual(variable.texts, { "x": "The file's x." });
  },
});
