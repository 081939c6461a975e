/** Copies of shared references inside the skills that cite them. */

import { deepEqual, equal, match } from "node:assert/strict";
import { createHash } from "node:crypto";
import * as z from "zod";
import { connectHttp, startHttp } from "../../http/server.ts";
import {
  connect,
  type Json,
  LINES,
  processTest,
} from "../../support/clients.ts";
import { makeTree, type Tree } from "../../support/tree.ts";

const skill = (name: string, reference: string) =>
  `---\nname: ${name}\ndescription: d\nreferences: [${reference}]\n---\nBody.\n`;
const STYLE = "---\nname: House style\n---\n# Style\n";
const DIGEST = `sha256:${createHash("sha256").update(STYLE).digest("hex")}`;
const FILES = {
  "git/SKILL.md": skill("git", "../references/scm/style.md"),
  "acme/pay/SKILL.md": skill("pay", "../../references/scm/style.md"),
  "acme/SKILL.md": "---\nname: acme\ndescription: d\n---\n",
  "references/scm/style.md": STYLE,
};

const ANYTHING = z.looseObject({});

type Ask = (method: string, params?: Record<string, unknown>) => Promise<Json>;

const REACH = {
  async stdio(
    line: (typeof LINES)[number],
    tree: Tree,
    end: AsyncDisposableStack,
  ): Promise<Ask> {
    const client = end.use(
      await connect(line, { args: ["--skills", tree.root] }),
    );
    return (method, params = {}) =>
      client.sdk.request({ method, params }, ANYTHING);
  },
  async http(
    line: (typeof LINES)[number],
    tree: Tree,
    end: AsyncDisposableStack,
  ): Promise<Ask> {
    const server = end.use(await startHttp({ skills: tree.root }));
    const client = end.use(await connectHttp(line, server));
    return (method, params = {}) =>
      client.raw.request({ method, params }, ANYTHING);
  },
};

for (const [transport, reach] of Object.entries(REACH)) {
  for (const line of LINES) {
    Deno.test({
      name:
        `copies (${line}, ${transport}): one digest under each citing skill, in list, get, directory read and read`,
      ...processTest,
      async fn() {
        await using tree = await makeTree(FILES);
        await using end = new AsyncDisposableStack();
        const ask = await reach(line, tree, end);
        const { skills } = await ask("skills/list");
        const copy = (citing: string) =>
          `skill://${citing}/references/scm/style.md`;
        const size = STYLE.length;
        for (
          const [name, citing] of [
            ["git", "git"],
            ["acme/pay", "acme/pay"],
            // The skill around a nested one has its copies under one address.
            ["acme", "acme/pay"],
          ] as const
        ) {
          const main = `skill://${name}/SKILL.md`;
          const uri = copy(citing);
          const row = { uri, digest: DIGEST, size };
          const of = (entry: Json) =>
            entry.resources.filter((each: Json) => each.uri === uri);
          deepEqual(of(skills.find((each: Json) => each.uri === main)), [row]);
          deepEqual(of((await ask("skills/get", { uri: main })).skill), [row]);
          const { contents } = await ask("resources/read", { uri });
          equal(contents[0].text, STYLE);
          const { resources } = await ask("resources/directory/read", {
            uri: `skill://${citing}/references/scm`,
          });
          deepEqual(
            resources.map((each: Json) => [each.uri, each.size]),
            [[uri, size]],
          );
        }
        // The link of a one-segment skill leads to the copy, as clients resolve it.
        equal(
          new URL("../references/scm/style.md", "skill://git/SKILL.md").href,
          copy("git"),
        );
        const load = await ask("tools/call", {
          name: "skill_load",
          arguments: { name: "git" },
        });
        const [row] = JSON.parse(load.content[1].text).references;
        equal(row.id, "1:references/scm/style.md");
        equal(row.uri, copy("git"));
        equal(row.fileUri !== undefined, transport === "stdio");
        match(row.name, /^House style$/);
      },
    });
  }
}
