import assert from "node:assert/strict";
import type { Json } from "../support/clients.ts";
import { ok, refuse } from "../../src/base/refusal.ts";
import type { PreparedRun, RunResult } from "../../src/fence/types.ts";
import type { RunOptions } from "../../src/fence/run.ts";
import type { Engine } from "../../src/server/engine_types.ts";
import { encodedLength } from "../../src/server/fit.ts";
import { RunOutput } from "../../src/server/schemas/outputs.ts";
import { createSession } from "../../src/server/session.ts";
import {
  openServer,
  runs,
  type ServerSetup,
  skillText,
  type TestServer,
} from "../support/server_calls.ts";

const CALL = { name: "s", script: "go.mjs" };
const GRANTED = { MCP_SKILL_RUN: '[{"skill":"s","script":"go.mjs"}]' };

const NOTHING_TRIED: RunResult["evidence"] = {
  read: [],
  write: [],
  net: [],
  env: [],
  sys: [],
  run: [],
  ffi: [],
  import: [],
  more: 0,
  blind: [],
};

function result(
  prepared: PreparedRun,
  more: Partial<RunResult> = {},
): RunResult {
  const stream = { head: new Uint8Array(0), tail: new Uint8Array(0), total: 0 };
  const { plan } = prepared;
  return {
    skill: plan.skill,
    script: plan.script,
    interpreter: plan.interpreter,
    exitCode: 0,
    signal: null,
    timedOut: false,
    cancelled: false,
    stdout: stream,
    stderr: stream,
    outputs: [],
    durationMs: 12.7,
    env: ["HOME"],
    planDigest: plan.digest,
    overLimit: null,
    evidence: NOTHING_TRIED,
    limits: { enforced: ["e"], notEnforced: [] },
    hints: [],
    ...more,
  };
}

type Runner = (
  prepared: PreparedRun,
  options: RunOptions,
) => ReturnType<Engine["runner"]["run"]>;

/** A server whose runner is `runner`; counts what reached it. */
async function serve(
  options: Partial<ServerSetup> & { runner?: Runner } = {},
): Promise<TestServer & { readonly started: () => number }> {
  let started = 0;
  const runner: Runner = options.runner ??
    ((prepared) => Promise.resolve(ok(result(prepared))));
  const server = await openServer({
    files: {
      "s/SKILL.md": skillText({ block: runs("go.mjs") }),
      "s/go.mjs": "console.log(1);\n",
      ...options.files,
    },
    env: { ...GRANTED, ...options.env },
    flags: options.flags,
    now: options.now,
    change: (engine) => ({
      runner: {
        ...engine.runner,
        run: (prepared, how) => {
          started++;
          return runner(prepared, how);
        },
      },
      ...options.change?.(engine),
    }),
  });
  return { ...server, started: () => started };
}

/** A structured answer, checked for what holds for all of them. */
async function ask(
  server: TestServer,
  name: string,
  args: unknown,
): Promise<Json> {
  const answer = await server.call(name, args);
  assert.equal(answer.text.length, 1);
  assert.equal(answer.text[0], JSON.stringify(answer.structured));
  const { data, error } = RunOutput.safeParse(answer.structured);
  assert.ok(data, String(error));
  assert.equal(answer.isError, answer.structured.status === "refused");
  return answer.structured;
}

Deno.test("skill_preview: status and Plan, without nulls, and nothing starts", async () => {
  await using server = await serve();
  const preview = await ask(server, "skill_preview", { ...CALL, args: ["x"] });
  assert.equal(preview.status, "preview");
  assert.deepEqual(preview.plan.argv, ["x"]);
  assert.match(preview.plan.digest, /^sha256:[0-9a-f]{64}$/);
  assert.ok(!JSON.stringify(preview).includes(":null"));
  assert.match(preview.hint, /planDigest set to plan\.digest/);
  assert.equal(server.started(), 0);
});

Deno.test("skill_run: without confirm: true it is the same preview and starts nothing", async () => {
  await using server = await serve();
  const preview = await ask(server, "skill_preview", CALL);
  assert.deepEqual(await ask(server, "skill_run", CALL), preview);
  assert.deepEqual(
    await ask(server, "skill_run", { ...CALL, confirm: false }),
    preview,
  );
  assert.equal(server.started(), 0);
});

