import assert from "node:assert/strict";
import { join } from "node:path";
import { ok, refuse } from "../../src/base/refusal.ts";
import type { Clock } from "../../src/fence/clock.ts";
import { fillIn } from "../../src/fence/run/fill_in.ts";
import { Runner, type RunOptions } from "../../src/fence/run.ts";
import type {
  CapturedStream,
  PreparedRun,
  RunCall,
  RunResult,
} from "../../src/fence/types.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { FakeClock } from "./fake_clock.ts";
import {
  callOf,
  type Fixture,
  type FixtureOptions,
  makeFixture,
  prepare,
} from "./plan_fixture.ts";
import { gone, onUnix, pidIn, runs } from "./processes.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
const SECRET = "the skill's own";

function text(stream: CapturedStream): string {
  return new TextDecoder().decode(stream.head) +
    new TextDecoder().decode(stream.tail);
}

/** A fixture with a runner beside it. */
class Bench implements AsyncDisposable {
  readonly fixture: Fixture;
  readonly tmp: Tree;
  readonly runner: Runner;

  constructor(
    fixture: Fixture,
    tmp: Tree,
    options: { behindProxy?: boolean; clock?: Clock } = {},
  ) {
    this.fixture = fixture;
    this.tmp = tmp;
    this.runner = new Runner({
      maxRuns: 1,
      behindProxy: options.behindProxy ?? false,
      tmpDir: tmp.root,
      upstream: {},
      certificates: () => Promise.resolve([]),
      onLayerFailed: () => {},
      clock: options.clock,
    });
  }

  async run(
    call: Partial<RunCall> = {},
    options: RunOptions = {},
  ): Promise<RunResult> {
    return await this.start(await prepare(this.fixture.planner, call), options);
  }

  async start(
    prepared: PreparedRun,
    options: RunOptions = {},
  ): Promise<RunResult> {
    const result = await this.runner.run(prepared, options);
    assert.ok(result.ok, result.ok ? "" : `${result.code} ${result.message}`);
    return result.value;
  }

  /** What lies in the temporary directory, stored outputs not counted. */
  left(): string[] {
    return [...Deno.readDirSync(this.tmp.root)].map((entry) => entry.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.runner.closeSync();
    await this.tmp[Symbol.asyncDispose]();
    await this.fixture[Symbol.asyncDispose]();
  }
}

async function bench(
  script: string,
  more: FixtureOptions & { behindProxy?: boolean; clock?: Clock } = {},
): Promise<Bench> {
  const fixture = await makeFixture({
    ...more,
    files: { "run.mjs": script, ...more.files },
  });
  return new Bench(fixture, await makeTree(), more);
}

/**
 * A Plan whose runtime is a shell script, so that what happens is known to the
 * moment. `$DIR` is the skill's directory.
 */
async function standIn(it: Bench, shell: string): Promise<PreparedRun> {
  const prepared = await prepare(it.fixture.planner);
  const runtimePath = it.fixture.tree.path("runtime");
  await it.fixture.tree.write({
    runtime: `#!/bin/sh\nDIR='${it.fixture.dir}'\n${shell}\n`,
  });
  await Deno.chmod(runtimePath, 0o755);
  return { ...prepared, runtimePath };
}

Deno.test("Runner: arguments reach the script word for word", async () => {
  await using it = await bench(
    "console.log(JSON.stringify(process.argv.slice(2)))",
    { block: declares("node") },
  );
  const args = ["a b", "$(id)", "`x`", `"'`, ";|&", "*", "-A", "", "<scratch>"];
  const result = await it.run({ args });
  assert.deepEqual(JSON.parse(text(result.stdout)), args);
  assert.equal(result.exitCode, 0);
  assert.deepEqual(result.hints, []);
});

Deno.test("Runner: stdin, working directory and result fields are the Plan's", async () => {
  await using it = await bench(
    `
    import fs from "node:fs";
    console.log(process.cwd() === import.meta.dirname);
    console.log(fs.readFileSync(0, "utf8"));
  `,
    { block: declares("node") },
  );
  const prepared = await prepare(it.fixture.planner, { stdin: "from outside" });
  const result = await it.start(prepared);
  assert.equal(text(result.stdout), "true\nfrom outside\n");
  assert.equal(result.planDigest, prepared.plan.digest);
  assert.deepEqual(result.env, prepared.plan.env.handed);
  assert.equal(result.skill, "demo");
  assert.equal(result.script, "run.mjs");
  assert.equal(result.signal, null);
  assert.equal(result.timedOut, false);
  assert.ok(result.durationMs > 0);
});

Deno.test({
  name:
    "Runner: the environment is the Plan's names, the run's own values and no more",
  ...onUnix,
  async fn() {
    await using it = await bench("", { env: { LANG: "C.UTF-8", SECRET: "x" } });
    const prepared = await standIn(it, "env");
    const result = await it.start({
      ...prepared,
      values: { ...prepared.values, NOT_IN_THE_PLAN: "x" },
    });
    const lines = text(result.stdout).trim().split("\n")
      .filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=/.test(line));
    const env = new Map(
      lines.map((line) => line.split("=", 2) as [string, string]),
    );
    assert.deepEqual([...env.keys()].sort(), prepared.plan.env.handed);
    const home = env.get("HOME") ?? "";
    assert.ok(home.startsWith(it.tmp.root));
    assert.equal(env.get("TMPDIR"), home);
    assert.equal(env.get("SKILL_OUT"), join(home, "out"));
    assert.ok(env.get("DENO_DIR")?.startsWith(it.tmp.root));
    assert.ok(!env.get("DENO_DIR")?.startsWith(home));
    assert.equal(env.get("LANG"), "C.UTF-8");
  },
});

