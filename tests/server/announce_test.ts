/** Changes as what clients are told, on scans of real trees. */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { scanRoots } from "../../src/catalog/scan.ts";
import type { Snapshot } from "../../src/catalog/types.ts";
import { announce, send } from "../../src/server/announce.ts";
import { changesBetween, movedNothing } from "../../src/server/live_changes.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const INDEX = "skillfence://skills";
const prompts = { prompts: new Map(), problems: [] };

const skill = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\nBody.\n`;

async function scan({ root }: Tree): Promise<Snapshot> {
  return await scanRoots([{
    path: root,
    include: [],
    ignore: [],
    watch: true,
  }]);
}

/** What an edit tells. */
async function told(tree: Tree, edit: () => void | Promise<void>) {
  const before = await scan(tree);
  await edit();
  const after = await scan(tree);
  const changes = changesBetween(
    { skills: before, prompts },
    { skills: after, prompts },
  );
  const told = announce(changes, before, after);
  return { ...told, updated: told.updated.toSorted(), changes };
}

Deno.test("announce: a nested skill that comes, goes or cites a moved file is told of the skills around it too", async () => {
  const citing = skill("deep", "references: [../../../references/r.md]\n");
  await using tree = await makeTree({
    "a/SKILL.md": skill("a"),
    "a/b/SKILL.md": skill("b"),
    "references/r.md": "r",
  });
  const around = ["skill://a/SKILL.md", "skill://a/b/SKILL.md"];
  const came = await told(
    tree,
    () => tree.write({ "a/b/deep/SKILL.md": citing }),
  );
  for (const uri of [...around, INDEX]) assert.ok(came.updated.includes(uri));
  const cited = await told(tree, () => tree.write({ "references/r.md": "rr" }));
  for (
    const uri of [
      ...around,
      "skill://a/b/deep/SKILL.md",
      pathToFileURL(tree.path("references/r.md")).href,
      INDEX,
    ]
  ) assert.ok(cited.updated.includes(uri), uri);
  assert.equal(cited.promptsListChanged, false);
  const went = await told(
    tree,
    () => Deno.remove(tree.path("a/b/deep"), { recursive: true }),
  );
  for (const uri of [...around, INDEX]) assert.ok(went.updated.includes(uri));
  assert.ok(went.promptsListChanged && went.resourcesListChanged);
});

Deno.test("announce: a skill that the Skills extension leaves out has no addresses to update, until it is served", async () => {
  await using tree = await makeTree({ "a/SKILL.md": skill("other") });
  const out = await told(tree, () => tree.write({ "a/x.md": "x" }));
  assert.deepEqual(out.updated, [INDEX]);
  assert.ok(out.resourcesListChanged);
  const back = await told(tree, () => tree.write({ "a/SKILL.md": skill("a") }));
  assert.ok(back.updated.includes("skill://a/SKILL.md"));
});

Deno.test("announce: a file is named once, percent-encoded", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skill("a"),
    "a/50% #1.md": "x",
  });
  const { updated } = await told(
    tree,
    () =>
      tree.write({ "a/50% #1.md": "xx", "a/SKILL.md": skill("a", "x: 1\n") }),
  );
  assert.deepEqual(updated, [
    "skill://a/50%25%20%231.md",
    "skill://a/SKILL.md",
    INDEX,
  ]);
});

Deno.test("announce: nothing moved tells nothing", async () => {
  await using tree = await makeTree({ "a/SKILL.md": skill("a") });
  const { changes, ...rest } = await told(tree, () => {});
  assert.ok(movedNothing(changes));
  assert.deepEqual(rest, {
    resourcesListChanged: false,
    promptsListChanged: false,
    updated: [],
  });
});

Deno.test("send: lists first, then what is wanted", async () => {
  const sent: string[] = [];
  const to = {
    resourcesChanged: () => void sent.push("resources"),
    promptsChanged: () => void sent.push("prompts"),
    resourceUpdated: (uri: string) => void sent.push(uri),
  };
  await send(
    {
      resourcesListChanged: true,
      promptsListChanged: true,
      updated: ["a", "b"],
    },
    to,
    (uri) => uri === "b",
  );
  assert.deepEqual(sent, ["resources", "prompts", "b"]);
});
