/** Sentences of a Plan that must not say more than what holds. */

import assert from "node:assert/strict";
import type { BwrapLayer } from "../../src/os/types.ts";
import { canonicalJson, sha256 } from "../../src/base/digest.ts";
import { ok } from "../../src/base/refusal.ts";
import { showPlan } from "../../src/cli/show_plan.ts";
import { paintFor, type Screen } from "../../src/cli/screen.ts";
import type { Plan } from "../../src/fence/types.ts";
import {
  PlanOutput,
  publishPlan,
} from "../../src/server/schemas/plan_output.ts";
import {
  declares,
  type FixtureOptions,
  makeFixture,
  prepare,
} from "./plan_fixture.ts";

const BWRAP: BwrapLayer = {
  by: "bwrap",
  path: "/usr/bin/bwrap",
  version: "0.8.0",
  disableUserns: true,
  libraries: [],
  prlimit: undefined,
  warnings: [],
};

/** The Plan of a script where this layer holds; no machine is asked. */
async function planOf(
  options: FixtureOptions,
  layer: BwrapLayer | undefined = BWRAP,
): Promise<Plan> {
  await using fixture = await makeFixture({
    files: { "run.mjs": "" },
    ...options,
    deps: {
      os: () => Promise.resolve({ wanted: "auto", layer, off: [] }),
      account: () => Promise.resolve(ok({ uid: 65_534, gid: 65_534 })),
      ...options.deps,
    },
  });
  return (await prepare(fixture.planner)).plan;
}

/** The Plan as people see it, on one long line for each row. */
function shown(plan: Plan): string {
  return showPlan(plan, { columns: 10_000, paint: paintFor(false) } as Screen, {
    full: false,
  });
}

Deno.test("Plan: a held secret without a usable host is sent nowhere, and nobody chose where", async () => {
  const plan = await planOf({
    block: declares("run.mjs", "      env: [KEY]\n") +
      "  egress: [api.example.org]\n  env:\n" +
      "    - { name: KEY, secret: true, hosts: [other.example.org] }",
    grant: [{
      skill: "demo",
      script: "run.mjs",
      env: ["KEY"],
      egress: ["api.example.org"],
    }],
    env: { KEY: "value" },
  });
  assert.deepEqual(plan.env.held.map(({ hosts }) => hosts), [[]]);
  assert.ok(
    plan.permissions.includes(
      "is handed a placeholder for KEY, whose value is sent nowhere: none of the hosts it is meant for can be used",
    ),
    plan.permissions.join("\n"),
  );
  assert.doesNotMatch(plan.notes.join("\n"), /KEY is sent/);
  assert.match(shown(plan), /held at the proxy: KEY, sent nowhere$/m);
});

Deno.test("Plan: a bound on processes is shown only where it is enforced", async () => {
  const prlimit = { path: "/usr/bin/prlimit", libraries: [] };
  const bounded = shown(await planOf({}, { ...BWRAP, prlimit }));
  assert.match(bounded, /256 open files, 64 processes$/m);
  assert.doesNotMatch(bounded, /not enforced here/);
  const free = shown(await planOf({}));
  assert.match(free, /256 open files$/m);
  assert.match(
    free,
    /not enforced here: 64 processes and threads: prlimit is not installed$/m,
  );
  assert.equal(free.match(/processes/g)?.length, 1);
});

Deno.test("Plan: a limit that is asked for above the owner's ceiling is a note, with what applies", async () => {
  const asks = (limits: string) =>
    planOf({ block: declares("run.mjs", `      limits: { ${limits} }\n`) });
  const { notes, limits } = await asks("memory: 2048, procs: 300, files: 9");
  assert.deepEqual(notes, [
    "The script asks for more than the owner's ceiling (SKILLFENCE_LIMITS): " +
    "2048 MiB of memory (`memory`), cut to 1024; " +
    "300 processes and threads (`procs`), cut to 256.",
  ]);
  assert.deepEqual([limits.memoryMiB, limits.processes], [1024, 256]);
  assert.deepEqual((await asks("memory: 1024, procs: 256")).notes, []);
  assert.deepEqual((await planOf({})).notes, []);
});

Deno.test("Plan: as JSON what a person needs comes before the long command, and nothing is lost", async () => {
  const plan = await planOf({ dataDir: (tree) => tree.path("data") });
  const keys = Object.keys(plan);
  const before = ["permissions", "notes", "layers", "limits", "digest"];
  assert.deepEqual(keys.slice(-2), ["confinement", "flags"]);
  for (const key of before) assert.ok(keys.includes(key), key);
  assert.equal(Object.keys(plan.confinement).at(-1), "command");

  const published = publishPlan(plan);
  assert.deepEqual(
    Object.keys(published),
    keys.filter((key) => !["stdin", "workspace"].includes(key)),
  );
  assert.deepEqual(Object.keys(PlanOutput.shape), keys);
  const { stdin, workspace, limits: { dataMiB, ...limits }, ...rest } = plan;
  assert.deepEqual([stdin, workspace], [null, null]);
  assert.deepEqual(published, {
    ...rest,
    limits: { ...limits, ...(dataMiB === null ? {} : { dataMiB }) },
  });

  const { digest, ...covered } = plan;
  const reversed = Object.fromEntries(Object.entries(covered).reverse());
  assert.equal(digest, sha256(canonicalJson(reversed)));
});