Deno.test("fillIn: placeholders count as items of a flag, and nowhere else", () => {
  const at = { base: "/t", scratch: "/t/s", denodir: "/t/d" };
  assert.deepEqual(
    fillIn(
      [
        "--allow-read=/skill,<scratch>",
        "--deny-write=<scratch>/in",
        "--x=<denodir>",
        "--allow-read=/odd/<scratch>,/a<scratch>",
        "--allow-net=a.example:443,unix:<run>/p",
        "/x=<scratch>",
        "/unix:<run>/y",
        "<scratch>",
        "<scratch>",
        "--x=<denodir>",
      ],
      2,
      at,
    ),
    [
      "--allow-read=/skill,/t/s",
      "--deny-write=/t/s/in",
      "--x=/t/d",
      "--allow-read=/odd/<scratch>,/a<scratch>",
      "--allow-net=a.example:443,unix:/t/p",
      "/x=<scratch>",
      "/unix:<run>/y",
      "/t/s",
      "<scratch>",
      "--x=<denodir>",
    ],
  );
});

Deno.test("Runner: a file in, a file out, and nothing of it left behind", async () => {
  await using it = await bench(
    `
    import fs from "node:fs";
    const given = process.env.TMPDIR + "/in/list.txt";
    const lines = fs.readFileSync(given, "utf8").split("\\n").length;
    fs.writeFileSync(process.env.SKILL_OUT + "/count.json", String(lines));
    try { fs.writeFileSync(given, "x"); } catch { console.log("kept"); }
    fs.writeFileSync(process.env.TMPDIR + "/scratch.txt", "x");
  `,
    { block: declares("node") },
  );
  const bytes = new TextEncoder().encode("a\nb\nc");
  const result = await it.run({ files: [{ name: "list.txt", bytes }] });
  assert.equal(text(result.stderr), "");
  assert.equal(text(result.stdout), "kept\n");
  assert.equal(result.outputs.length, 1);
  const [output] = result.outputs;
  assert.equal(output?.path, "out/count.json");
  assert.equal(output?.mediaType, "application/json");
  const opened = await it.runner.outputs.open(output?.id ?? "");
  assert.ok(opened.ok);
  assert.equal(await Deno.readTextFile(opened.value.file), "3");
  // The store's directory and nothing else.
  assert.equal(it.left().length, 1);
});

