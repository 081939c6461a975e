/** Resources as clients of both lines see them, over stdio. */

import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { META_KEY } from "../../../src/server/resources/metadata.ts";
import { ask } from "../../support/asking.ts";
import {
  connect,
  type Json,
  LINES,
  processTest,
  type TestClient,
} from "../../support/clients.ts";
import { type Entry, makeTree, type Tree } from "../../support/tree.ts";

const TREE: Record<string, Entry> = {
  "skills/acme/pay/SKILL.md":
    "---\nname: pay\ntitle: Pay people\ndescription: |\n  Pays.\n  # 9 available\nreferences: [../../shared/rules.md]\nteam: {lead: Ada}\n---\nPay.\n",
  "skills/acme/pay/table.csv": "a,b\n",
  "skills/shared/rules.md": "---\nx: 1\n---\nRules.\n",
  "skills/shared/secret.md": "not declared",
  "skills/zeta/SKILL.md": "---\nname: zeta\ndescription: Last.\n---\nZ.\n",
  "skills/odd/SKILL.md": "---\nname: even\ndescription: No.\n---\nO.\n",
  "prompts/review.md": "Review it.\n",
};

async function connected(
  line: (typeof LINES)[number],
  test: (client: TestClient, tree: Tree) => Promise<void>,
): Promise<void> {
  await using tree = await makeTree(TREE);
  await using client = await connect(line, {
    args: [
      "--skills",
      tree.path("skills"),
      "--prompt-dir",
      JSON.stringify({ dir: tree.path("prompts") }),
    ],
  });
  await test(client, tree);
  deepEqual(client.errors, []);
}

function invalid(message: RegExp) {
  return (error: Json) => {
    equal(error.code, -32602, String(error));
    match(error.message, message);
    return true;
  };
}

