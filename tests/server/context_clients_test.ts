/** The context of a workspace, as clients of both protocol lines see it. */

import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { connect, type Json, LINES, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const URI = "skillfence://context";
const FILES = {
  "skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\nA.\n",
  "work/AGENTS.md": "Say please.\n",
  "work/CLAUDE.md": "For one client.\n",
  "work/.agents/skills/always.md": "Be brief.\n",
};

for (const line of LINES) {
  Deno.test({
    name:
      `skillfence://context (${line}): listed, read, and told of when it moved`,
    ...processTest,
    async fn() {
      await using tree = await makeTree(FILES);
      await using client = await connect(line, {
        args: [
          "--skills",
          tree.path("skills"),
          "--workspace",
          tree.path("work"),
        ],
      });
      const { sdk } = client;
      const { resources } = await sdk.listResources();
      const row = resources.find(({ uri }: Json) => uri === URI);
      equal(row.mimeType, "text/plain");
      const read = async () =>
        (await sdk.readResource({ uri: URI })).contents[0].text as string;
      match(
        await read(),
        /From AGENTS\.md of the workspace:\n<UNTRUSTED_CONTENT>\nSay please\./,
      );
      match(await read(), /always-on skill workspace\/always/);
      ok(!client.instructions!.includes("please"));

      const told: string[] = [];
      const hear = ({ params }: Json) => told.push(params.uri);
      if (line === "v1") {
        const { ResourceUpdatedNotificationSchema } = await import(
          "@modelcontextprotocol/sdk/types.js"
        );
        sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, hear);
      } else {
        sdk.setNotificationHandler("notifications/resources/updated", hear);
      }
      if (line === "v2") {
        await sdk.listen({ resourceSubscriptions: [URI] });
      } else await sdk.subscribeResource({ uri: URI });
      await tree.write({ "work/AGENTS.md": "Say thank you.\n" });
      await client.call("skill_match", { message: "anything" });
      await until(() => told.length > 0);
      deepEqual(told, [URI]);
      match(await read(), /Say thank you/);
    },
  });
}

Deno.test({
  name:
    "skillfence://context: without a workspace it is neither listed nor read",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    await using client = await connect("v2", {
      args: ["--skills", tree.path("skills")],
    });
    const { resources } = await client.sdk.listResources();
    ok(!JSON.stringify(resources).includes(URI));
    await rejects(client.sdk.readResource({ uri: URI }));
  },
});

Deno.test({
  name:
    "skillfence://context: a client's own roots are workspaces, and what it loads itself is left out and said",
  ...processTest,
  async fn() {
    await using tree = await makeTree(FILES);
    await using client = await connect("v2-legacy", {
      args: ["--skills", tree.path("skills")],
      roots: [pathToFileURL(tree.path("work")).href],
      identity: { name: "claude-code", version: "2.1.300" },
    });
    const text = await until(async () => {
      const { isError, text } = await client.call("skill_file", { path: URI });
      return isError ? undefined : text[1];
    });
    match(text, /Say please/);
    ok(!text.includes("For one client"));
    match(text, /CLAUDE\.md: /);
  },
});