Deno.test("Runner: what a script changes in its data directory comes back and stays", async () => {
  await using it = await bench(
    `
    import fs from "node:fs";
    const file = process.env.MCP_DATA_DIR + "/count";
    const before = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) : 0;
    if (before < 2) fs.writeFileSync(file, String(before + 1));
  `,
    {
      block: declares("node"),
      dataDir: (tree) => tree.path("data"),
      files: { "../data": { dir: true } },
    },
  );
  const paths = [];
  for (let time = 0; time < 3; time++) {
    const { outputs, stderr } = await it.run();
    assert.equal(text(stderr), "");
    paths.push(outputs.map((output) => output.path));
  }
  assert.deepEqual(paths, [["data/count"], ["data/count"], []]);
});

Deno.test("Runner: what a script changes in a granted workspace comes back", async () => {
  const fixture = (tree: string) => ({
    block:
      "  run:\n    - script: run.mjs\n      interpreter: node\n      workspace: write",
    grant: [{ skill: "demo", script: "run.mjs", workspace: tree }],
  });
  await using workspace = await makeTree({ "old.txt": "1", "kept.txt": "2" });
  await using it = await bench(
    `import fs from "node:fs";
     fs.writeFileSync("new.txt", "3"); fs.writeFileSync("old.txt", "11");`,
    fixture(workspace.root),
  );
  const result = await it.run();
  assert.equal(text(result.stderr), "");
  assert.deepEqual(
    result.outputs.map((output) => output.path),
    ["workspace/new.txt", "workspace/old.txt"],
  );
});

Deno.test("Runner: a write into the skill is denied, with the way out as a hint", async () => {
  await using it = await bench(
    `await Deno.writeTextFile("own.txt", "x");`,
    { files: { "own.txt": SECRET } },
  );
  const result = await it.run();
  assert.notEqual(result.exitCode, 0);
  assert.equal(
    await Deno.readTextFile(join(it.fixture.dir, "own.txt")),
    SECRET,
  );
  assert.match(result.hints.join(), /Writing a file was refused.*SKILL_OUT/);
});

Deno.test("Runner: a non-zero exit is a result with both streams", async () => {
  await using it = await bench(
    `console.log("out"); console.error("err"); Deno.exit(7);`,
  );
  const result = await it.run();
  assert.equal(result.exitCode, 7);
  assert.equal(text(result.stdout), "out\n");
  assert.equal(text(result.stderr), "err\n");
});

Deno.test("Runner: what waits for ever ends at its deadline, with the cause as a hint", async () => {
  await using it = await bench(
    `console.log("begun"); await new Promise(() => {});`,
    { block: declares("deno", 3) },
  );
  const result = await it.run();
  assert.equal(result.timedOut, true);
  assert.equal(result.exitCode, null);
  assert.equal(text(result.stdout), "begun\n");
  assert.match(result.hints.join(), /top-level await/);
  assert.deepEqual(it.left(), []);
});

Deno.test("Runner: a flood is kept at 1 MiB and counted whole", async () => {
  await using it = await bench(`
    const block = new Uint8Array(65536).fill(97);
    for (let at = 0; at < 64; at++) Deno.stdout.writeSync(block);
  `);
  const { stdout, exitCode } = await it.run();
  assert.equal(exitCode, 0);
  assert.equal(stdout.total, 64 * 65536);
  assert.equal(stdout.head.length + stdout.tail.length, MIB);
});

Deno.test("Runner: a full heap ends the script, and the hint names it", async () => {
  await using it = await bench(`
    const held = [];
    for (;;) held.push(new Array(100_000).fill({}).map((_, at) => ({ at })));
  `);
  const result = await it.run();
  assert.notEqual(result.exitCode, 0);
  assert.match(result.hints.join(), /more memory than its limit of 512 MiB/);
});

