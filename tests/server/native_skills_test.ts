/** Skills that the connected client has itself, as it sees them over stdio. */

import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { ClientName } from "../../src/server/client_name.ts";
import { connect, type Json, LINES, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\n`;

const FILES = {
  "served/claudes/SKILL.md": skill("claudes"),
  "served/codexs/SKILL.md": skill("codexs"),
  "served/own/SKILL.md": skill("own"),
  "home/.claude/skills/claudes/SKILL.md": "another text",
  "work/.agents/skills/codexs/SKILL.md": "another text",
};

/** Where modules lie, whatever the home of the server is. */
const DENO_DIR = Deno.env.get("DENO_DIR") ??
  join(Deno.env.get("HOME") ?? "/", ".cache", "deno");

for (const line of LINES) {
  for (
    const [client, has] of [
      ["claude-code", ["claudes"]],
      ["codex-mcp-client", ["codexs"]],
      ["skillfence-tests", ["claudes", "codexs"]],
    ] as const
  ) {
    for (const skip of [false, true]) {
      Deno.test({
        name: `native skills (${line}, ${client}): what it has is ${
          skip ? "left out with --skip-native" : "noted and served"
        }`,
        ...processTest,
        async fn() {
          await using tree = await makeTree(FILES);
          await using server = await connect(line, {
            args: [
              "--skills",
              tree.path("served"),
              ...(skip ? ["--skip-native"] : []),
            ],
            env: { HOME: tree.path("home"), DENO_DIR },
            cwd: tree.path("work"),
            identity: { name: client, version: "1" },
          });
          const { structured } = await server.call("skill_list");
          const names = structured.skills.map(({ name }: Json) => name);
          const all = ["claudes", "codexs", "own"];
          deepEqual(
            names,
            skip ? all.filter((name) => !has.some((h) => h === name)) : all,
          );
          const notes = structured.problems.filter(({ reason }: Json) =>
            reason === "native-skill"
          );
          equal(notes.length, 1);
          equal(notes[0].severity, "note");
          match(notes[0].detail, new RegExp(`: ${has.join("(, | and )")}$`));
        },
      });
    }
  }
}

Deno.test("ClientName: from initialize, from a request's _meta, and from nothing else", () => {
  const info = { name: "claude-code", version: "1" };
  for (
    const [params, name] of [
      [{ clientInfo: info }, "claude-code"],
      [
        { _meta: { "io.modelcontextprotocol/clientInfo": info } },
        "claude-code",
      ],
      [{ clientInfo: { name: 7 } }, undefined],
      [{ name: "claude-code" }, undefined],
      [undefined, undefined],
      [null, undefined],
      ["text", undefined],
    ] as const
  ) {
    const client = new ClientName();
    client.hear({ params });
    equal(client.get(), name, JSON.stringify(params));
    client.hear({ params: { name: "skill_list" } });
    equal(client.get(), name, "a later request that says nothing");
  }
});
