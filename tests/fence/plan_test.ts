import assert from "node:assert/strict";
import { NO_HARD_LIMITS } from "../../src/fence/hard_limits.ts";
import { canonicalJson, sha256 } from "../../src/base/digest.ts";
import { ok, refuse } from "../../src/base/refusal.ts";
import type { RunCall } from "../../src/fence/types.ts";
import {
  callOf,
  declares,
  type Fixture,
  type FixtureOptions,
  makeFixture,
  prepare,
  skillAt,
  skillMd,
} from "./plan_fixture.ts";

const RUN = { files: { "run.mjs": "console.log(1)" } };

async function refusalOf(
  planner: Fixture["planner"],
  more: Partial<RunCall> = {},
) {
  const result = await planner.prepare(callOf(more));
  if (result.ok) throw new Error("accepted");
  return result;
}

async function planOf(options: FixtureOptions, more: Partial<RunCall> = {}) {
  await using fixture = await makeFixture({ ...RUN, ...options });
  return (await prepare(fixture.planner, more)).plan;
}

Deno.test("Planner: unknown skill, unknown script, undeclared script", async () => {
  await using fixture = await makeFixture({
    block: `${
      declares("run.mjs")
    }    - script: old.py\n      interpreter: python3\n`,
    files: { ...RUN.files, "other.mjs": "", "old.py": "" },
  });
  const skill = await refusalOf(fixture.planner, { skill: "nothing" });
  assert.equal(skill.code, "UNKNOWN_SKILL");
  const script = await refusalOf(fixture.planner, { script: "rum.mjs" });
  assert.equal(script.code, "UNKNOWN_SCRIPT");
  assert.match(script.hint, /can run here: run\.mjs\. Did you mean run\.mjs/);
  const undeclared = await refusalOf(fixture.planner, { script: "other.mjs" });
  assert.equal(undeclared.code, "NOT_DECLARED");
  assert.equal(
    undeclared.hint,
    "Scripts of this skill that can run here: run.mjs.",
  );
});

Deno.test("Planner: names that objects inherit, and strange ones, are unknown scripts", async () => {
  await using fixture = await makeFixture(RUN);
  for (
    const script of [
      "constructor",
      "__proto__",
      "",
      "../demo/run.mjs",
      "./run.mjs",
      "run.mjs\0",
      "\u{202e}",
    ]
  ) {
    const refusal = await refusalOf(fixture.planner, { script });
    assert.equal(refusal.code, "UNKNOWN_SCRIPT", script);
    assert.ok(!refusal.message.includes("\u{202e}"));
  }
});

Deno.test("Planner: hosted without a grant, and a grant of another script, run nothing", async () => {
  await using fixture = await makeFixture({ ...RUN, hosted: true });
  const none = await refusalOf(fixture.planner);
  assert.equal(none.code, "NOT_GRANTED");
  assert.match(none.hint, /hosted.*\[\{"skill":"demo","script":"run\.mjs"\}\]/);
  const other = fixture.again({
    grant: [{ skill: "demo", script: "other.mjs" }],
  });
  assert.equal((await refusalOf(other)).code, "NOT_GRANTED");
  const granted = fixture.again({
    grant: [{ skill: "demo", script: "run.mjs" }],
  });
  assert.ok((await granted.prepare(callOf())).ok);
});

Deno.test("Planner: the row that a refusal proposes hides nothing of a script's name and can be copied", async () => {
  const script = "a\u{9b}31m\u{202e}\u{1f600}.mjs";
  await using fixture = await makeFixture({
    block: declares(JSON.stringify(script)),
    files: { [script]: "" },
    grant: [],
  });
  const { code, hint } = await refusalOf(fixture.planner, { script });
  assert.equal(code, "NOT_GRANTED");
  assert.match(hint, /^[\x20-\x7e]+$/);
  const row = /\[\{.*\}\]/.exec(hint)?.[0] ?? "";
  assert.deepEqual(JSON.parse(row), [{ skill: "demo", script }]);
});

