/** What a script of a workspace's skill needs to run, through the tools. */

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createEngine } from "../../src/server/engine.ts";
import { scriptStates } from "../../src/server/script_states.ts";
import { setup } from "../support/config.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const FILES = {
  "w/.agents/skills/x/SKILL.md":
    "---\nname: x\ndescription: X.\nmcp-host:\n  version: 1\n  run:\n    - script: go.js\n      interpreter: deno\n---\n",
  "w/.agents/skills/x/go.js": "console.log(1);\n",
  "v": { dir: true },
} as const;

/** What comes of a call in the workspace `w`, with this grant. */
async function prepared(tree: Tree, rows: unknown[] | undefined) {
  const { config } = setup({
    env: {
      SKILLFENCE_CACHE_DIR: tree.path("cache"),
      PATH: Deno.env.get("PATH") ?? "",
      ...(rows === undefined ? {} : { MCP_SKILL_RUN: JSON.stringify(rows) }),
    },
    flags: { workspaces: [tree.path("w")] },
  });
  const engine = createEngine(config);
  try {
    const skill = (await engine.catalog.snapshot()).skills.get("workspace/x")!;
    const [state] = await scriptStates(engine, skill, undefined);
    const plan = await engine.planner.prepare({
      skill: "workspace/x",
      script: "go.js",
      args: [],
      stdin: undefined,
      files: [],
    });
    const snapshot = await engine.catalog.snapshot();
    return { plan, state, notes: engine.grantNotes(snapshot) };
  } finally {
    engine.runner.closeSync();
  }
}

/** The row that a refusal's hint prints. */
function rowIn(hint: string): Record<string, unknown> {
  return JSON.parse(/\[\{.*?\}\]/.exec(hint)![0])[0];
}

Deno.test("a workspace's skill: without a grant it runs nothing, and the refusal prints the whole row, which permits it", async () => {
  await using tree = await makeTree(FILES);
  const first = await prepared(tree, undefined);
  ok(!first.plan.ok);
  equal(first.plan.code, "NOT_GRANTED");
  match(first.plan.hint, /from then on nothing else runs/);
  equal(first.state!.state, "ungranted");
  match(first.state!.reason!, /with its workspace and its bundle/);

  const row = rowIn(first.plan.hint);
  deepEqual(
    [row["skill"], row["script"], row["workspace"]],
    ["workspace/x", "go.js", tree.path("w")],
  );
  const second = await prepared(tree, [row]);
  ok(second.plan.ok, JSON.stringify(second.plan));
  equal(second.state!.state, "runnable");
  deepEqual(second.notes, []);

  await tree.write({ "w/.agents/skills/x/go.js": "console.log(2);\n" });
  const stale = await prepared(tree, [row]);
  ok(!stale.plan.ok);
  equal(stale.plan.code, "GRANT_STALE");
});

Deno.test("a workspace's skill: a row that lacks either field, or means another workspace, is told and permits nothing", async () => {
  await using tree = await makeTree(FILES);
  const refused = await prepared(tree, undefined);
  ok(!refused.plan.ok);
  const row = rowIn(refused.plan.hint);
  for (
    const [change, why] of [
      [{ bundle: undefined }, /pins no bundle/],
      [{ workspace: undefined }, /has no workspace/],
      [{ workspace: tree.path("v") }, /another workspace/],
    ] as const
  ) {
    const { plan, notes, state } = await prepared(tree, [{
      ...row,
      ...change,
    }]);
    ok(!plan.ok);
    equal(plan.code, "NOT_GRANTED");
    deepEqual(rowIn(plan.hint), row);
    equal(state!.state, "ungranted");
    equal(notes.length, 1);
    match(notes[0]!.detail, why);
  }
});
