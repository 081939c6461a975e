/** Prompt files for clients that have tools and nothing else. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { openServer } from "../../support/server_calls.ts";
import { makeTree, type Tree } from "../../support/tree.ts";
import {
  connect,
  type Json,
  LINES,
  processTest,
} from "../../support/clients.ts";

const FILES = {
  "skills/s/SKILL.md": "---\nname: s\ndescription: S.\n---\nS.\n",
  "prompts/review.md":
    "---\ndescription: |\n  How we\n  review.\n---\n\nReview it, é.\n",
  "prompts/bare.md": "Bare.",
  "prompts/.hidden.md": "never",
  "secret.md": "never",
};

const flags = (tree: Tree): string[] => [
  "--skills",
  tree.path("skills"),
  "--prompt-dir",
  tree.path("prompts"),
];

for (const line of LINES) {
  Deno.test({
    name:
      `skill_file (${line}): reads every prompt file and their list, and skill_list says that there are any`,
    ...processTest,
    async fn() {
      await using tree = await makeTree(FILES);
      await using client = await connect(line, { args: flags(tree) });
      const { structured } = await client.call("skill_list");
      ok(
        structured.notes.some((note: string) =>
          /prompt files \(2\).*skillfence:\/\/prompts\//.test(note)
        ),
        structured.notes.join("\n"),
      );
      const list = await client.call("skill_file", {
        path: "skillfence://prompts/",
      });
      equal(list.text[1], "bare\nreview: How we review.\n");
      const { prompts } = await client.sdk.listPrompts();
      const names = list.text[1]!.trim().split("\n")
        .map((each) => each.split(":")[0]);
      for (const name of names) {
        ok(prompts.some((prompt: Json) => prompt.name === name));
        const { messages } = await client.sdk.getPrompt({ name });
        const { text } = await client.call("skill_file", {
          path: `skillfence://prompts/${name}`,
        });
        equal(text[1], messages[0].content.text);
      }
      const part = await client.call("skill_file", {
        path: "skillfence://prompts/review",
        offset: 7,
        limit: 4,
      });
      equal(part.text[1], "it, ");
      for (
        const path of [
          "skillfence://prompts/.hidden",
          "skillfence://prompts/../secret",
          "skillfence://prompts/none",
          "skillfence://prompts",
          "skillfence://x",
        ]
      ) {
        const { text } = await client.call("skill_file", { path });
        const [file] = JSON.parse(text[0]!).files;
        deepEqual([file.error.code, text.length], ["NOT_FOUND", 1], path);
      }
    },
  });
}

Deno.test("skill_list: without prompt files no note speaks of them", async () => {
  await using server = await openServer({
    files: { "s/SKILL.md": FILES["skills/s/SKILL.md"] },
  });
  const { structured } = await server.call("skill_list");
  ok(structured.notes.length > 0);
  ok(!/prompt/i.test(structured.notes.join()));
  const { text } = await server.call("skill_file", {
    path: "skillfence://prompts/",
  });
  match(text[0]!, /"size":0/);
});