Deno.test("skill_run: confirm: true runs that Plan; the result has every stated field", async () => {
  const text = new TextEncoder().encode("out\n");
  const output = {
    id: "abc",
    path: "out/r.txt",
    size: 1,
    mediaType: "text/plain",
    sha256: "sha256:0",
  };
  await using server = await serve({
    runner: (prepared) =>
      Promise.resolve(ok(result(prepared, {
        stdout: { head: text, tail: new Uint8Array(0), total: 4 },
        outputs: [output],
        hints: ["h"],
      }))),
  });
  const { plan } = await ask(server, "skill_preview", CALL);
  const done = await ask(server, "skill_run", {
    ...CALL,
    confirm: true,
    planDigest: plan.digest,
  });
  assert.deepEqual(done, {
    status: "done",
    skill: "s",
    script: "go.mjs",
    interpreter: "node",
    exitCode: 0,
    timedOut: false,
    stdout: "out\n",
    stderr: "",
    truncated: { stdout: false, stderr: false },
    omittedBytes: { stdout: 0, stderr: 0 },
    encoding: { stdout: "utf-8", stderr: "utf-8" },
    outputs: [output],
    durationMs: 13,
    env: ["HOME"],
    planDigest: plan.digest,
    evidence: NOTHING_TRIED,
    limits: { enforced: ["e"], notEnforced: [] },
    hints: ["h"],
  });
});

Deno.test("skill_run: a script ended by a signal has that and no exit code", async () => {
  await using server = await serve({
    runner: (prepared) =>
      Promise.resolve(ok(result(prepared, {
        exitCode: null,
        signal: "SIGKILL",
        timedOut: true,
      }))),
  });
  const done = await ask(server, "skill_run", { ...CALL, confirm: true });
  assert.deepEqual([done.signal, done.timedOut], ["SIGKILL", true]);
  assert.ok(!("exitCode" in done));
});

Deno.test("skill_run: long output stays under the answer's size and says how to read on", async () => {
  const controls = new Uint8Array(100_000).fill(1);
  const stream = {
    head: controls.subarray(0, 50_000),
    tail: controls.subarray(50_000),
    total: 200_000,
  };
  const outputs = Array.from({ length: 500 }, (_, i) => ({
    id: String(i).padStart(32, "0"),
    path: `out/${"p".repeat(100)}${i}`,
    size: 1,
    mediaType: "text/plain",
    sha256: `sha256:${"0".repeat(64)}`,
  }));
  await using server = await serve({
    runner: (prepared) =>
      Promise.resolve(
        ok(result(prepared, { stdout: stream, stderr: stream, outputs })),
      ),
  });
  const answer = await server.call("skill_run", { ...CALL, confirm: true });
  assert.ok(encodedLength(answer.text[0]!) < 40_000);
  assert.equal(answer.structured.truncated.stdout, true);
  assert.match(answer.structured.hints.join(), /outputLimit raises/);
  assert.match(answer.structured.hints.join(), /more files were left behind/);
  const all = await server.call("skill_run", {
    ...CALL,
    confirm: true,
    outputLimit: 200_000,
  });
  assert.equal(all.structured.omittedBytes.stdout, 100_000);
});

Deno.test("skill_run: a planDigest that differs starts nothing and brings the fresh Plan", async () => {
  await using server = await serve();
  const { plan } = await ask(server, "skill_preview", CALL);
  await server.tree.write({ "root/s/go.mjs": "console.log(2);\n" });
  const refusal = await ask(server, "skill_run", {
    ...CALL,
    confirm: true,
    planDigest: plan.digest,
  });
  assert.equal(refusal.code, "PLAN_CHANGED");
  assert.notEqual(refusal.plan.digest, plan.digest);
  assert.equal(server.started(), 0);
  const again = { ...CALL, confirm: true, planDigest: refusal.plan.digest };
  assert.equal((await ask(server, "skill_run", again)).status, "done");
});

Deno.test("skill_run: what a skill granted itself runs only with the Plan's digest", async () => {
  await using server = await serve({
    files: {
      "s/SKILL.md": skillText({
        block:
          "  run:\n    - { script: go.mjs, interpreter: node, env: [KEY] }\n",
      }),
    },
    env: { MCP_SKILL_RUN: "", KEY: "k" },
  });
  const bare = await ask(server, "skill_run", { ...CALL, confirm: true });
  assert.equal(bare.status, "preview");
  assert.deepEqual(bare.plan.selfGranted, ["KEY"]);
  assert.match(bare.hint, /nobody but the skill itself granted/);
  assert.equal(server.started(), 0);
  const named = { ...CALL, confirm: true, planDigest: bare.plan.digest };
  assert.equal((await ask(server, "skill_run", named)).status, "done");
});

const PLAN_MODE = { SKILLFENCE_CONFIRM: "plan" };

