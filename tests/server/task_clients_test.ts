/** Task skills as clients of both protocol lines see them, over stdio. */

import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  connect,
  type Json,
  LINES,
  processTest,
  type TestClient,
} from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";

const TREE = {
  "bug/SKILL.md": `---
name: bug
description: Fixes bugs.
inputs:
  - { name: what, description: What is broken, required: true }
  - { name: where, choices: [api, app, web] }
---
Fix \${what} in \${where}.
`,
  "quiet/SKILL.md":
    "---\nname: quiet\ndescription: d\ndisable-model-invocation: true\n---\nQuiet words.\n",
};

async function connected(
  line: (typeof LINES)[number],
  test: (client: TestClient) => Promise<void>,
  fillIn?: (form: Json) => Json,
): Promise<void> {
  await using tree = await makeTree(TREE);
  await using client = await connect(line, {
    args: ["--skills", tree.root],
    ...(fillIn === undefined ? {} : { fillIn }),
  });
  await test(client);
}

function invalid(why: RegExp) {
  return (error: Json) => {
    equal(error.code, -32602, String(error));
    match(error.message, why);
    return true;
  };
}

for (const line of LINES) {
  Deno.test({
    name: `prompts (${line}): a task skill has one argument for each input`,
    ...processTest,
    fn: () =>
      connected(line, async ({ sdk }) => {
        const { prompts } = await sdk.listPrompts();
        const row = prompts.find(({ name }: Json) => name === "bug");
        deepEqual(row.arguments, [
          { name: "what", description: "What is broken", required: true },
          { name: "where", required: false },
        ]);
        const got = await sdk.getPrompt({
          name: "bug",
          arguments: { what: "${where}", where: "app" },
        });
        match(got.messages[0].content.text, /^Fix \$\{where\} in app\.\n/);
        await rejects(
          sdk.getPrompt({ name: "bug", arguments: { where: "app" } }),
          invalid(/required and not given: what \(What is broken\)/),
        );
        await rejects(
          sdk.getPrompt({ name: "bug", arguments: { task: "x", what: "y" } }),
          invalid(/unknown input "task"/),
        );
      }),
  });

  Deno.test({
    name: `completion (${line}): choices that start with what was typed`,
    ...processTest,
    fn: () =>
      connected(line, async ({ sdk }) => {
        const complete = async (name: string, value: string) =>
          (await sdk.complete({
            ref: { type: "ref/prompt", name: "bug" },
            argument: { name, value },
          })).completion.values;
        deepEqual(await complete("where", "A"), ["api", "app"]);
        deepEqual(await complete("where", ""), ["api", "app", "web"]);
        deepEqual(await complete("what", ""), []);
        await rejects(complete("task", ""), invalid(/no argument "task"/));
      }),
  });

  Deno.test({
    name:
      `skill_load (${line}): a client that shows forms is asked, and goes on`,
    ...processTest,
    async fn() {
      const forms: Json[] = [];
      await connected(line, async (client) => {
        const { text, isError } = await client.call("skill_load", {
          name: "bug",
          inputs: { where: "app" },
        });
        equal(isError, false);
        equal(text[0], "Fix all of it in app.\n");
        equal(forms.length, 1);
        deepEqual(forms[0].requestedSchema.required, ["what"]);
      }, (form) => {
        forms.push(form);
        return { action: "accept", content: { what: "all of it" } };
      });
      await connected(line, async (client) => {
        const { text, isError } = await client.call("skill_load", {
          name: "bug",
        });
        equal(isError, true);
        match(text[0]!, /INPUT_MISSING.*declined/);
      }, () => ({ action: "decline" }));
      await connected(line, async (client) => {
        const { text, isError } = await client.call("skill_load", {
          name: "bug",
        });
        equal(isError, true);
        match(text[0]!, /INPUT_MISSING.*required and not given: what/);
      });
    },
  });

  Deno.test({
    name:
      `hidden skills (${line}): in no listing, refused by tool, brought by their prompt`,
    ...processTest,
    fn: () =>
      connected(line, async (client) => {
        const { sdk } = client;
        const names = async (args: Record<string, unknown>) =>
          (await client.call("skill_list", args)).structured.skills
            .map(({ name }: Json) => name);
        deepEqual(await names({}), ["bug"]);
        deepEqual(await names({ query: "quiet words" }), []);
        const { structured } = await client.call("skill_list", {
          hidden: true,
        });
        deepEqual(
          structured.skills.map(({ name }: Json) => name),
          ["quiet"],
        );
        match(structured.skills[0].hidden, /disable-model-invocation/);
        const { resources } = await sdk.listResources();
        ok(!JSON.stringify(resources).includes("quiet"));
        const index = await sdk.readResource({ uri: "skillfence://skills" });
        ok(!JSON.stringify(index).includes("quiet"));
        const { isError, text } = await client.call("skill_load", {
          name: "quiet",
        });
        equal(isError, true);
        match(text[0]!, /NOT_FOR_MODELS.*skill_match.*prompt quiet/);
        const got = await sdk.getPrompt({ name: "quiet" });
        match(got.messages[0].content.text, /^Quiet words\./);
        const file = await client.call("skill_file", {
          name: "quiet",
          path: "SKILL.md",
        });
        match(file.text[1]!, /Quiet words/);
      }),
  });
}
