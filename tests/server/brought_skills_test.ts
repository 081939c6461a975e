/**
 * Files as the system behind triggers has them, served as they are: numbers are
 * those of its behaviours.
 */

import assert from "node:assert/strict";
import {
  connect,
  type Json,
  processTest,
  type TestClient,
  type ToolAnswer,
} from "../support/clients.ts";
import { openServer } from "../support/server_calls.ts";
import { makeTree, type Tree } from "../support/tree.ts";

/** A server in this process or in one of its own. */
interface Called {
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
}

async function listed(server: Called, args: Json = {}): Promise<Json[]> {
  return (await server.call("skill_list", args)).structured.skills;
}

async function load(server: Called, name: string): Promise<Json> {
  const { text, isError } = await server.call("skill_load", { name });
  return isError ? { refused: text[0] } : {
    body: text[0],
    manifest: JSON.parse(text[1]!),
  };
}

/** A server process whose one root serves single files too. */
async function flatClient(
  tree: Tree,
  suffix = "",
): Promise<TestClient> {
  const dir = `${tree.path("flat")}${suffix}`;
  return await connect("v2", {
    args: ["--skill-dir", JSON.stringify({ dir, flat: true })],
  });
}

Deno.test({
  name:
    "behaviours 1, 2, 4, 5: a file with no frontmatter or an empty one is its text, named by its path",
  ...processTest,
  async fn() {
    const files = {
      "flat/style.md": "# Style\n\nTabs.\n",
      "flat/dir/x.md": "---\n---\nOnly this.\n",
    };
    await using tree = await makeTree(files);
    for (const suffix of ["", "/", "//"]) {
      await using server = await flatClient(tree, suffix);
      const hidden = await listed(server, { hidden: true });
      assert.deepEqual(
        hidden.map(({ name, kind }) => [name, kind]),
        [["dir/x", "always"], ["style", "always"]],
      );
      const { text } = await server.call("skill_file", {
        path: "skillfence://context",
      });
      assert.match(text[1]!, /# Style\n\nTabs\./);
      assert.match(text[1]!, /CONTENT>\nOnly this\.\n<\//);
    }
  },
});

Deno.test("behaviours 9, 10, 14, 15: versions of any type and keys of before cost nothing", async () => {
  const keys = [
    "version: 1",
    "version: 1.5",
    'version: "1.0.0"',
    "type: knowledge\nagent: CodeActAgent",
    "license: MIT",
  ];
  await using server = await openServer({
    files: Object.fromEntries(keys.map((key, n) => [
      `s${n}/SKILL.md`,
      `---\nname: s${n}\ndescription: d\n${key}\ntriggers: [word${n}]\n---\nText ${n}.\n`,
    ])),
  });
  const skills = await listed(server);
  assert.deepEqual(skills.map(({ name }) => name), [
    "s0",
    "s1",
    "s2",
    "s3",
    "s4",
  ]);
  assert.ok(skills.every(({ hidden }) => hidden === undefined));
  const { structured } = await server.call("skill_list", {});
  assert.deepEqual(
    structured.problems.filter(({ reason }: Json) =>
      !["left-out", "frontmatter-type"].includes(reason)
    ),
    [],
  );
  const { text } = await server.call("skill_match", {
    message: keys.map((_, n) => `word${n}`).join(" "),
  });
  assert.equal(JSON.parse(text[0]!).hits.length, keys.length);
});

Deno.test("behaviours 13, 16 to 18, 32: what is wrong with one file costs no other", async () => {
  const good =
    "---\nname: good\ndescription: d\ntriggers: [good]\n---\nGood.\n";
  const long = "x".repeat(2_000);
  await using server = await openServer({
    files: {
      "good/SKILL.md": good,
      "yaml/SKILL.md": "---\nname: [\n---\nx\n",
      "list/SKILL.md": "---\nname: list\ndescription: [a, b]\n---\nx\n",
      "bytes/SKILL.md": new Uint8Array([0xff, 0xfe, 0x00]),
      "no name!/SKILL.md": good,
      "long/SKILL.md": `---\nname: long\ndescription: ${long}\n---\nx\n`,
    },
  });
  const skills = await listed(server);
  assert.deepEqual(skills.map(({ name }) => name), [
    "bytes",
    "good",
    "list",
    "long",
    "yaml",
  ]);
  // 31, 101: longer descriptions are cut where they are shown, and say so.
  const [shown] = skills.filter(({ name }) => name === "long");
  assert.ok(shown.description.length < long.length);
  assert.match(shown.description, /^x+.*(?:…|\d+)/);
  const { structured } = await server.call("skill_list", {});
  for (const path of ["yaml", "list", "bytes", "no name!"]) {
    assert.ok(
      structured.problems.some((each: Json) => each.path.startsWith(path)),
      path,
    );
  }
});

Deno.test("behaviours 66, 67, 74: a rule stays out of every listing and is not loaded, whatever it says", async () => {
  await using server = await openServer({
    files: {
      "rule/SKILL.md":
        '---\nname: rule\ndescription: Words of a rule.\npaths: ["*.ts"]\ndisable-model-invocation: false\n---\nRule.\n',
      "other/SKILL.md": "---\nname: other\ndescription: d\n---\nOther.\n",
    },
  });
  assert.deepEqual((await listed(server)).map(({ name }) => name), ["other"]);
  assert.deepEqual(await listed(server, { query: "words rule" }), []);
  const [rule] = await listed(server, { hidden: true });
  assert.equal(rule.name, "rule");
  assert.match(rule.hidden, /rule for certain paths/);
  const { refused } = await load(server, "rule");
  assert.match(refused, /NOT_FOR_MODELS.*skill_match with the paths/);
});

Deno.test("behaviours 97 to 100: the list holds no place and no text, and says where a description is missing", async () => {
  await using none = await openServer({ files: {} });
  assert.deepEqual(await listed(none), []);
  await using server = await openServer({
    files: {
      "a/SKILL.md":
        '---\nname: a\ndescription: A <b> & "c"\n---\nBody words.\n',
      "b/SKILL.md": "# Title\n\nFirst line of b.\n",
    },
  });
  const answer = await server.call("skill_list", {});
  const said = JSON.stringify(answer.structured.skills);
  assert.ok(!said.includes(server.root));
  assert.ok(!said.includes("Body words") && !said.includes("First line"));
  const [a, b] = answer.structured.skills;
  assert.equal(a.description, 'A <b> & "c"');
  assert.equal(b.description, "");
  assert.ok(
    answer.structured.problems.some(({ path }: Json) => path.startsWith("b")),
  );
});

Deno.test({
  name:
    "behaviours 110, 113: unknown names are refused with the nearest, files with a trigger are loaded by name",
  ...processTest,
  async fn() {
    await using tree = await makeTree({
      "flat/git.md": "---\ntriggers: [git]\n---\nUse git.\n",
      "flat/always.md": "Always.\n",
    });
    await using server = await flatClient(tree);
    assert.equal((await load(server, "git")).body, "Use git.\n");
    const unknown = await load(server, "gti");
    assert.match(unknown.refused, /UNKNOWN_SKILL.*git/);
    const always = await load(server, "always");
    assert.match(always.refused, /NOT_FOR_MODELS.*skillfence:\/\/context/);
    // 111: loading twice gives it twice; nothing is recorded or withheld.
    assert.equal((await load(server, "git")).body, "Use git.\n");
  },
});