Deno.test("skill_run: SKILLFENCE_CONFIRM=plan answers a bare confirm with the preview", async () => {
  await using server = await serve({ env: PLAN_MODE });
  const bare = await ask(server, "skill_run", { ...CALL, confirm: true });
  assert.equal(bare.status, "preview");
  assert.equal(server.started(), 0);
  const named = { ...CALL, confirm: true, planDigest: bare.plan.digest };
  assert.equal((await ask(server, "skill_run", named)).status, "done");
});

Deno.test("skill_run: SKILLFENCE_CONFIRM=plan takes a preview once, of this session, for ten minutes", async () => {
  let now = 0;
  await using server = await serve({ env: PLAN_MODE, now: () => now });
  const { plan } = await ask(server, "skill_preview", CALL);
  const named = { ...CALL, confirm: true, planDigest: plan.digest };

  const other = await server.call("skill_run", named, {
    session: createSession(() => now),
  });
  assert.equal(other.structured.code, "CONFIRM_PLAN", "another session's");
  assert.equal((await ask(server, "skill_run", named)).status, "done");
  assert.equal((await ask(server, "skill_run", named)).code, "CONFIRM_PLAN");

  await ask(server, "skill_preview", CALL);
  now += 600_001;
  const late = await ask(server, "skill_run", named);
  assert.equal(late.code, "CONFIRM_PLAN");
  assert.equal(late.plan.digest, plan.digest, "shown again");
  assert.equal(server.started(), 1);
});

Deno.test("skill_run: BUSY or a cancellation before the start does not use the preview up", async () => {
  const answers = [
    refuse("BUSY", "busy", "later"),
    refuse("CANCELLED", "cancelled", "again"),
  ];
  await using server = await serve({
    env: PLAN_MODE,
    runner: (prepared) =>
      Promise.resolve(answers.shift() ?? ok(result(prepared))),
  });
  const { plan } = await ask(server, "skill_preview", CALL);
  const named = { ...CALL, confirm: true, planDigest: plan.digest };
  assert.equal((await ask(server, "skill_run", named)).code, "BUSY");
  assert.equal((await ask(server, "skill_run", named)).code, "CANCELLED");
  assert.equal((await ask(server, "skill_run", named)).status, "done");
});

Deno.test("skill_run: two calls with one preview start one run", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  await using server = await serve({
    env: PLAN_MODE,
    runner: async (prepared) => {
      await gate;
      return ok(result(prepared));
    },
  });
  const { plan } = await ask(server, "skill_preview", CALL);
  const named = { ...CALL, confirm: true, planDigest: plan.digest };
  const calls = [1, 2].map(() => ask(server, "skill_run", named));
  await Promise.race(calls);
  open();
  const codes = (await Promise.all(calls)).map(({ status, code }) =>
    code ?? status
  );
  assert.deepEqual(codes.sort(), ["CONFIRM_PLAN", "done"]);
  assert.equal(server.started(), 1);
});

Deno.test("skill_run: what can never run is refused before any preview", async () => {
  await using server = await serve({
    files: {
      "s/SKILL.md": skillText({
        block: runs("go.mjs", "un.mjs", "gone.mjs") +
          "    - { script: x.py, interpreter: python3 }\n",
      }),
      "s/un.mjs": "",
      "s/x.py": "",
    },
    env: {
      MCP_SKILL_RUN: JSON.stringify(
        ["go.mjs", "gone.mjs", "x.py"].map((script) => ({
          skill: "s",
          script,
        })),
      ),
    },
  });
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ name: "t" }, /UNKNOWN_SKILL/],
    [{ script: "nope.mjs" }, /UNKNOWN_SCRIPT|NOT_DECLARED/],
    [{ script: "un.mjs" }, /NOT_GRANTED/],
    [{ script: "x.py" }, /INTERPRETER_UNAVAILABLE/],
    [{ script: "gone.mjs" }, /NOT_FOUND|PREFLIGHT/],
    [{ args: ["x".repeat(8193)] }, /INVALID_ARGUMENTS|TOO_LARGE/],
    [{ args: ["\u0000"] }, /INVALID_ARGUMENTS/],
    [{ files: [{ name: "a/b", text: "" }] }, /INVALID_ARGUMENTS/],
  ];
  for (const [change, code] of cases) {
    for (const name of ["skill_preview", "skill_run"]) {
      const refusal = await ask(server, name, { ...CALL, ...change });
      assert.match(refusal.code, code, JSON.stringify(refusal));
      assert.ok(!("plan" in refusal));
      assert.ok(
        !JSON.stringify(refusal).includes(server.root),
        refusal.message,
      );
    }
  }
});

