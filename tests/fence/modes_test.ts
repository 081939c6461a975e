/** The product in each mode of the operating system's layer, by effect. */

import assert from "node:assert/strict";
import { needs } from "../support/kernel.ts";
import { openFence } from "../support/fenced.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import type { OsFence } from "../../src/config/types.ts";
import { callOf, makeFixture } from "./plan_fixture.ts";

/** Says where it runs, reads what it may and tries what it may not. */
const SCRIPT = `
import { isMainThread } from "node:worker_threads";
import process from "node:process";
import { readFileSync, writeFileSync } from "node:fs";
writeFileSync(process.env.SKILL_OUT + "/left.txt", "left");
writeFileSync(process.env.MCP_DATA_DIR + "/kept.txt", "kept");
const tried = (act) => { try { return act(); } catch (error) { return error.name; } };
console.log(JSON.stringify({
  main: isMainThread,
  meta: import.meta.main,
  argv: process.argv.slice(2),
  own: readFileSync(new URL("own.txt", import.meta.url), "utf8"),
  handed: readFileSync(process.env.TMPDIR + "/in/given.txt", "utf8"),
  outside: tried(() => readFileSync("/etc/passwd", "utf8")),
  cwd: process.cwd(),
}));
process.exitCode = 7;
`;

function skill(): Promise<Tree> {
  return makeTree({
    "root/hostile/SKILL.md":
      "---\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - { script: a.mjs, interpreter: node }\n    - { script: in.mjs, interpreter: node }\n---\n",
    "root/hostile/a.mjs": SCRIPT,
    "root/hostile/in.mjs":
      `process.stdin.pipe(process.stdout); process.stderr.write("said");`,
    "root/hostile/own.txt": "own",
    data: { dir: true },
  });
}

const MODES = [
  { mode: "off", by: "none", realm: "worker", need: [] },
  { mode: "bwrap", by: "bwrap", realm: "main", need: ["bwrap", "userns"] },
  {
    mode: "bwrap+worker",
    by: "bwrap",
    realm: "worker",
    need: ["bwrap", "userns"],
  },
  {
    mode: "landlock",
    by: "landlock",
    realm: "worker",
    need: ["landlock", "seccomp"],
  },
] as const;

for (const { mode, by, realm, need } of MODES) {
  const options = need.length === 0 ? {} : needs(...need);
  Deno.test({
    name: `SKILLFENCE_OS_FENCE=${mode}: the script runs as its Plan says`,
    ...options,
    async fn() {
      await using tree = await skill();
      using fence = openFence({
        root: tree.path("root"),
        dataDir: tree.path("data"),
        env: { SKILLFENCE_OS_FENCE: mode },
      });
      const call = { args: ["a b", "--c"], files: { "given.txt": "given" } };
      const prepared = await fence.prepare("a.mjs", call);
      assert.ok(prepared.ok, JSON.stringify(prepared));
      const { confinement, layers } = prepared.value.plan;
      assert.equal(confinement.by, by);
      assert.equal(confinement.realm, realm);
      assert.equal(
        layers.find(({ name }) => name === "os")!.on,
        mode !== "off",
      );
      const { result, stdout, stderr } = await fence.run("a.mjs", call);
      assert.equal(result.exitCode, 7, stderr);
      assert.deepEqual(JSON.parse(stdout), {
        main: realm === "main",
        meta: true,
        argv: ["a b", "--c"],
        own: "own",
        handed: "given",
        outside: "NotCapable",
        cwd: tree.path("root", "hostile"),
      });
      assert.deepEqual(
        result.outputs.map(({ path }) => path).sort(),
        ["data/kept.txt", "out/left.txt"],
      );
      const denied = result.evidence.read.filter(({ verdict }) =>
        verdict === "denied"
      );
      assert.deepEqual(denied.map(({ what }) => what), ["/etc/passwd"]);
    },
  });

  Deno.test({
    name:
      `SKILLFENCE_OS_FENCE=${mode}: stdin, stdout and stderr pass unchanged`,
    ...options,
    async fn() {
      await using tree = await skill();
      using fence = openFence({
        root: tree.path("root"),
        env: { SKILLFENCE_OS_FENCE: mode },
      });
      const stdin = "é\u0000\r\n".repeat(50_000);
      const ran = await fence.run("in.mjs", { stdin });
      assert.equal(ran.result.exitCode, 0, ran.stderr);
      assert.equal(ran.stdout, stdin);
      assert.equal(ran.stderr, "said");
    },
  });
}

Deno.test("Planner: a layer that was demanded and does not hold is a refusal, auto is not", async () => {
  const off = { cause: "gone", message: "bubblewrap is gone", advice: "a" };
  const at = async (wanted: OsFence) => {
    await using fixture = await makeFixture({
      files: { "run.mjs": "console.log(1)" },
      deps: {
        os: () => Promise.resolve({ wanted, layer: undefined, off: [off] }),
      },
    });
    return await fixture.planner.prepare(callOf());
  };
  for (const wanted of ["require", "bwrap", "landlock"] as const) {
    const refused = await at(wanted);
    assert.ok(!refused.ok);
    assert.equal(refused.code, "FENCE_UNAVAILABLE");
    assert.match(refused.message, /bubblewrap is gone/);
  }
  const planned = await at("auto");
  assert.ok(planned.ok);
  const os = planned.value.plan.layers.find(({ name }) => name === "os")!;
  assert.equal(os.on, false);
  assert.match(os.note, /bubblewrap is gone.*doctor/);
});
