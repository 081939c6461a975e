import assert from "node:assert/strict";
import { readConfig } from "../../src/config/read_config.ts";
import { ok } from "../../src/base/refusal.ts";
import { selfTest, type SelfTestRow } from "../../src/cli/self_test.ts";
import { createEngine } from "../../src/server/engine.ts";
import { makeTree } from "../support/tree.ts";
import { skillfence } from "./command.ts";

Deno.test("doctor: says how the server is set up and that the fence holds; exit 0", async () => {
  await using tree = await makeTree({
    "data/kept.txt": "12345",
    skills: { dir: true },
  });
  const grant = [{ skill: "x", script: "y", env: ["KEY"] }];
  const { code, stdout, stderr } = await skillfence(["doctor", "--json"], {
    env: {
      SKILLS_DIR: tree.path("skills"),
      SKILLFENCE_DATA_DIR: tree.path("data"),
      SKILLFENCE_CACHE_DIR: tree.path("cache"),
      MCP_SKILL_RUN: JSON.stringify(grant),
    },
  });
  const report = JSON.parse(stdout);
  assert.equal(stderr, "");
  assert.deepEqual(report.roots.map(({ path }: { path: string }) => path), [
    tree.path("skills"),
  ]);
  assert.equal(report.rootsFrom, "SKILLS_DIR");
  assert.deepEqual(report.watch, [
    { path: tree.path("skills"), root: 1, state: "watching" },
  ]);
  assert.equal(report.pollSeconds, null);
  assert.equal(report.grant.from, "MCP_SKILL_RUN");
  assert.deepEqual(report.grant.rows, ["x y with KEY"]);
  assert.match(report.runtime.version, /^\d+\.\d+\.\d+$/);
  assert.deepEqual(report.interpreters, ["deno", "node"]);
  assert.deepEqual(
    report.layers.map(({ name }: { name: string }) => name),
    ["decision", "permissions", "os"],
  );
  assert.equal(report.selfTest.length, 6);
  assert.ok(
    report.selfTest.every(({ passed }: { passed: boolean }) => passed),
    stdout,
  );
  assert.ok(report.variablesSet.includes("MCP_SKILL_RUN"));
  const data = report.writes.find(({ place }: { place?: string }) =>
    place === tree.path("data")
  );
  assert.equal(data.bytes, 5);
  for (const { what, mode, until, turnOff } of report.writes) {
    if (what.startsWith("audit log")) assert.equal(mode, "0600");
    else assert.match(mode, Deno.uid() === 0 ? /^07[01][01]/ : /^0700$/);
    assert.ok(until.length > 0 && turnOff.length > 0);
  }
  const noted: { severity: string }[] = report.grant.notes;
  const failed = noted.some(({ severity }) => severity === "error");
  assert.equal(code, failed ? 1 : 0);
});

Deno.test("doctor: an audit log that cannot be written is broken, with its remedy", async () => {
  await using tree = await makeTree({
    skills: { dir: true },
    "kept.log": "12345",
    "open.log": "",
  });
  const cases: [name: string, note: RegExp | undefined, remedy: RegExp][] = [
    ["none/audit.log", /cannot be written: ENOENT/, /Make the directory/],
    ["skills", /is not a regular file/, /a regular file, or/],
    ["new.log", undefined, /./],
    ["kept.log", undefined, /./],
  ];
  if (Deno.build.os !== "windows") {
    await Deno.symlink(tree.path("kept.log"), tree.path("link.log"));
    await Deno.chmod(tree.path("kept.log"), 0o600);
    await Deno.chmod(tree.path("open.log"), 0o666);
    cases.push(["link.log", /is a symbolic link/, /the file itself/]);
    cases.push(["open.log", /is writable by others/, /chmod go-w/]);
  }
  for (const [name, why, remedy] of cases) {
    const { code, stdout } = await skillfence(["doctor", "--json"], {
      env: {
        SKILLS_DIR: tree.path("skills"),
        SKILLFENCE_CACHE_DIR: tree.path("cache"),
        SKILLFENCE_AUDIT_LOG: tree.path(name),
      },
    });
    const report = JSON.parse(stdout);
    const row = report.writes.find(({ place }: { place?: string }) =>
      place === tree.path(name)
    );
    assert.equal(report.ok, why === undefined, `${name}: ${row?.note}`);
    assert.equal(code, why === undefined ? 0 : 1, name);
    assert.equal(row.broken, why === undefined ? undefined : true);
    if (why === undefined) continue;
    assert.match(row.note, why);
    assert.match(row.note, remedy);
  }
  // Looking makes no log, and leaves none changed.
  const names = [...Deno.readDirSync(tree.root)].map(({ name }) => name);
  assert.ok(!names.includes("new.log"), names.join());
  assert.ok(!names.some((name) => name.startsWith(".")), names.join());
  assert.equal(await Deno.readTextFile(tree.path("kept.log")), "12345");
});

Deno.test("doctor: in words, and exit 1 when a root cannot be read", async () => {
  const { code, stdout } = await skillfence([
    "doctor",
    "--skills",
    "/no/such/root",
  ]);
  assert.equal(code, 1);
  for (
    const title of [
      "Program",
      "Skills",
      "Watching",
      "Grant",
      "Runtime",
      "Layers",
      "Limits",
      "What the server ever writes",
      "Self-test",
    ]
  ) assert.match(stdout, new RegExp(`^${title}$`, "m"));
  assert.match(stdout, /\/no\/such\/root: cannot be read/);
  assert.match(stdout, /root 1 +degraded +the directory does not exist/);
  assert.match(stdout, /MCP_SKILL_RUN is not set/);
});

