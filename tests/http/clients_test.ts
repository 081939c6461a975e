import assert from "node:assert/strict";
import { LINES, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { connectHttp, startHttp } from "./server.ts";

const SKILLS = {
  "a/SKILL.md": "---\nname: a\ndescription: first\n---\nBody of a.\n",
  "a/notes.txt": "notes\n",
};

for (const line of LINES) {
  Deno.test({
    name: `http: a ${line} client lists the tools and calls them`,
    ...processTest,
    async fn() {
      await using tree = await makeTree(SKILLS);
      await using server = await startHttp({ skills: tree.root });
      await using client = await connectHttp(line, server);
      const { tools } = await client.request("tools/list");
      assert.deepEqual(tools.map(({ name }: { name: string }) => name), [
        "skill_list",
        "skill_load",
        "skill_file",
      ]);
      const listed = await client.request("tools/call", {
        name: "skill_list",
        arguments: {},
      });
      assert.equal(listed.structuredContent.skills[0].name, "a");
      const loaded = await client.request("tools/call", {
        name: "skill_load",
        arguments: { name: "a" },
      });
      assert.match(loaded.content[0].text, /Body of a/);
    },
  });
}