Deno.test("skill_run: files need text or strict base64, and decode to their bytes", async () => {
  let handed: PreparedRun["files"] = [];
  await using server = await serve({
    runner: (prepared) => {
      handed = prepared.files;
      return Promise.resolve(ok(result(prepared)));
    },
  });
  const files = (file: unknown) => ({ ...CALL, confirm: true, files: [file] });
  for (
    const [file, says] of [
      [{ name: "f" }, /files\[0\].*neither text nor base64/],
      [{ name: "f", text: "", base64: "" }, /text and base64/],
      [{ name: "f", base64: "a-b=" }, /files\[0\]\.base64.*standard alphabet/],
    ] as const
  ) {
    const refusal = await ask(server, "skill_run", files(file));
    assert.equal(refusal.code, "INVALID_ARGUMENTS");
    assert.match(refusal.message, says);
  }
  await ask(server, "skill_run", {
    ...CALL,
    confirm: true,
    files: [{ name: "t", text: "é" }, { name: "b", base64: "/wA=" }],
  });
  assert.deepEqual(handed.map(({ bytes }) => [...bytes]), [
    [0xc3, 0xa9],
    [0xff, 0],
  ]);
});

Deno.test("skill_run: a hosted server with mistakes in its configuration runs and previews nothing", async () => {
  await using server = await serve({
    env: { MCP_BLOB_BASE_URL: "x", SKILLFENCE_MAX_RUNS: "many" },
  });
  for (const name of ["skill_preview", "skill_run"]) {
    const refusal = await ask(server, name, CALL);
    assert.equal(refusal.code, "CONFIG");
    assert.match(refusal.message, /SKILLFENCE_MAX_RUNS is "many"/);
  }
});

Deno.test("skill_run: with --no-run it is refused by name", async () => {
  await using server = await serve({ flags: { noRun: true } });
  assert.equal((await ask(server, "skill_run", CALL)).code, "RUN_DISABLED");
});

Deno.test("callTool: bad arguments are refused in both halves before the engine is asked", async () => {
  await using server = await serve();
  const refusal = await ask(server, "skill_run", { name: "s", confirm: "yes" });
  assert.equal(refusal.code, "INVALID_ARGUMENTS");
  assert.match(refusal.message, /"script" is missing.*"confirm"/);
});

Deno.test("callTool: a thrown exception becomes INTERNAL with an id that the log has", async () => {
  await using server = await serve({
    runner: () => Promise.reject(new Error("at /home/secret/place")),
  });
  const refusal = await ask(server, "skill_run", { ...CALL, confirm: true });
  assert.equal(refusal.code, "INTERNAL");
  const id = /id ([0-9a-f]{8})/.exec(refusal.message)![1]!;
  assert.ok(server.log.some((line) => line.includes(id)));
  assert.ok(server.log.some((line) => line.includes("/home/secret/place")));
  assert.ok(!JSON.stringify(refusal).includes("secret"));
});

Deno.test("callTool: progress while the scan is waited for, none after the answer", async () => {
  const { promise: scanned, resolve: finish } = Promise.withResolvers<void>();
  await using server = await serve({
    change: (engine) => ({
      catalog: {
        find: (name, options) => engine.catalog.find(name, options),
        rescan: (options) => engine.catalog.rescan(options),
        snapshot: async (heard) => {
          heard?.({ directories: 7, skills: 0, total: 0 });
          await scanned;
          return await engine.catalog.snapshot();
        },
      },
    }),
  });
  const told: [number, string][] = [];
  const answer = await server.call("skill_list", {}, {
    onProgress: (count, message) => {
      told.push([count, message]);
      if (count === 2) finish();
    },
  });
  assert.equal(answer.isError, false);
  assert.deepEqual(told.map(([count]) => count), [1, 2]);
  assert.match(told[0]![1], /7 directories walked/);
});

Deno.test("callTool: a run's progress reaches the caller, and nothing comes late", async () => {
  const told: string[] = [];
  let late: (message: string) => void = () => {};
  await using server = await serve({
    runner: (prepared, { onProgress }) => {
      onProgress?.("waiting");
      late = onProgress!;
      return Promise.resolve(ok(result(prepared)));
    },
  });
  await server.call("skill_run", { ...CALL, confirm: true }, {
    onProgress: (_, message) => told.push(message),
  });
  late("too late");
  await Promise.resolve();
  assert.deepEqual(told, ["waiting"]);
});