Deno.test("doctor: without a usable runtime it says what is missing and exits 1", async () => {
  const { code, stdout } = await skillfence(["doctor", "--json"], {
    env: { SKILLFENCE_DENO: "/no/such/deno" },
  });
  const report = JSON.parse(stdout);
  assert.equal(code, 1);
  assert.match(
    report.runtime.missing,
    /SKILLFENCE_DENO: there is no such file\. /,
  );
  assert.equal(report.runtime.attempts[0].path, "/no/such/deno");
  assert.equal(report.selfTest[0].passed, false);
});

Deno.test("doctor: without a temporary directory it says so and exits 1", async () => {
  const { code, stdout, stderr } = await skillfence(["doctor", "--json"], {
    env: { TMPDIR: "/no/such/tmp" },
  });
  assert.equal(code, 1, stderr);
  const [row, ...more] = JSON.parse(stdout).selfTest;
  assert.equal(row.passed, false);
  assert.match(row.detail, /could not be laid out: .*Check TMPDIR/);
  assert.deepEqual(more, []);
});

/** The self-test behind a fence whose command line was tampered with. */
async function selfTestWith(
  tamper: (flags: readonly string[], cwd: string) => string[],
): Promise<SelfTestRow[]> {
  const { config } = readConfig({
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: Deno.env.get("HOME") ?? "",
      // So that nothing else holds what the flags are meant to.
      SKILLFENCE_OS_FENCE: "off",
    },
    flags: {},
    cwd: "/",
    bundledSkills: "/nowhere",
  });
  return await selfTest(config, (own) => {
    const engine = createEngine(own);
    return {
      ...engine,
      planner: {
        confirmed: (plan) => engine.planner.confirmed(plan),
        async prepare(call) {
          const prepared = await engine.planner.prepare(call);
          if (!prepared.ok) return prepared;
          const { plan } = prepared.value;
          const flags = tamper(plan.flags, plan.cwd);
          return ok({ ...prepared.value, plan: { ...plan, flags } });
        },
      },
    };
  });
}

Deno.test("selfTest: a fence that is switched off is seen, attempt by attempt", async () => {
  const [control, ...denied] = await selfTestWith((flags) =>
    flags.filter((flag) => !/^--(allow|deny|ignore)-/.test(flag))
      .flatMap((flag) => flag === "run" ? ["run", "-A"] : [flag])
  );
  assert.equal(control!.passed, true, control!.detail);
  assert.equal(denied.length, 5);
  for (const { what, passed, detail } of denied) {
    assert.equal(passed, false, what);
    assert.match(detail, /^NOT DENIED: got: /, what);
  }
});

Deno.test("selfTest: flags without the worker let the import through, and it is seen", async () => {
  const rows = await selfTestWith((flags, cwd) =>
    flags.map((flag) =>
      flag.startsWith("data:text/javascript")
        ? `${cwd}/scripts/probe.mjs`
        : flag
    )
  );
  const failed = rows.filter(({ passed }) => !passed).map(({ what }) => what);
  assert.deepEqual(failed, ["import a file outside"]);
});

Deno.test("selfTest: leaves nothing behind", async () => {
  await using tree = await makeTree();
  const { code } = await skillfence(["doctor", "--skills", tree.root], {
    env: { TMPDIR: tree.root, SKILLFENCE_CACHE_DIR: tree.path("cache") },
  });
  assert.equal(code, 0);
  assert.deepEqual(
    [...Deno.readDirSync(tree.root)].map(({ name }) => name).filter((name) =>
      name !== "cache"
    ),
    [],
  );
});

Deno.test("doctor: workspaces, and the rows of both later grants with what is wrong with them", async () => {
  await using tree = await makeTree({
    "root/a/SKILL.md": "---\nname: a\ndescription: d\n---\nText.\n",
    "work/AGENTS.md": "Hello.\n",
  });
  const digest = `sha256:${"0".repeat(64)}`;
  const { stdout } = await skillfence([
    "doctor",
    "--json",
    "--skills",
    tree.path("root"),
    "--workspace",
    tree.path("work"),
  ], {
    env: {
      MCP_SKILL_RENDER: JSON.stringify([
        { skill: "gone", command: ["git", "status"] },
      ]),
      MCP_SKILL_MCP: JSON.stringify([
        { skill: "a", server: "files", digest, tools: digest },
      ]),
    },
  });
  const report = JSON.parse(stdout);
  assert.deepEqual(report.workspaces, [await Deno.realPath(tree.path("work"))]);
  assert.equal(report.contextFiles, 1);
  assert.deepEqual(report.renderRows, ["gone: git status"]);
  assert.deepEqual(report.mcpRows, ["a files"]);
  const notes = report.laterNotes.map((
    { variable, note }: { variable: string; note: { detail: string } },
  ) => `${variable}: ${note.detail}`).join("\n");
  assert.match(notes, /MCP_SKILL_RENDER: .*"gone", which is not served/);
  assert.match(notes, /MCP_SKILL_MCP: .*does not declare/);
});
