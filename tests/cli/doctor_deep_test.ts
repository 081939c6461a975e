import assert from "node:assert/strict";
import { ok } from "../../src/base/refusal.ts";
import { DEEP_ATTACKS, deepTest } from "../../src/cli/deep_test.ts";
import { readConfig } from "../../src/config/read_config.ts";
import { createEngine } from "../../src/server/engine.ts";
import { makeTree } from "../support/tree.ts";
import { skillfence } from "./command.ts";

Deno.test("doctor --deep: every hostile script is a row of the self-test, and nothing is left behind", async () => {
  await using tree = await makeTree({ skills: { dir: true } });
  const { code, stdout, stderr } = await skillfence(
    ["doctor", "--deep", "--json"],
    {
      env: {
        SKILLS_DIR: tree.path("skills"),
        SKILLFENCE_CACHE_DIR: tree.path("cache"),
        TMPDIR: tree.root,
      },
    },
  );
  assert.equal(stderr, "");
  const { selfTest }: {
    selfTest: { what: string; attack?: string; passed: boolean }[];
  } = JSON
    .parse(stdout);
  assert.ok(selfTest.every(({ passed }) => passed), stdout);
  const tried = new Set(
    selfTest.filter(({ attack }) => attack !== undefined)
      .map(({ what }) => what),
  );
  const here = DEEP_ATTACKS.filter(({ target }) =>
    Deno.build.os === "linux" || target !== "abstract" && target !== "socket"
  );
  assert.deepEqual(here.filter(({ title }) => !tried.has(title)), []);
  assert.ok(here.length >= 24);
  assert.equal(code, 0);
  assert.deepEqual(
    [...Deno.readDirSync(tree.root)].map(({ name }) => name).sort(),
    ["cache", "skills"],
  );
});

Deno.test("doctor --deep: hostile scripts stand below a heading of their own", async () => {
  await using tree = await makeTree({ skills: { dir: true } });
  const { stdout } = await skillfence(["doctor", "--deep"], {
    env: {
      SKILLS_DIR: tree.path("skills"),
      SKILLFENCE_CACHE_DIR: tree.path("cache"),
    },
  });
  const below = (heading: string) =>
    stdout.split(new RegExp(`^${heading}$`, "m"))[1]!.split("\n\n")[0]!
      .match(/^ {2}(?:ok|FAILED).*(?=: must be)/gm) ?? [];
  assert.equal(below("Self-test").length, 6);
  const hostile = below("Hostile scripts");
  assert.ok(hostile.length >= 24);
  for (const rows of [below("Self-test"), hostile]) {
    assert.equal(new Set(rows).size, rows.length, rows.join("\n"));
  }
});

Deno.test("doctor --deep: without --deep no hostile script is run", async () => {
  const { stdout } = await skillfence(["doctor", "--json"]);
  assert.equal(JSON.parse(stdout).selfTest.length, 6);
});

Deno.test("deepTest: a fence that is switched off is seen, attempt by attempt", async () => {
  const { config } = readConfig({
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: Deno.env.get("HOME") ?? "",
      SKILLFENCE_OS_FENCE: "off",
    },
    flags: {},
    cwd: "/",
    bundledSkills: "/nowhere",
  });
  const rows = await deepTest(config, (own) => {
    const engine = createEngine(own);
    return {
      ...engine,
      planner: {
        confirmed: (plan) => engine.planner.confirmed(plan),
        async prepare(call) {
          const prepared = await engine.planner.prepare(call);
          if (!prepared.ok) return prepared;
          const { plan } = prepared.value;
          const flags = plan.flags.filter((flag) =>
            !/^--(?:allow|deny|ignore|no-(?:remote|npm|prompt)|cached)/.test(
              flag,
            )
          ).flatMap((flag) =>
            flag === "run"
              ? ["run", "-A", "--unstable-worker-options"]
              : flag.startsWith("data:text/javascript")
              ? `${plan.cwd}/${call.script}`
              : flag
          );
          // Mode bits would hold some of it where the server is root.
          return ok({
            ...prepared.value,
            account: undefined,
            plan: { ...plan, flags },
          });
        },
      },
    };
  });
  assert.equal(rows.length, DEEP_ATTACKS.length);
  for (const { what, passed, detail } of rows) {
    // What is kept is kept per run, whoever runs it.
    if (what === "keep something for its next run") continue;
    assert.equal(passed, false, what);
    assert.match(detail, /^GOT THROUGH: /, `${what}: ${detail}`);
  }
});

Deno.test("deepTest: a server that cannot lay it out says so in a row", async () => {
  const { config } = readConfig({
    env: { PATH: Deno.env.get("PATH") ?? "" },
    flags: {},
    cwd: "/",
    bundledSkills: "/nowhere",
  });
  const rows = await deepTest(config, () => {
    throw new Error("no engine");
  });
  assert.equal(rows.length, 1);
  assert.equal(rows[0]!.passed, false);
  assert.match(rows[0]!.detail, /could not be laid out: no engine/);
});