Deno.test("Planner: where the grant is broken, the refusal says so instead of asking for a row", async () => {
  await using fixture = await makeFixture({ ...RUN, grant: {} });
  const unreadable = await refusalOf(fixture.planner);
  assert.equal(unreadable.code, "NOT_GRANTED");
  assert.match(
    unreadable.hint,
    /^MCP_SKILL_RUN holds .*nothing is granted.* fixed\. Write /,
  );
  assert.doesNotMatch(unreadable.hint, /add a row/);
  const bad = fixture.again({ grant: [{ skill: "demo", scripts: "run.mjs" }] });
  assert.match((await refusalOf(bad)).hint, /rows that are malformed/);
});

Deno.test("Planner: a grant never matches an alias, a call by alias runs the real skill", async () => {
  await using fixture = await makeFixture({
    ...RUN,
    grant: [{ skill: "alias", script: "run.mjs" }],
  });
  assert.equal(
    (await refusalOf(fixture.planner, { skill: "alias" })).code,
    "NOT_GRANTED",
  );
  const real = fixture.again({ grant: [{ skill: "demo", script: "run.mjs" }] });
  assert.equal((await prepare(real, { skill: "alias" })).plan.skill, "demo");
});

Deno.test("Planner: refusals come in the order of what can never run", async () => {
  await using fixture = await makeFixture({
    block:
      "  run:\n    - script: gone.py\n      interpreter: python3\n    - script: gone.mjs\n      interpreter: deno\n",
    files: { "l": { link: "/etc" } },
    deps: { runtime: () => Promise.resolve(refuse("NO_RUNTIME", "none", "")) },
  });
  const args = ["\0"];
  const code = async (more: Partial<RunCall>, planner = fixture.planner) =>
    (await refusalOf(planner, more)).code;
  const ungranted = fixture.again({ hosted: true });
  assert.equal(
    await code({ script: "gone.py", args }, ungranted),
    "NOT_GRANTED",
  );
  assert.equal(
    await code({ script: "gone.py", args }),
    "INTERPRETER_UNAVAILABLE",
  );
  assert.equal(await code({ script: "gone.mjs", args }), "INVALID_ARGUMENTS");
  assert.equal(await code({ script: "gone.mjs" }), "NOT_FOUND");
  await Deno.writeTextFile(`${fixture.dir}/gone.mjs`, "");
  assert.equal(await code({ script: "gone.mjs" }), "PREFLIGHT");
  await Deno.remove(`${fixture.dir}/l`);
  const pinned = fixture.again({
    grant: [{
      skill: "demo",
      script: "gone.mjs",
      bundle: `sha256:${"0".repeat(64)}`,
    }],
  });
  assert.equal(await code({ script: "gone.mjs" }, pinned), "GRANT_STALE");
  assert.equal(await code({ script: "gone.mjs" }), "NO_RUNTIME");
});

