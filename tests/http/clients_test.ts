import assert from "node:assert/strict";
import { LINES, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { modernBody, modernHeaders } from "./raw.ts";
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
        "skill_match",
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

Deno.test({
  name: "http: whatever a 2026 client is answered may be kept for no time",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILLS);
    await using server = await startHttp({ skills: tree.root });
    for (
      const [method, params] of [
        ["server/discover", undefined],
        ["tools/list", undefined],
        ["prompts/list", undefined],
        ["resources/list", undefined],
        ["resources/templates/list", undefined],
        ["resources/read", { uri: "skill://a/SKILL.md" }],
        ["skills/list", undefined],
        ["skills/get", { uri: "skill://a/SKILL.md" }],
        ["resources/directory/read", { uri: "skill://a" }],
      ] as const
    ) {
      const name = params?.uri;
      const response = await server.fetch("/mcp", {
        method: "POST",
        headers: modernHeaders(method, name),
        body: modernBody(method, params),
      });
      const { result } = await response.json();
      const { ttlMs, cacheScope } = result;
      assert.deepEqual([ttlMs, cacheScope], [0, "private"], method);
    }
  },
});
