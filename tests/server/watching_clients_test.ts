/** What real clients hear when files move: each row of the table of notices. */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import {
  connect,
  type Json,
  type Line,
  LINES,
  type TestClient,
} from "../support/clients.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";

const INDEX = "skillfence://skills";
const RESOURCES = "resources/list_changed";
const PROMPTS = "prompts/list_changed";

const skill = (name: string, more = "", body = "Body."): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n${body}\n`;

const FILES = {
  "skills/a/SKILL.md": skill("a"),
  "skills/a/x.md": "x",
  "skills/a/inner/SKILL.md": skill("inner"),
  "skills/a/inner/y.md": "y",
  "skills/b/SKILL.md": skill("b"),
  "skills/citing/SKILL.md": skill(
    "citing",
    "references: [../references/r.md]\n",
  ),
  "skills/references/r.md": "r",
  "prompts/p.md": "Prompt.",
  "one/single.md": "Single.",
};

/** Every address that an edit below can move. */
function addresses(tree: Tree): string[] {
  return [
    INDEX,
    ...["a", "a/inner", "b", "citing"].map((name) =>
      `skill://${name}/SKILL.md`
    ),
    "skill://a/x.md",
    "skill://a/inner/y.md",
    "skill://citing/references/r.md",
    "skillfence://prompts/p",
    "skillfence://prompts/single",
    pathToFileURL(tree.path("skills/references/r.md")).href,
  ];
}

/** A client that listens to everything, and what it heard in short. */
async function listening(line: Line, tree: Tree) {
  const client = await connect(line, {
    args: [
      "--skills",
      tree.path("skills"),
      "--prompt-dir",
      JSON.stringify({ dir: tree.path("prompts") }),
      "--prompt-file",
      tree.path("one/single.md"),
    ],
  });
  const heard: string[] = [];
  client.sdk.fallbackNotificationHandler = ({ method, params }: Json) => {
    const what = String(method).replace("notifications/", "");
    heard.push(what === "resources/updated" ? params.uri : what);
    return Promise.resolve();
  };
  await subscribe(client, addresses(tree));
  await client.call("skill_list");
  await settled(client);
  return {
    client,
    heard,
    /** What is heard of one edit, in order. */
    async of(edit: () => void | Promise<void>, count: number) {
      heard.length = 0;
      await edit();
      await until(() => heard.length >= count);
      // What was sent with it is here before the answer to a later question.
      await client.call("skill_list");
      return [...heard];
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

async function subscribe(client: TestClient, uris: string[]): Promise<void> {
  if (client.line === "v2") {
    await client.sdk.listen({
      resourcesListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: uris,
    });
    return;
  }
  for (const uri of uris) await client.sdk.subscribeResource({ uri });
}

/** Until everything is watched: a reload waits for what began before it. */
async function settled(client: TestClient): Promise<void> {
  await client.call("skill_list", { reload: true });
  await until(async () => {
    const { structured } = await client.call("skill_list", { reload: true });
    return structured.watch.every(({ state }: Json) => state === "watching") &&
      Object.values(structured.moved).flat().length === 0;
  });
}

function same(heard: readonly string[], lists: string[], uris: string[]): void {
  assert.deepEqual(heard.slice(0, lists.length), lists);
  assert.deepEqual(heard.slice(lists.length).sort(), uris.sort());
}

for (const line of LINES) {
  Deno.test(`announce: each row of the table of notices reaches a client (${line})`, async () => {
    await using tree = await makeTree(FILES);
    await using it = await listening(line, tree);

    same(
      await it.of(
        () => tree.write({ "skills/b/SKILL.md": skill("b", "", "New.") }),
        3,
      ),
      [RESOURCES],
      ["skill://b/SKILL.md", INDEX],
    );
    same(
      await it.of(
        () => tree.write({ "skills/b/SKILL.md": skill("b", "title: B\n") }),
        4,
      ),
      [RESOURCES, PROMPTS],
      ["skill://b/SKILL.md", INDEX],
    );
    same(
      await it.of(() => tree.write({ "skills/a/x.md": "xx" }), 4),
      [RESOURCES],
      ["skill://a/x.md", "skill://a/SKILL.md", INDEX],
    );
    same(
      await it.of(() => tree.write({ "skills/a/inner/y.md": "yy" }), 5),
      [RESOURCES],
      [
        "skill://a/inner/y.md",
        "skill://a/inner/SKILL.md",
        "skill://a/SKILL.md",
        INDEX,
      ],
    );
    same(
      await it.of(() => tree.write({ "skills/c/SKILL.md": skill("c") }), 3),
      [RESOURCES, PROMPTS],
      [INDEX],
    );
    same(
      await it.of(
        () => Deno.remove(tree.path("skills/c"), { recursive: true }),
        3,
      ),
      [RESOURCES, PROMPTS],
      [INDEX],
    );
    const file = pathToFileURL(tree.path("skills/references/r.md")).href;
    const ofReference = [
      file,
      "skill://citing/references/r.md",
      "skill://citing/SKILL.md",
      INDEX,
    ];
    same(
      await it.of(() => tree.write({ "skills/references/r.md": "rr" }), 5),
      [RESOURCES],
      ofReference,
    );
    same(
      await it.of(() => Deno.remove(tree.path("skills/references/r.md")), 5),
      [RESOURCES],
      ofReference,
    );
    same(
      await it.of(() => tree.write({ "prompts/p.md": "Another." }), 3),
      [RESOURCES, PROMPTS],
      ["skillfence://prompts/p"],
    );
    // An atomic save: another file takes the place of the one.
    same(
      await it.of(async () => {
        await tree.write({ "one/.tmp": "Another single." });
        await Deno.rename(tree.path("one/.tmp"), tree.path("one/single.md"));
      }, 3),
      [RESOURCES, PROMPTS],
      ["skillfence://prompts/single"],
    );
    assert.deepEqual(it.client.errors, []);
  });
}

Deno.test("announce: a 2025 client hears updates of what it subscribed to, and of nothing else", async () => {
  await using tree = await makeTree(FILES);
  await using it = await listening("v1", tree);
  for (const uri of addresses(tree).slice(1)) {
    await it.client.sdk.unsubscribeResource({ uri });
  }
  assert.deepEqual(
    await it.of(
      () => tree.write({ "skills/b/SKILL.md": skill("b", "", "New.") }),
      2,
    ),
    [RESOURCES, INDEX],
  );
});

Deno.test("announce: a client hears nothing of events after which nothing has moved", async () => {
  await using tree = await makeTree(FILES);
  await using it = await listening("v2", tree);
  const heard = await it.of(async () => {
    // As editors and checkouts do: made and taken away, renamed and back, with
    // no turn between in which the server could look.
    await tree.write({ "skills/a/.x.md.swp": "x" });
    Deno.writeTextFileSync(tree.path("skills/a/4913"), "");
    Deno.removeSync(tree.path("skills/a/4913"));
    Deno.mkdirSync(tree.path("skills/new"));
    Deno.removeSync(tree.path("skills/new"));
    Deno.renameSync(tree.path("skills/b"), tree.path("skills/aside"));
    Deno.renameSync(tree.path("skills/aside"), tree.path("skills/b"));
    await Deno.readTextFile(tree.path("skills/a/x.md"));
    // The server has looked at all that when it tells of this.
    await settled(it.client);
    await tree.write({ "prompts/p.md": "Another." });
  }, 3);
  assert.deepEqual(heard, [RESOURCES, PROMPTS, "skillfence://prompts/p"]);
});
