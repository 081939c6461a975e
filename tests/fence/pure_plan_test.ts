import assert from "node:assert/strict";
import { callOf, declares, makeFixture, skillAt } from "./plan_fixture.ts";

const FILES = { "run.mjs": "console.log(1)", "other.mjs": "" };

Deno.test("Planner.preparePure: no network, variable or data directory, whatever is declared and granted", async () => {
  await using fixture = await makeFixture({
    files: FILES,
    block: declares(
      "run.mjs",
      "      env: [TOKEN]\n      timeout_ms: 60000\n      sockets: true\n  env:\n    - name: TOKEN\n  egress: [api.example.com]\n",
    ),
    grant: [{
      skill: "demo",
      script: "run.mjs",
      env: ["TOKEN"],
      sockets: true,
    }],
    env: { TOKEN: "s3cret" },
    dataDir: (tree) => tree.path("data"),
  });
  const skill = skillAt(fixture.dir);
  await fixture.tree.write({ "work/note": "" });
  const workspace = fixture.tree.path("work");
  const rights = { bundles: undefined, workspace };
  const made = await fixture.planner.preparePure(skill, callOf(), rights);
  assert.ok(made.ok, JSON.stringify(made));
  const { plan, values } = made.value;
  assert.equal(plan.dataDir, null);
  assert.deepEqual(plan.workspace, { dir: workspace, mode: "read" });
  assert.equal(plan.confinement.network, "none");
  assert.equal(plan.timeoutMs, 10_000);
  assert.deepEqual([plan.env.granted, plan.env.held], [[], []]);
  assert.ok(!plan.env.handed.includes("TOKEN"));
  assert.doesNotMatch(JSON.stringify([plan, values]), /s3cret|api\.example/);
  assert.ok(plan.flags.includes("--deny-net"));
  assert.ok(
    !plan.flags.some((flag) =>
      flag.startsWith("--allow-write") && flag.includes(workspace)
    ),
  );
  assert.match(plan.layers[0]?.note ?? "", /MCP_SKILL_RENDER/);
});

Deno.test("Planner.preparePure: a script needs no declaration, and its bundle may be pinned", async () => {
  await using fixture = await makeFixture({ files: FILES });
  const skill = skillAt(fixture.dir);
  const { planner } = fixture;
  const digest = await planner.bundleDigest(skill);
  assert.ok(digest.ok);
  const call = callOf({ script: "other.mjs" });
  const at = (bundles: readonly string[]) =>
    planner.preparePure(skill, call, { bundles, workspace: undefined });
  const good = await at([digest.value]);
  assert.ok(good.ok && good.value.plan.bundle.digest === digest.value);
  await fixture.tree.write({ "root/demo/other.mjs": "changed" });
  const stale = await at([digest.value]);
  assert.ok(!stale.ok && stale.code === "GRANT_STALE");
  assert.match(stale.message, /changed: other\.mjs/);
});
