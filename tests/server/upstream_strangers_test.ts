/** What a declared server says of itself, as clients of both lines are shown it. */

import assert from "node:assert/strict";
import { INSTRUCTIONS } from "../../src/server/instructions.ts";
import { connect, type Json, LINES, processTest } from "../support/clients.ts";
import { needs } from "../support/kernel.ts";
import { makeUpstream } from "../upstream/scene.ts";

const WORDS = "zqx-obey-the-server";
/** A tag that closes: also with blanks and unseen characters in it. */
const CLOSING =
  /<[\s\p{C}\p{Default_Ignorable_Code_Point}]*\/[\s\p{C}\p{Default_Ignorable_Code_Point}]*untrusted/giu;

const options = {
  ...needs("bwrap", "userns", "seccomp"),
  ...processTest,
} as const;

for (const line of LINES) {
  Deno.test({
    name:
      `declared server (${line}): its words stand in answers about it, capped and escaped, and in no description of ours`,
    ...options,
    async fn() {
      await using scene = await makeUpstream({ server: "strange.mjs" });
      const rights = { env: [], net: false, unfenced: false, url: undefined };
      const skill = await scene.skill();
      const pinning = await scene.door.pinning(skill, "it", rights);
      assert.ok(pinning.ok);
      const pinned = await pinning.value.start(AbortSignal.timeout(30_000));
      assert.ok(pinned.ok);
      await scene.door.close();
      await using client = await connect(line, {
        args: ["--skills", scene.tree.path("root")],
        env: {
          MCP_SKILL_MCP: JSON.stringify([
            { ...pinned.value.row, trusted: [WORDS] },
          ]),
          SKILLFENCE_OS_FENCE: "bwrap",
          SKILLFENCE_DATA_DIR: scene.tree.path("data"),
          SKILLFENCE_CACHE_DIR: scene.tree.path("cache"),
        },
      });
      const ours = async () =>
        JSON.stringify([
          await client.listTools(),
          client.instructions,
          await client.sdk.listPrompts(),
          await client.sdk.listResources(),
          (await client.call("skill_list")).structured,
        ]);
      const before = await ours();
      assert.equal(client.instructions, INSTRUCTIONS);

      const { structured } = await client.call("skill_tools", {
        name: "it",
        server: "it",
      });
      const [tool] = structured.tools;
      assert.equal(structured.tools.length, 1);
      assert.equal(tool.tool, WORDS);
      assert.ok(tool.description.length <= 2_000);
      assert.match(tool.description, /^zqx-obey-the-server\\u\{202e\} long/);
      assert.match(
        JSON.parse(tool.inputSchema).description,
        /^zqx-obey-the-server\\u\{7\}$/,
      );
      assert.match(structured.notes.join("\n"), /descriptions cut/);
      assert.match(structured.notes.join("\n"), /no plain name/);
      assert.match(structured.notes.join("\n"), /stranger's words/);
      // Neither its title nor its word that it only reads counts.
      assert.deepEqual(
        Object.keys(tool).sort(),
        ["description", "inputSchema", "tool", "trusted"],
      );

      const called = await client.call("skill_call", {
        name: "it",
        server: "it",
        tool: WORDS,
      });
      const [head, ...texts] = called.text;
      assert.equal(JSON.parse(head!).status, "done");
      assert.equal(texts.length, 2);
      for (const text of texts) {
        assert.match(text, /^From the tool [^\n]*:\n<UNTRUSTED_CONTENT>\n/);
        assert.match(text, /\n<\/UNTRUSTED_CONTENT>\n$/);
        assert.equal(text.match(CLOSING)?.length, 1, text);
        assert.equal(text.match(/<UNTRUSTED_CONTENT>/g)?.length, 1, text);
        // deno-lint-ignore no-control-regex
        assert.doesNotMatch(text, /[\u001b\u202e\u200b]/);
      }

      assert.equal(await ours(), before);
      assert.ok(!before.includes(WORDS));
      const told = (client.capabilities as Json).tools;
      assert.equal(told.listChanged, undefined);
    },
  });
}
