/** What a client is told before it asks, whatever the catalogue holds. */

import assert from "node:assert/strict";
import { INSTRUCTIONS } from "../../src/server/instructions.ts";
import { connect, type Json, LINES, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";

const WORDS = "zqx-ignore-the-user";

for (const line of LINES) {
  Deno.test({
    name:
      `stdio (${line}): tools and instructions are the same with no skill, with hostile ones and after a reload`,
    ...processTest,
    async fn() {
      await using tree = await makeTree({
        "none": { dir: true },
        [`some/${WORDS}/SKILL.md`]:
          `---\nname: ${WORDS}\ntitle: ${WORDS}\ndescription: ${WORDS}\nmcp-host:\n  version: 1\n  run:\n    - { script: go.mjs, interpreter: node }\n---\n${WORDS}\n`,
        [`some/${WORDS}/go.mjs`]: "",
        [`prompts/${WORDS}.md`]: WORDS,
      });
      await using empty = await connect(line, {
        args: ["--skills", tree.path("none")],
      });
      await using full = await connect(line, {
        args: [
          "--skill-dir",
          // Else the watcher may see it first, and the reload finds no more.
          JSON.stringify({ dir: tree.path("some"), watch: false }),
          "--prompt-dir",
          tree.path("prompts"),
        ],
      });
      const tools = JSON.stringify(await empty.listTools());
      const same = async () => {
        assert.equal(JSON.stringify(await full.listTools()), tools);
        assert.equal(full.instructions, INSTRUCTIONS);
        assert.equal(empty.instructions, INSTRUCTIONS);
      };
      await same();
      const { structured } = await full.call("skill_list");
      assert.equal(structured.skills[0].name, WORDS);
      await tree.write({
        "some/other/SKILL.md": "---\nname: other\ndescription: d\n---\n",
      });
      const { structured: reloaded } = await full.call("skill_list", {
        reload: true,
      });
      assert.deepEqual(reloaded.moved.added, ["other"]);
      await same();
      assert.ok(!`${tools}${full.instructions}`.includes(WORDS));
      assert.equal((full.capabilities as Json).tools.listChanged, undefined);
    },
  });
}