Deno.test("Runner: buffers beyond the process's limit are refused to the script", async () => {
  await using it = await bench(`
    const held = [];
    for (let at = 0; at < 40; at++) held.push(new Uint8Array(128 * 1024 * 1024));
    console.log("had 5 GiB");
  `);
  const result = await it.run();
  assert.notEqual(result.exitCode, 0);
  assert.equal(text(result.stdout), "");
  assert.match(result.hints.join(), /memory/);
});

Deno.test("Runner: behind a proxy a failed run carries the network note, a good one does not", async () => {
  await using it = await bench(
    `Deno.exit(Number(Deno.args[0] ?? process.argv[2]));`,
    {
      behindProxy: true,
      block: declares("node"),
    },
  );
  assert.match((await it.run({ args: ["1"] })).hints.join(), /proxy/);
  assert.deepEqual((await it.run({ args: ["0"] })).hints, []);
});

Deno.test({
  name:
    "Runner: a process that left the group holds neither the call nor the next run",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using it = await bench("");
    const prepared = await standIn(
      it,
      `setsid sh -c 'echo $$ > '"'$DIR'/far"'; while :; do sleep 1; done' &
       until [ -s "$DIR/far" ]; do :; done`,
    );
    const started = performance.now();
    const result = await it.start(prepared);
    const far = await pidIn(join(it.fixture.dir, "far"));
    try {
      assert.equal(result.exitCode, 0);
      assert.ok(performance.now() - started < 2_000);
      assert.ok(runs(far));
      const next = await it.start(await standIn(it, "echo next"));
      assert.equal(text(next.stdout), "next\n");
    } finally {
      Deno.kill(far, "SIGKILL");
    }
  },
});

Deno.test({
  name: "Runner: a second run waits for the first and then runs",
  ...onUnix,
  async fn() {
    await using it = await bench("");
    const prepared = await standIn(
      it,
      `echo x >> "$DIR/begun"
       until [ -e "$DIR/go" ]; do sleep 0.01; done
       wc -l < "$DIR/begun"; rm -f "$DIR/go"`,
    );
    const first = it.start(prepared);
    const second = it.start(prepared);
    const begun = join(it.fixture.dir, "begun");
    await until(() => Deno.readTextFile(begun).then(Boolean, () => false));
    await Deno.writeTextFile(join(it.fixture.dir, "go"), "");
    assert.equal(Number(text((await first).stdout)), 1);
    await Deno.writeTextFile(join(it.fixture.dir, "go"), "");
    assert.equal(Number(text((await second).stdout)), 2);
  },
});

Deno.test({
  name: "Runner: after a wait the caller is asked again, and may refuse",
  ...onUnix,
  async fn() {
    await using it = await bench("");
    const prepared = await standIn(
      it,
      `echo x >> "$DIR/begun"; until [ -e "$DIR/go" ]; do sleep 0.01; done`,
    );
    let asked = 0;
    const afterWaiting = () => {
      asked++;
      return Promise.resolve(refuse("PLAN_CHANGED", "changed", ""));
    };
    const first = it.start(prepared, { afterWaiting });
    const second = it.runner.run(prepared, { afterWaiting });
    const third = it.runner.run(prepared, {
      afterWaiting: () => Promise.resolve(ok(undefined)),
    });
    await Deno.writeTextFile(join(it.fixture.dir, "go"), "");
    assert.equal((await first).exitCode, 0);
    const refused = await second;
    assert.equal(refused.ok ? "" : refused.code, "PLAN_CHANGED");
    assert.ok((await third).ok);
    assert.equal(asked, 1);
    const begun = await Deno.readTextFile(join(it.fixture.dir, "begun"));
    assert.equal(begun, "x\nx\n");
  },
});

