/** Prompts as clients of both protocol lines see them, over stdio. */

import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  connect,
  type Json,
  LINES,
  processTest,
  type TestClient,
} from "../../support/clients.ts";
import { makeTree } from "../../support/tree.ts";

const TREE = {
  "skills/acme/billing/SKILL.md":
    "---\nname: billing\ntitle: Billing\ndescription: Bills people.\n---\n# Bill\n\nDo it.\n",
  "skills/acme/billing/notes/a b.md": "notes",
  "skills/zeta/SKILL.md": "---\nname: zeta\ndescription: Last.\n---\nZ.\n",
  "AGENTS.md":
    "---\ntitle: The rules\ndescription: How we work.\n---\n\nBe kind.\n",
  "prompts/review.md": "Review it.\n",
  "prompts/zeta.md": "Not the skill.",
  "prompts/left-out.md": "no",
};

async function connected(
  line: (typeof LINES)[number],
  test: (client: TestClient, root: string) => Promise<void>,
): Promise<void> {
  await using tree = await makeTree(TREE);
  await using client = await connect(line, {
    args: [
      "--skills",
      tree.path("skills"),
      "--prompt-dir",
      JSON.stringify({ dir: tree.path("prompts"), ignore: ["left*"] }),
      "--prompt-file",
      tree.path("AGENTS.md"),
    ],
  });
  await test(client, tree.root);
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
    name:
      `prompts/list (${line}): prompt files first, then one per skill whose name is free`,
    ...processTest,
    fn: () =>
      connected(line, async ({ sdk, capabilities }) => {
        const { prompts, completions } = capabilities as Json;
        equal(prompts.listChanged, true);
        deepEqual(completions, {});
        const listed = await sdk.listPrompts();
        deepEqual(listed.prompts, [
          {
            name: "AGENTS",
            title: "The rules",
            description: "How we work.",
          },
          { name: "review" },
          { name: "zeta" },
          {
            name: "acme.billing",
            title: "Billing",
            description: "Bills people.",
            arguments: [{
              name: "task",
              description: "What to use the skill for.",
              required: false,
            }],
          },
        ]);
      }),
  });

  Deno.test({
    name:
      `prompts/get (${line}): one message of the user, a skill's with its task`,
    ...processTest,
    fn: () =>
      connected(line, async ({ sdk, call }) => {
        const file = await sdk.getPrompt({ name: "AGENTS" });
        deepEqual(
          [file.description, file.messages],
          ["How we work.", [{
            role: "user",
            content: { type: "text", text: "Be kind." },
          }]],
        );
        const skill = await sdk.getPrompt({
          name: "acme.billing",
          arguments: { task: "bill Bob", other: "ignored" },
        });
        equal(skill.messages.length, 1);
        const [{ role, content }] = skill.messages;
        equal(role, "user");
        const [body] =
          (await call("skill_load", { name: "acme/billing" })).text;
        ok(content.text.startsWith(body));
        match(content.text, /the skill "acme\/billing"/);
        match(content.text, /\n\nTask: bill Bob\n$/);
        const bare = await sdk.getPrompt({ name: "acme.billing" });
        ok(!bare.messages[0].content.text.includes("Task:"));
        const taken = await sdk.getPrompt({ name: "zeta" });
        equal(taken.messages[0].content.text, "Not the skill.");
        await rejects(
          sdk.getPrompt({ name: "revew" }),
          invalid(/Unknown prompt "revew"; the nearest is review/),
        );
        await rejects(sdk.getPrompt({ name: "left-out" }), invalid(/Unknown/));
      }),
  });

  Deno.test({
    name:
      `skillfence://prompts/ (${line}): one listed resource for each prompt file, read as its text`,
    ...processTest,
    fn: () =>
      connected(line, async ({ sdk }) => {
        const { resources } = await sdk.listResources();
        const prompts = resources.filter(({ uri }: Json) =>
          uri.startsWith("skillfence://prompts/")
        );
        deepEqual(
          prompts.map(({ uri, name, title, mimeType, size }: Json) => [
            uri,
            name,
            title,
            mimeType,
            size,
          ]),
          [
            [
              "skillfence://prompts/AGENTS",
              "AGENTS",
              "The rules",
              "text/markdown",
              8,
            ],
            [
              "skillfence://prompts/review",
              "review",
              undefined,
              "text/markdown",
              10,
            ],
            [
              "skillfence://prompts/zeta",
              "zeta",
              undefined,
              "text/markdown",
              14,
            ],
          ],
        );
        const uri = "skillfence://prompts/AGENTS";
        const { contents } = await sdk.readResource({ uri });
        deepEqual(contents, [{
          uri,
          mimeType: "text/markdown",
          text: "Be kind.",
        }]);
        for (const name of ["left-out", "acme.billing", "", "AGENTS/x"]) {
          await rejects(
            sdk.readResource({ uri: `skillfence://prompts/${name}` }),
            invalid(/./),
          );
        }
      }),
  });

  Deno.test({
    name:
      `prompts/get (${line}): an edited prompt file is given after a reload, and so is the list`,
    ...processTest,
    fn: () =>
      connected(line, async ({ sdk, call }, root) => {
        await sdk.listPrompts();
        await Deno.writeTextFile(`${root}/AGENTS.md`, "New rules.");
        await Deno.writeTextFile(`${root}/prompts/fresh.md`, "Fresh.");
        await Deno.remove(`${root}/prompts/zeta.md`);
        await call("skill_list", { reload: true });
        const { messages } = await sdk.getPrompt({ name: "AGENTS" });
        equal(messages[0].content.text, "New rules.");
        // A client of 2026-07-28 keeps a list until it is told otherwise.
        const { prompts } = await sdk.listPrompts(undefined, {
          cacheMode: "refresh",
        });
        deepEqual(
          prompts.map(({ name }: Json) => name),
          ["AGENTS", "fresh", "review", "acme.billing", "zeta"],
        );
      }),
  });

  Deno.test({
    name:
      `completion/complete (${line}): addresses that exist, nothing for a task`,
    ...processTest,
    fn: () =>
      connected(line, async ({ sdk }) => {
        const complete = async (value: string) =>
          (await sdk.complete({
            ref: { type: "ref/resource", uri: "skill://{+path}" },
            argument: { name: "path", value },
          })).completion;
        deepEqual((await complete("")).values, [
          "acme/billing/SKILL.md",
          "zeta/SKILL.md",
        ]);
        deepEqual((await complete("acme/billing/")).values, [
          "acme/billing/SKILL.md",
          "acme/billing/notes/a%20b.md",
        ]);
        deepEqual((await complete("Bill")).values, ["acme/billing/SKILL.md"]);
        deepEqual((await complete("nothing")).values, []);
        const task = await sdk.complete({
          ref: { type: "ref/prompt", name: "acme.billing" },
          argument: { name: "task", value: "b" },
        });
        deepEqual(task.completion.values, []);
        await rejects(
          sdk.complete({
            ref: { type: "ref/prompt", name: "AGENTS" },
            argument: { name: "task", value: "" },
          }),
          invalid(/AGENTS has no argument "task"/),
        );
        await rejects(
          sdk.complete({
            ref: { type: "ref/resource", uri: "file:///{path}" },
            argument: { name: "path", value: "" },
          }),
          invalid(/Completed is only/),
        );
      }),
  });
}

Deno.test({
  name: "prompts/list: pages of 100, and a cursor of nobody's is refused",
  ...processTest,
  async fn() {
    await using tree = await makeTree(Object.fromEntries(
      [...Array(130)].map((_, i) => [
        `skills/s${String(i).padStart(3, "0")}/SKILL.md`,
        "---\ndescription: d\n---\nbody",
      ]),
    ));
    await using client = await connect("v1", {
      args: ["--skills", tree.path("skills")],
    });
    const { sdk } = client;
    const first = await sdk.listPrompts();
    equal(first.prompts.length, 100);
    const second = await sdk.listPrompts({ cursor: first.nextCursor });
    equal(second.prompts.length, 30);
    equal(second.nextCursor, undefined);
    const names = [...first.prompts, ...second.prompts]
      .map(({ name }: Json) => name);
    equal(new Set(names).size, 130);
    for (const cursor of ["x", "", btoa("[1,2,3]"), btoa("null")]) {
      await rejects(sdk.listPrompts({ cursor }), invalid(/cursor/));
    }
  },
});
