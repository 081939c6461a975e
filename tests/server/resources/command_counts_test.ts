/** What resources say of commands in the texts that they deliver as written. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import {
  CONTEXT_META_KEY,
  META_KEY,
} from "../../../src/server/resources/metadata.ts";
import {
  connect,
  type Json,
  LINES,
  processTest,
} from "../../support/clients.ts";
import { makeTree } from "../../support/tree.ts";

const SAY = "!`scripts/say.mjs` and !`scripts/say.mjs`, not \\!`that`";

const RENDERED = /^``it ran`` and ``it ran``, not !`that`/;

for (const line of LINES) {
  Deno.test({
    name:
      `texts (${line}): resources give them unrendered with the number of commands in them, skill_load and prompts render`,
    ...processTest,
    async fn() {
      await using tree = await makeTree({
        "skills/a/SKILL.md":
          `---\nname: a\ndescription: "!\`none\`"\n---\n${SAY}\n`,
        "skills/a/scripts/say.mjs": 'console.log("it ran");\n',
        "skills/b/SKILL.md":
          "---\nname: b\ndescription: d\ncommands: 9\n---\nB.\n",
        "work/AGENTS.md": `${SAY}\n`,
        "work/.agents/skills/always.md": "Now !`date`.\n",
      });
      await using client = await connect(line, {
        args: [
          ...["--skills", tree.path("skills")],
          ...["--workspace", tree.path("work")],
        ],
        env: {
          SKILLFENCE_OS_FENCE: "off",
          SKILLFENCE_AUDIT_LOG: join(tree.root, "audit.log"),
          MCP_SKILL_RENDER: JSON.stringify([
            { skill: "a", command: ["scripts/say.mjs"] },
          ]),
        },
      });
      const read = async (uri: string): Promise<Json> =>
        (await client.sdk.readResource({ uri })).contents[0];
      const a = await read("skill://a/SKILL.md");
      ok(a.text.endsWith(`${SAY}\n`));
      equal(a._meta[META_KEY].commands, 2);
      const b = await read("skill://b/SKILL.md");
      equal(b._meta[META_KEY].commands, 0);
      const context = await read("skillfence://context");
      ok(context.text.includes(SAY));
      deepEqual(context._meta, { [CONTEXT_META_KEY]: { commands: 3 } });
      const file = await read("skill://a/scripts/say.mjs");
      equal(file._meta, undefined);
      // The very command runs where texts are rendered: by tool and by prompt.
      const loaded = await client.call("skill_load", { name: "a" });
      match(loaded.text[0]!, RENDERED);
      const { messages } = await client.sdk.getPrompt({ name: "a" });
      match(messages[0].content.text, RENDERED);
    },
  });
}