Deno.test({
  name: "Runner: progress while waiting and while running, and none afterwards",
  ...onUnix,
  async fn() {
    const clock = new FakeClock();
    await using it = await bench("", { clock });
    const prepared = await standIn(
      it,
      `echo $$ > "$DIR/pid"; until [ -e "$DIR/go" ]; do sleep 0.01; done`,
    );
    const told: [string[], string[]] = [[], []];
    const first = it.start(prepared, { onProgress: (m) => told[0].push(m) });
    await pidIn(join(it.fixture.dir, "pid"));
    const second = it.start(prepared, { onProgress: (m) => told[1].push(m) });
    await clock.advance(1_999);
    assert.deepEqual(told, [[], []]);
    await clock.advance(2_001);
    assert.equal(told[0].length, 2);
    assert.match(told[0][1] ?? "", /running for 4 s of at most 60 s/);
    assert.equal(told[1].length, 2);
    assert.match(told[1][0] ?? "", /waiting for its turn/);
    await Deno.writeTextFile(join(it.fixture.dir, "go"), "");
    await Promise.all([first, second]);
    const counts = told.map((messages) => messages.length);
    await clock.advance(60_000);
    assert.deepEqual(told.map((messages) => messages.length), counts);
  },
});

Deno.test({
  name:
    "Runner: cancelling ends the process, clears scratch and frees the turn",
  ...onUnix,
  async fn() {
    await using it = await bench("");
    const prepared = await standIn(
      it,
      `trap '' TERM; echo $$ > "$DIR/pid"; while :; do sleep 0.1; done`,
    );
    const controller = new AbortController();
    const running = it.start(prepared, { signal: controller.signal });
    const waiting = it.runner.run(prepared, { signal: controller.signal });
    const pid = await pidIn(join(it.fixture.dir, "pid"));
    controller.abort();
    const result = await running;
    assert.equal(result.cancelled, true);
    await gone(pid);
    const never = await waiting;
    assert.equal(never.ok ? "" : never.code, "CANCELLED");
    assert.deepEqual(it.left(), []);
    const next = await it.start(await standIn(it, "echo next"));
    assert.equal(text(next.stdout), "next\n");
  },
});

Deno.test({
  name: "Runner: scratch is removed whatever modes a script gave it",
  ...onUnix,
  async fn() {
    await using it = await bench("");
    const prepared = await standIn(
      it,
      `mkdir -p "$TMPDIR/a/b" "$SKILL_OUT/c"; echo x > "$TMPDIR/a/b/f"
       chmod 0 "$TMPDIR/a/b" "$SKILL_OUT/c"; chmod 0 "$TMPDIR/a" "$TMPDIR"`,
    );
    assert.equal((await it.start(prepared)).exitCode, 0);
    assert.deepEqual(it.left(), []);
  },
});

Deno.test("Runner: a runtime that is gone is a refusal, not an exit code", async () => {
  await using it = await bench("");
  const prepared = await prepare(it.fixture.planner);
  const result = await it.runner.run({
    ...prepared,
    runtimePath: it.tmp.path("no", "deno"),
  });
  assert.equal(result.ok ? "" : result.code, "NO_RUNTIME");
  assert.ok(!result.ok && !result.message.includes(it.tmp.root));
});

Deno.test("Runner: a Plan whose file vanished fails as an exit code, with the words", async () => {
  await using it = await bench("console.log(1)");
  const prepared = await prepare(it.fixture.planner, callOf());
  await Deno.remove(join(it.fixture.dir, "run.mjs"));
  const result = await it.start(prepared);
  assert.notEqual(result.exitCode, 0);
});

const RUN = import.meta.resolve("../../src/fence/run.ts");

/** A server stand-in that runs one endless child and ends as servers do. */
function server(
  tmp: Tree,
  shell: string,
  ending: "SIGTERM" | "stdin" | "SIGKILL",
): Deno.ChildProcess {
  const program = `
    import { Runner } from ${JSON.stringify(RUN)};
    const runner = new Runner({
      maxRuns: 1, behindProxy: false, tmpDir: ${
    JSON.stringify(tmp.path("tmp"))
  }, upstream: {}, certificates: async () => [], onLayerFailed() {},
    });
    const end = () => { runner.closeSync(); Deno.exit(0); };
    if (${ending === "SIGTERM"}) Deno.addSignalListener("SIGTERM", end);
    if (${ending === "stdin"}) {
      (async () => { for await (const _ of Deno.stdin.readable); end(); })();
    }
    const plan = {
      skill: "s", script: "r", interpreter: "deno", argv: [], cwd: "/",
      timeoutMs: 60000, flags: [], env: { handed: ["SKILL_OUT"] },
      limits: {
        outputBytesPerStream: 1000, dataMiB: null, fileMiB: 10, cpuSeconds: 60,
        openFiles: 64, diskMiB: 10, files: 100,
      },
      confinement: { by: "none", realm: "worker", network: "none", command: [] },
      dataDir: null, workspace: null,
    };
    await runner.run({
      plan, runtimePath: ${JSON.stringify(shell)}, stdin: new Uint8Array(0),
      files: [], values: {}, redact: new Map(), hidden: new Map(), checked: [],
    });
  `;
  Deno.writeTextFileSync(tmp.path("server.ts"), program);
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", tmp.path("server.ts")],
    stdin: "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
}

