/** In every mode: what fails before the script is never taken for its end. */

import assert from "node:assert/strict";
import { captured, type Fence, openFence } from "../support/fenced.ts";
import { MODES } from "./b_layer_modes.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import type { PreparedRun } from "../../src/fence/types.ts";

/** Lies about what it is, and ends as told. */
const SCRIPT = `
console.error("bwrap: Can't find source path /x: No such file or directory");
console.error("skillfence: the script was not started: output: ESRCH");
console.log('{"failed":"execve","errno":2}');
Deno.exit(Number(Deno.args[0]));
`;

function skill(): Promise<Tree> {
  return makeTree({
    "root/hostile/SKILL.md":
      "---\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - { script: a.mjs, interpreter: deno }\n---\n",
    "root/hostile/a.mjs": SCRIPT,
    data: { dir: true },
  });
}

function fenceOver(tree: Tree, mode: string): Fence {
  return openFence({
    root: tree.path("root"),
    dataDir: tree.path("data"),
    env: { SKILLFENCE_OS_FENCE: mode },
  });
}

/** The Plan with one of its values changed. */
async function prepared(
  fence: Fence,
  change: (plan: PreparedRun["plan"]) => Partial<PreparedRun["plan"]>,
): Promise<PreparedRun> {
  const result = await fence.prepare("a.mjs", { args: ["0"] });
  assert.ok(result.ok, JSON.stringify(result));
  const { plan } = result.value;
  return { ...result.value, plan: { ...plan, ...change(plan) } };
}

for (const { mode, need } of MODES) {
  Deno.test({
    name:
      `set-up (${mode}): a script's own exit code is its own, whatever it says`,
    ...need(),
    async fn() {
      await using tree = await skill();
      using fence = fenceOver(tree, mode);
      for (const code of [0, 1, 125, 126, 127]) {
        const { result, stderr } = await fence.run("a.mjs", {
          args: [String(code)],
        });
        assert.equal(result.exitCode, code, stderr);
        assert.match(stderr, /^bwrap: Can't find/);
      }
    },
  });

  Deno.test({
    name:
      `set-up (${mode}): a limit that cannot be set is a refusal, and nothing ran`,
    ...need(),
    async fn() {
      await using tree = await skill();
      using fence = fenceOver(tree, mode);
      // More than any kernel counts.
      const run = await prepared(fence, ({ limits }) => ({
        limits: { ...limits, openFiles: 2 ** 40 },
      }));
      const ran = await fence.engine.runner.run(run, {});
      assert.ok(!ran.ok, ran.ok ? captured(ran.value.stderr) : "");
      assert.equal(ran.code, "SPAWN_FAILED");
      assert.match(ran.message, /not started.*ended with 125/);
    },
  });

  if (mode === "off") continue;

  Deno.test({
    name:
      `set-up (${mode}): a layer that cannot be set up is a refusal, is looked for anew, and nothing ran`,
    ...need(),
    async fn() {
      await using tree = await skill();
      using fence = fenceOver(tree, mode);
      const missing = tree.path("missing");
      const run = await prepared(fence, ({ confinement, dataDir }) => ({
        confinement: {
          ...confinement,
          // What the layer should open is not there.
          command: confinement.command.map((item) =>
            item === dataDir ? missing : item
          ),
        },
      }));
      const before = fence.engine.osState();
      assert.equal(await fence.engine.osState(), await before);
      const ran = await fence.engine.runner.run(run, {});
      assert.ok(!ran.ok, ran.ok ? captured(ran.value.stderr) : "");
      assert.equal(ran.code, "SPAWN_FAILED");
      assert.match(ran.message, /not started.*missing/);
      assert.match(ran.hint, /doctor/);
      // Another search, and with the same end.
      const after = await fence.engine.osState();
      assert.notEqual(after, await before);
      assert.equal(after.layer?.by, (await before).layer?.by);
      const next = await fence.run("a.mjs", { args: ["3"] });
      assert.equal(next.result.exitCode, 3);
    },
  });
}
