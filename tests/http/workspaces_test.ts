import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { type Json, LINES, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { connectHttp, type HttpClient, startHttp } from "./server.ts";

const FILES = {
  "skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\nA.\n",
  "own/.agents/skills/own.md": "---\ntriggers: [own]\n---\nOwn.\n",
  "own/AGENTS.md": "Of the owner's workspace.\n",
  "theirs/.agents/skills/theirs.md": "---\ntriggers: [own]\n---\nTheirs.\n",
  "theirs/AGENTS.md": "Of whoever calls.\n",
};

async function call(client: HttpClient, name: string, args: Json = {}) {
  return await client.request("tools/call", { name, arguments: args });
}

for (const line of LINES) {
  Deno.test({
    name:
      `http (${line}): workspaces are those of --workspace or none, whatever roots the client has`,
    ...processTest,
    async fn() {
      await using tree = await makeTree(FILES);
      const uri = pathToFileURL(tree.path("theirs")).href;
      for (const args of [[], ["--workspace", tree.path("own")]]) {
        await using server = await startHttp({
          skills: tree.path("skills"),
          args,
        });
        let asked = 0;
        const roots = {
          map: () => {
            asked++;
            return [{ uri }];
          },
        };
        await using client = await connectHttp(line, server, {
          roots: roots as unknown as string[],
        });
        const listed = await call(client, "skill_list");
        const names = listed.structuredContent.skills
          .map(({ name }: Json) => name);
        assert.deepEqual(
          names,
          args.length === 0 ? ["a"] : ["a", "workspace/own"],
        );
        const { content } = await call(client, "skill_match", {
          message: "own",
          paths: [tree.path("theirs/x.ts")],
        });
        const report = JSON.parse(content[0].text);
        assert.deepEqual(
          report.hits.map(({ skill }: Json) => skill),
          args.length === 0 ? [] : ["workspace/own"],
        );
        assert.equal(report.refusedPaths.length, 1);
        assert.ok(!JSON.stringify(content).includes("Theirs"));
        const read = client.request("resources/read", {
          uri: "skillfence://context",
        });
        if (args.length === 0) await assert.rejects(read);
        else {
          const text = (await read).contents[0].text;
          assert.match(text, /Of the owner's workspace/);
          assert.doesNotMatch(text, /Of whoever calls/);
        }
        assert.equal(asked, 0);
      }
    },
  });
}