async function withServer(
  ending: "SIGTERM" | "stdin" | "SIGKILL",
  check: (
    child: Deno.ChildProcess,
    inner: number,
    left: () => number,
    tree: Tree,
  ) => Promise<void>,
): Promise<void> {
  await using tree = await makeTree({ tmp: { dir: true } });
  await tree.write({
    runtime: `#!/bin/sh
      trap '' TERM HUP
      echo $$ > '${tree.root}/outer'
      sh -c 'trap "" TERM HUP; echo $$ > '"'${tree.root}/inner'"'; while :; do sleep 0.1; done' &
      mkdir "$SKILL_OUT/x"; chmod 0 "$SKILL_OUT/x"
      while :; do sleep 0.1; done\n`,
  });
  await Deno.chmod(tree.path("runtime"), 0o755);
  const child = server(tree, tree.path("runtime"), ending);
  const left = () => [...Deno.readDirSync(tree.path("tmp"))].length;
  const inner = await pidIn(tree.path("inner"));
  const outer = await pidIn(tree.path("outer"));
  try {
    assert.equal(left(), 1);
    assert.ok(runs(inner));
    await check(child, inner, left, tree);
  } finally {
    for (const pid of [inner, outer]) {
      if (runs(pid)) Deno.kill(pid, "SIGKILL");
    }
    await child.stdin.close().catch(() => {});
    if (runs(child.pid)) child.kill("SIGKILL");
    await child.status;
  }
}

Deno.test({
  name:
    "Runner.closeSync: on SIGTERM of the server no process and no directory is left",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withServer("SIGTERM", async (child, inner, left) => {
      child.kill("SIGTERM");
      assert.equal((await child.status).code, 0);
      await gone(inner);
      assert.equal(left(), 0);
    }),
});

Deno.test({
  name:
    "Runner.closeSync: on the end of stdin no process and no directory is left",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withServer("stdin", async (child, inner, left) => {
      await child.stdin.close();
      assert.equal((await child.status).code, 0);
      await gone(inner);
      assert.equal(left(), 0);
    }),
});

Deno.test({
  name: "Runner.sweep: what a killed server left is removed by the next one",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withServer("SIGKILL", async (child, inner, left, tree) => {
      child.kill("SIGKILL");
      await child.status;
      await gone(child.pid);
      // Nobody could end the script: that is what the sweep finds.
      Deno.kill(inner, "SIGKILL");
      await gone(inner);
      assert.equal(left(), 1);
      const next = new Runner({
        maxRuns: 1,
        behindProxy: false,
        tmpDir: tree.path("tmp"),
        upstream: {},
        certificates: () => Promise.resolve([]),
        onLayerFailed: () => {},
      });
      await until(async () => await next.sweep() === 0 && left() === 0);
    }),
});

Deno.test("Runner: nothing can be run after closing", async () => {
  await using it = await bench("");
  const prepared = await prepare(it.fixture.planner);
  it.runner.closeSync();
  const result = await it.runner.run(prepared);
  assert.equal(result.ok ? "" : result.code, "CANCELLED");
});

function declares(interpreter: string, timeout = 60): string {
  return `  run:\n    - script: run.mjs\n      interpreter: ${interpreter}\n      timeout: ${timeout}`;
}