for (const line of LINES) {
  Deno.test({
    name:
      `resources/list (${line}): the index, skills, prompts, and nothing else`,
    ...processTest,
    fn: () =>
      connected(line, async ({ sdk }, tree) => {
        const { resources, ttlMs, cacheScope } = await sdk.listResources();
        deepEqual(resources.map(({ uri }: Json) => uri), [
          "skillfence://skills",
          "skill://acme/pay/SKILL.md",
          "skill://zeta/SKILL.md",
          "skillfence://prompts/review",
        ]);
        if (line === "v2") {
          deepEqual([ttlMs, cacheScope], [86_400_000, "private"]);
        }
        const [index, pay] = resources;
        equal(index.mimeType, "text/markdown");
        match(index.description, /2 skills/);
        const { _meta, ...rest } = pay;
        deepEqual(rest, {
          uri: "skill://acme/pay/SKILL.md",
          name: "pay",
          title: "Pay people",
          description: "Pays.\n# 9 available",
          mimeType: "text/markdown",
          size: (TREE["skills/acme/pay/SKILL.md"] as string).length,
        });
        deepEqual(Object.keys(_meta), [META_KEY]);
        const { modified, created: _, ...block } = _meta[META_KEY];
        match(modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        deepEqual(block, {
          name: "pay",
          team: { lead: "Ada" },
          path: tree.path("skills", "acme", "pay", "SKILL.md"),
          bundleDir: tree.path("skills", "acme", "pay"),
          size: rest.size,
        });
        const { resourceTemplates } = await sdk.listResourceTemplates();
        deepEqual(
          resourceTemplates.map(({ uriTemplate }: Json) => uriTemplate),
          ["skill://{+path}"],
        );
      }),
  });

  Deno.test({
    name:
      `resources/read (${line}): index, raw files, copies, prompts and declared file:// addresses`,
    ...processTest,
    fn: () =>
      connected(line, async ({ sdk }, tree) => {
        const read = async (uri: string) => {
          const { contents } = await sdk.readResource({ uri });
          equal(contents.length, 1);
          equal(contents[0].uri, uri);
          return contents[0];
        };
        const index = await read("skillfence://skills");
        match(index.text, /call the tool `skill_load`/);
        match(index.text, /\n## 2 available\n/);
        match(
          index.text,
          /\n### acme\/pay\n\n\*\*Pay people\*\*\n\nPays\. # 9 available\n\n- `skill:\/\/acme\/pay\/SKILL\.md`\n- 1 shared reference:/,
        );
        match(index.text, /\n1 more can be loaded by tools only/);
        const { resources: [listed] } = await sdk.listResources();
        equal(listed.size, new TextEncoder().encode(index.text).length);

        const main = await read("skill://acme/pay/SKILL.md");
        equal(main.text, TREE["skills/acme/pay/SKILL.md"]);
        equal(main._meta[META_KEY].team.lead, "Ada");
        const table = await read("skill://acme/pay/table.csv");
        deepEqual(table, {
          uri: "skill://acme/pay/table.csv",
          mimeType: "text/csv",
          text: "a,b\n",
        });
        equal(
          (await read("skillfence://prompts/review")).text,
          "Review it.",
        );
        const rules = tree.path("skills", "shared", "rules.md");
        equal(
          (await read(pathToFileURL(rules).href)).text,
          TREE["skills/shared/rules.md"],
        );
        for (
          const uri of [
            "skill://acme/pay",
            "skill://acme/pay/",
            "skill://acme/pay/none.md",
            "skill://acme/pay/../../shared/rules.md",
            "skill://odd/SKILL.md",
            "skill://shared/rules.md",
            "skillfence://skillsfoo",
            "skillfence://skills/x",
            "skillfence://prompts/",
            "skillfence://prompts/none",
            "skill://",
            "http://example.com/",
            "not a uri",
            pathToFileURL(tree.path("skills", "shared", "secret.md")).href,
            "file:///etc/passwd",
          ]
        ) {
          await rejects(
            sdk.readResource({ uri }),
            invalid(/nothing is served at|is a directory|directory\/read/),
            uri,
          );
        }
        await rejects(
          sdk.readResource({ uri: "skill://acme/pay" }),
          invalid(
            /"skill:\/\/acme\/pay" is a directory.*directory\/read lists/s,
          ),
        );
        await rejects(
          sdk.listResources({ cursor: "bm9uZQ" }),
          invalid(/cursor/),
        );
      }),
  });

  Deno.test({
    name:
      `resources/list and skills/list (${line}): paged, and a rescan in between repeats and skips none`,
    ...processTest,
    fn: async () => {
      const skill = (n: number): [string, string] => {
        const name = `s${String(n).padStart(4, "0")}`;
        return [
          `${name}/SKILL.md`,
          `---\nname: ${name}\ndescription: N.\n---\nx\n`,
        ];
      };
      const even = Array.from({ length: 130 }, (_, n) => skill(2 * n));
      await using tree = await makeTree(Object.fromEntries(even));
      await using client = await connect(line, {
        args: ["--skills", tree.root],
      });
      for (const kind of ["resources", "skills"]) {
        await tree.write(Object.fromEntries(even));
        await client.call("skill_list", { reload: true });
        const uris: string[] = [];
        let last = "";
        let cursor: string | undefined;
        do {
          const params = cursor === undefined ? {} : { cursor };
          const page = await ask(client, `${kind}/list`, params);
          uris.push(...page[kind].map(({ uri }: Json) => uri));
          if (cursor === undefined) {
            // One before the cursor comes, one after it, and its own goes.
            last = uris.at(-1)!.slice("skill://".length, -"/SKILL.md".length);
            await tree.write(Object.fromEntries([skill(1), skill(255)]));
            await Deno.remove(tree.path(last), { recursive: true });
            await client.call("skill_list", { reload: true });
          }
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        equal(new Set(uris).size, uris.length);
        equal(uris.includes("skillfence://skills"), kind === "resources");
        ok(uris.includes("skill://s0255/SKILL.md"));
        ok(!uris.includes("skill://s0001/SKILL.md"));
        for (const [path] of even) ok(uris.includes(`skill://${path}`), path);
        await Deno.remove(tree.path("s0001"), { recursive: true });
        await Deno.remove(tree.path("s0255"), { recursive: true });
      }
    },
  });
}

for (const line of ["v1", "v2-legacy"] as const) {
  Deno.test({
    name:
      `resources/subscribe (${line}): what can be read can be subscribed to, the rest is refused`,
    ...processTest,
    fn: () =>
      connected(line, async ({ sdk }, tree) => {
        const rules = tree.path("skills", "shared", "rules.md");
        for (
          const uri of [
            "skillfence://skills",
            "skill://acme/pay/SKILL.md",
            "skill://acme/pay/table.csv",
            "skillfence://prompts/review",
            pathToFileURL(rules).href,
          ]
        ) {
          deepEqual({ ...await sdk.subscribeResource({ uri }) }, {}, uri);
          deepEqual({ ...await sdk.unsubscribeResource({ uri }) }, {}, uri);
        }
        for (
          const uri of [
            "skill://acme/pay",
            "skill://odd/SKILL.md",
            "skillfence://prompts/none",
            "file:///etc/passwd",
            "nonsense",
          ]
        ) {
          await rejects(
            sdk.subscribeResource({ uri }),
            invalid(/nothing is served/),
            uri,
          );
        }
      }),
  });
}