Deno.test("Planner: a script that is missing, leads out, or is no file", async () => {
  await using fixture = await makeFixture({
    block: ["gone.mjs", "out.mjs", "dir.mjs", "in.mjs"].map((s, i) =>
      (i === 0 ? "  run:\n" : "") +
      `    - script: ${s}\n      interpreter: deno\n`
    ).join(""),
    files: {
      "one.mjs": "",
      "dir.mjs": { dir: true },
      "in.mjs": { link: "one.mjs" },
      "../secret": "x",
    },
  });
  const gone = await refusalOf(fixture.planner, { script: "gone.mjs" });
  assert.equal(gone.code, "NOT_FOUND");
  assert.match(gone.hint, /one\.mjs/);
  assert.equal(
    (await refusalOf(fixture.planner, { script: "dir.mjs" })).code,
    "PATH_REFUSED",
  );
  const linked = (await prepare(fixture.planner, { script: "in.mjs" })).plan;
  assert.match(decodeURIComponent(linked.flags.at(-1)!), /\/one\.mjs"/);
  await Deno.symlink("../../secret", `${fixture.dir}/out.mjs`);
  const out = await refusalOf(fixture.planner, { script: "out.mjs" });
  assert.equal(out.code, "PATH_REFUSED");
  assert.ok(!out.message.includes(fixture.tree.root));
});

Deno.test("Planner: a script in a closed directory does not run", async () => {
  await using fixture = await makeFixture({
    block: declares(".venv/run.mjs"),
    files: { ".venv/run.mjs": "", ".venv/python": { link: "/usr/bin/env" } },
  });
  const refusal = await refusalOf(fixture.planner, { script: ".venv/run.mjs" });
  assert.equal(refusal.code, "PREFLIGHT");
  assert.match(refusal.message, /closed to scripts/);
});

Deno.test("Planner: preview and run have one digest, over everything else in the Plan", async () => {
  await using fixture = await makeFixture({ ...RUN, env: { PATH: "/bin" } });
  const call = {
    args: ["a"],
    stdin: "in",
    files: [{ name: "f", bytes: new Uint8Array([1]) }],
  };
  const { plan } = await prepare(fixture.planner, call);
  assert.deepEqual((await prepare(fixture.planner, call)).plan, plan);
  assert.deepEqual((await prepare(fixture.again({}), call)).plan, plan);
  const { digest, ...rest } = plan;
  assert.equal(digest, sha256(canonicalJson(rest)));
  assert.equal(
    JSON.stringify(JSON.parse(JSON.stringify(plan))),
    JSON.stringify(plan),
  );
});

Deno.test("Planner: whatever changes what would run changes the digest", async () => {
  const base: FixtureOptions = {
    ...RUN,
    block: declares(
      "run.mjs",
      "      env: [KEY]\n  egress: [api.example.org]\n",
    ),
    env: { KEY: "1", PATH: "/bin" },
  };
  await using fixture = await makeFixture(base);
  const seen = new Map<string, string>();
  const add = async (
    what: string,
    planner = fixture.planner,
    more: Partial<RunCall> = {},
  ) => {
    const { digest } = (await prepare(planner, more)).plan;
    assert.equal(
      seen.get(digest),
      undefined,
      `${what} is like ${seen.get(digest)}`,
    );
    seen.set(digest, what);
  };
  await add("nothing");
  await add("an argument", fixture.planner, { args: ["a"] });
  await add("two arguments", fixture.planner, { args: ["a", ""] });
  await add("stdin", fixture.planner, { stdin: "" });
  await add("other stdin", fixture.planner, { stdin: "x" });
  await add("a file", fixture.planner, {
    files: [{ name: "f", bytes: new Uint8Array(1) }],
  });
  await add("a file's byte", fixture.planner, {
    files: [{ name: "f", bytes: new Uint8Array([1]) }],
  });
  await add("a file's name", fixture.planner, {
    files: [{ name: "g", bytes: new Uint8Array(1) }],
  });
  await add("a variable unset", fixture.again({ env: { PATH: "/bin" } }));
  await add(
    "a grant",
    fixture.again({
      grant: [{ skill: "demo", script: "run.mjs", env: ["KEY"] }],
    }),
  );
  await add(
    "no egress",
    fixture.again({
      grant: [{ skill: "demo", script: "run.mjs", env: ["KEY"], egress: [] }],
    }),
  );
  await add(
    "a data directory",
    fixture.again({ dataDir: (tree) => tree.path("data") }),
  );
  await add(
    "a proxy",
    fixture.again({ env: { ...base.env, HTTP_PROXY: "http://10.0.0.1:1" } }),
  );
  await add(
    "small memory",
    fixture.again({
      deps: {
        hardLimits: () =>
          Promise.resolve({ ...NO_HARD_LIMITS, dataBytes: 1e8 }),
      },
    }),
  );
  await add(
    "a runtime",
    fixture.again({
      deps: {
        runtime: () =>
          Promise.resolve(
            ok({ path: "/d", version: "9.9.9", from: "PATH" as const }),
          ),
      },
    }),
  );
  await Deno.writeTextFile(`${fixture.dir}/.hidden`, "");
  await add("a hidden file");
  await Deno.writeTextFile(`${fixture.dir}/run.mjs`, "console.log(2)");
  await add("a byte of the script");
});

Deno.test("Planner: values of variables are in no Plan", async () => {
  const plan = await planOf({
    block: declares("run.mjs", "      env: [KEY]\n"),
    env: { KEY: "very-secret", PATH: "/bin" },
  });
  assert.ok(!JSON.stringify(plan).includes("very-secret"));
});

Deno.test("Planner: the declaration is the one on disk, not the one of an earlier scan", async () => {
  await using fixture = await makeFixture({
    ...RUN,
    block: declares("run.mjs", "  egress: [evil.example.org]\n"),
  });
  const stale = await makeStale(fixture);
  await Deno.writeTextFile(
    `${fixture.dir}/SKILL.md`,
    skillMd(declares("run.mjs")),
  );
  const { plan } = await prepare(stale);
  assert.ok(plan.flags.includes("--deny-net"));
  await Deno.writeTextFile(`${fixture.dir}/SKILL.md`, "no frontmatter");
  const refusal = await refusalOf(stale);
  assert.equal(refusal.code, "NOT_DECLARED");
  assert.match(refusal.hint, /instructions only/);
  await Deno.remove(`${fixture.dir}/SKILL.md`);
  assert.equal((await refusalOf(stale)).code, "NOT_FOUND");
});

/** A planner whose catalog goes on answering with what is served now. */
async function makeStale(fixture: Fixture): Promise<Fixture["planner"]> {
  const { skillAt } = await import("./plan_fixture.ts");
  const skill = skillAt(fixture.dir);
  return fixture.again({
    deps: {
      catalog: {
        find: () => Promise.resolve(ok(skill)),
        snapshot: () => Promise.resolve({ roots: [] }),
      },
    },
  });
}

Deno.test("Planner: a variable that nobody granted is the first note, and named", async () => {
  const block = declares(
    "run.mjs",
    "      env: [KEY, UNSET]\n      timeout: 61\n",
  );
  const own = await planOf({ block, env: { KEY: "1" } });
  assert.deepEqual(own.selfGranted, ["KEY"]);
  assert.match(own.notes[0]!, /^Nobody granted KEY:/);
  const granted = await planOf({
    block,
    env: { KEY: "1" },
    grant: [{ skill: "demo", script: "run.mjs", env: ["KEY"], egress: [] }],
  });
  assert.deepEqual(granted.selfGranted, []);
  assert.deepEqual(granted.env.notGranted, ["UNSET"]);
  assert.match(granted.notes[0]!, /61 s; many clients give up/);
  const nothingSet = await planOf({ block });
  assert.deepEqual(nothingSet.selfGranted, []);
  assert.deepEqual(nothingSet.env.notSet, ["KEY", "UNSET"]);
});

Deno.test("Planner: words and notes say what is reached, kept and not covered", async () => {
  const plan = await planOf({
    block: declares(
      "run.mjs",
      "  egress: ['*.example.com', api.example.org, 10.0.0.5]\n",
    ),
    dataDir: (tree) => tree.path("data"),
    env: { HTTPS_PROXY: "http://10.0.0.9:3128" },
    files: { ...RUN.files, ".venv/p": { link: "/usr/bin/env" } },
  });
  const words = plan.permissions.join("\n");
  assert.match(
    words,
    /^reads the skill's own directory .*\/demo, except \.venv$/m,
  );
  assert.match(
    words,
    /^reads and writes the skill's data directory .*\/data\/demo-[0-9a-f]{8}, which stays/m,
  );
  assert.match(
    words,
    /^reaches example\.com itself and every name below it on ports 443 and 80$/m,
  );
  assert.match(words, /^reaches api\.example\.org on ports 443 and 80$/m);
  assert.ok(!words.includes("10.0.0.5"));
  const notes = plan.notes.join("\n");
  assert.match(notes, /10\.0\.0\.5 is private or may be/);
  assert.match(notes, /proxy 10\.0\.0\.9:3128, which resolves names itself/);
  assert.match(
    notes,
    /No digest covers what the script fetches or what is in its data directory/,
  );
  assert.match(notes, /\.venv is closed to the script/);
  const net = plan.flags.find((flag) => flag.startsWith("--deny-net="))!;
  assert.ok(!net.includes("10.0.0.0/8") && net.includes("10.0.0.8/32"));
});

Deno.test("Planner: a script without anything has no notes and says so in words", async () => {
  const plan = await planOf({});
  assert.deepEqual(plan.notes, []);
  assert.ok(plan.permissions.includes("reaches no host"));
  assert.ok(plan.permissions.includes("is handed no variable"));
  assert.equal(plan.dataDir, null);
  assert.equal(plan.stdin, null);
  assert.deepEqual(plan.layers.map(({ name, on }) => [name, on]), [
    ["decision", true],
    ["permissions", true],
    ["os", false],
  ]);
  const { enforced, notEnforced, dataMiB, ...limits } = plan.limits;
  assert.deepEqual(limits, {
    memoryMiB: 512,
    cpuSeconds: 120,
    fileMiB: 100,
    processes: 64,
    openFiles: 256,
    diskMiB: 256,
    files: 10_000,
    outputBytesPerStream: 1_048_576,
    inputBytes: 8_388_608,
  });
  assert.ok(dataMiB !== null && dataMiB > limits.memoryMiB);
  assert.ok(enforced.length > 0 && notEnforced.length > 0);
  assert.deepEqual(plan.confinement, {
    by: "none",
    realm: "worker",
    network: "none",
    uid: null,
    command: [],
  });
});

Deno.test("Planner: no string of a skill or its place reaches the words unseen", async () => {
  await using fixture = await makeFixture({
    ...RUN,
    files: { ...RUN.files, ".\u{202e}x/l": { link: "/etc" } },
    dataDir: (tree) => tree.path("da\u{200b}ta"),
  });
  const { plan } = await prepare(fixture.planner);
  const words = [...plan.permissions, ...plan.notes].join("\n");
  assert.match(words, /\.\\u\{202e\}x/);
  assert.match(words, /da\\u\{200b\}ta/);
  assert.ok(!/[\u{202e}\u{200b}]/u.test(words));
});

Deno.test("Planner: a preview creates nothing anywhere", async () => {
  await using fixture = await makeFixture({
    ...RUN,
    dataDir: (tree) => tree.path("data"),
  });
  const names = () =>
    [...Deno.readDirSync(fixture.tree.root)].map((e) => e.name).sort();
  const before = names();
  await prepare(fixture.planner, {
    files: [{ name: "f", bytes: new Uint8Array(1) }],
  });
  assert.deepEqual(names(), before);
});

Deno.test("Planner: a SKILL.md that changes between its reading and its digest is refused", async () => {
  await using fixture = await makeFixture({ files: { "run.mjs": "1" } });
  const { dir, tree } = fixture;
  const planner = fixture.again({
    deps: {
      catalog: {
        find: () => Promise.resolve(ok(skillAt(dir))),
        // Asked for after the declaration was read, before the tree is.
        snapshot: () => {
          Deno.writeTextFileSync(`${dir}/SKILL.md`, "other bytes");
          return Promise.resolve({
            roots: [{
              path: tree.path("root"),
              realPath: tree.path("root"),
              workspace: undefined,
            }],
          });
        },
      },
    },
  });
  const planned = await planner.prepare(callOf());
  assert.ok(!planned.ok && planned.code === "PREFLIGHT");
  assert.match(planned.message, /changed while its Plan was made/);
});
