/** What the Skills extension excludes, as clients see it, kind by kind. */

import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { ask } from "../../support/asking.ts";
import {
  connect,
  type Json,
  LINES,
  processTest,
  type TestClient,
} from "../../support/clients.ts";
import { type Entry, makeTree } from "../../support/tree.ts";

const front = (text: string) => `---\n${text}\n---\nBody of it.\n`;
const named = (name: string, more = "") =>
  front(`name: ${name}\ndescription: About ${name}.${more}`);

/** Directory of each skill that is excluded -> what the problem says of it. */
const KINDS: Record<string, RegExp> = {
  "another-name": /name "other" is not "another-name"/,
  "no-description": /no description/,
  "many-files": /513 files/,
  "too-large": /16 MiB/,
  "no-json": /no JSON form/,
  "shipped": /where the shared file 1:references\/style\.md would/,
  "no-frontmatter": /no frontmatter/,
};

const TREE: Record<string, Entry> = {
  "fine/SKILL.md": named("fine"),
  "exact/SKILL.md": named("exact"),
  "another-name/SKILL.md": front("name: other\ndescription: d"),
  "no-description/SKILL.md": front("name: no-description"),
  "many-files/SKILL.md": named("many-files"),
  "too-large/SKILL.md": named("too-large"),
  "too-large/large.bin": new Uint8Array(16 * 1024 * 1024),
  "no-json/SKILL.md": named("no-json", "\nbound: .inf"),
  "shipped/SKILL.md": named(
    "shipped",
    "\nreferences: [../references/style.md]",
  ),
  "shipped/references/style.md": "its own",
  "references/style.md": "shared",
  "no-frontmatter/SKILL.md": "Body of it.\n",
};
for (let i = 0; i < 512; i++) TREE[`many-files/${i}`] = "";
for (let i = 0; i < 511; i++) TREE[`exact/${i}`] = "";

async function pages(
  client: TestClient,
  method: string,
  key: string,
): Promise<Json[]> {
  const items: Json[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(
      client,
      method,
      cursor === undefined ? {} : {
        cursor,
      },
    );
    items.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

for (const line of LINES) {
  Deno.test({
    name:
      `skills (${line}): each kind that the extension excludes is served by tools alone, and told why`,
    ...processTest,
    async fn() {
      await using tree = await makeTree(TREE);
      await using client = await connect(line, {
        args: ["--skills", tree.root],
      });
      const uris = (items: Json[]) => items.map(({ uri }: Json) => uri);
      const fine = ["skill://exact/SKILL.md", "skill://fine/SKILL.md"];
      deepEqual(uris(await pages(client, "skills/list", "skills")), fine);
      deepEqual(uris(await pages(client, "resources/list", "resources")), [
        "skillfence://skills",
        ...fine,
      ]);
      const { structured } = await client.call("skill_list");
      const told = new Map<string, string>(
        structured.problems
          .filter(({ reason }: Json) => reason === "left-out")
          .map(({ skill, detail }: Json) => [skill, detail]),
      );
      deepEqual([...told.keys()].sort(), Object.keys(KINDS).sort());
      for (const [name, why] of Object.entries(KINDS)) {
        match(told.get(name)!, why);
        ok(structured.skills.some((skill: Json) => skill.name === name), name);
        const load = await client.call("skill_load", { name });
        equal(load.text[0], "Body of it.\n", name);
        const file = await client.call("skill_file", {
          name,
          path: "SKILL.md",
        });
        equal(file.text[1], TREE[`${name}/SKILL.md`], name);
        const uri = `skill://${name}/SKILL.md`;
        const refused = { code: -32602 };
        await rejects(client.sdk.readResource({ uri }), refused, name);
        await rejects(ask(client, "skills/get", { uri }), refused, name);
        await rejects(
          ask(client, "resources/directory/read", { uri: `skill://${name}` }),
          refused,
          name,
        );
      }
      const own = await client.call("skill_file", {
        name: "shipped",
        path: "references/style.md",
      });
      equal(own.text[1], "its own");
      deepEqual(client.errors, []);
    },
  });
}
