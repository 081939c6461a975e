import assert from "node:assert/strict";
import { join } from "node:path";
import { systemClock } from "../../src/fence/clock.ts";
import {
  type Spawned,
  Spawner,
  type SpawnRequest,
} from "../../src/fence/run/spawn.ts";
import { readStatus } from "../../src/os/wrapper.ts";
import { needs } from "../support/kernel.ts";
import { type Box, makeBox } from "./boxed.ts";
import { gone } from "./processes.ts";
import { until } from "../support/until.ts";

const SCRIPTS = {
  "exit.mjs": "console.log('hello'); Deno.exit(Number(Deno.args[0]));",
  "wait.mjs": "console.log('begun'); setInterval(() => {}, 1000);",
  "loop.mjs": "console.log('begun'); for (;;);",
  "polite.mjs": `Deno.addSignalListener("SIGTERM", () => {
    console.log("asked");
    Deno.exit(9);
  });
  console.log("begun"); setInterval(() => {}, 1000);`,
  "deaf.mjs": `Deno.addSignalListener("SIGTERM", () => {});
  console.log("begun"); setInterval(() => {}, 1000);`,
};

async function run(request: SpawnRequest): Promise<Spawned> {
  const result = await new Spawner(systemClock).run(request);
  assert.ok(result.ok, result.ok ? "" : result.message);
  return result.value;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** After the end: the sandbox's first process is gone. */
async function emptied(box: Box): Promise<void> {
  const { childPid } = readStatus(box.status);
  assert.ok(childPid !== undefined);
  await gone(childPid);
}

Deno.test({
  name: "Spawner, sandboxed: a script's own end is told from a failed set-up",
  ...needs("bwrap"),
  async fn() {
    await using box = await makeBox(SCRIPTS);
    for (const code of [0, 1, 125]) {
      const ended = await run(
        box.request("exit.mjs", { scriptArgs: [String(code)] }),
      );
      assert.equal(text(ended.stdout.head), "hello\n", text(ended.stderr.head));
      assert.equal(ended.exitCode, code);
      assert.equal(ended.setupFailed, false);
    }
    const { args, ...rest } = box.request("exit.mjs", { scriptArgs: ["0"] });
    const broken = args.map((arg) =>
      arg === box.data ? join(box.data, "missing") : arg
    );
    const ended = await run({ ...rest, args: broken });
    assert.equal(text(ended.stdout.head), "");
    assert.equal(ended.exitCode, 1);
    assert.equal(ended.setupFailed, true);
    assert.match(text(ended.stderr.head), /^bwrap: .*missing/);
  },
});

Deno.test({
  name: "Spawner, sandboxed: at the deadline a listener for SIGTERM is heard",
  ...needs("bwrap"),
  async fn() {
    await using box = await makeBox(SCRIPTS);
    const ended = await run(box.request("polite.mjs", { timeoutMs: 1_000 }));
    assert.equal(text(ended.stdout.head), "begun\nasked\n");
    assert.equal(ended.timedOut, true);
    assert.equal(ended.exitCode, 9);
    assert.ok(ended.durationMs < 2_500, `${ended.durationMs} ms`);
    await emptied(box);
  },
});

Deno.test({
  name: "Spawner, sandboxed: who ignores SIGTERM is gone two seconds later",
  ...needs("bwrap"),
  async fn() {
    await using box = await makeBox(SCRIPTS);
    const ended = await run(box.request("deaf.mjs", { timeoutMs: 1_000 }));
    assert.equal(ended.timedOut, true);
    assert.deepEqual([ended.exitCode, ended.signal], [null, "SIGKILL"]);
    assert.ok(ended.durationMs >= 2_900 && ended.durationMs < 4_200);
    await emptied(box);
  },
});

for (const script of ["wait.mjs", "loop.mjs"]) {
  Deno.test({
    name:
      `Spawner, sandboxed: ${script} has no listener and ends at its deadline by SIGTERM`,
    ...needs("bwrap"),
    async fn() {
      await using box = await makeBox(SCRIPTS);
      const ended = await run(box.request(script, { timeoutMs: 1_000 }));
      assert.equal(text(ended.stdout.head), "begun\n");
      assert.equal(ended.timedOut, true);
      assert.deepEqual([ended.exitCode, ended.signal], [null, "SIGTERM"]);
      assert.ok(ended.durationMs < 2_000, `${ended.durationMs} ms`);
      assert.equal(ended.setupFailed, false);
      await emptied(box);
    },
  });
}

Deno.test({
  name: "Spawner, sandboxed: cancelling and going over a limit end all at once",
  ...needs("bwrap"),
  async fn() {
    await using box = await makeBox(SCRIPTS);
    for (const by of ["signal", "over"] as const) {
      const controller = new AbortController();
      const running = run(
        box.request("deaf.mjs", { [by]: controller.signal }),
      );
      await until(() => readStatus(box.status).childPid !== undefined);
      const asked = performance.now();
      controller.abort("why");
      const ended = await running;
      assert.ok(performance.now() - asked < 1_500);
      assert.equal(ended.signal, "SIGKILL");
      assert.equal(ended.cancelled, by === "signal");
      assert.equal(ended.overLimit, by === "over" ? "why" : undefined);
      assert.equal(ended.setupFailed, false);
      await emptied(box);
      await Deno.truncate(box.status);
    }
  },
});
