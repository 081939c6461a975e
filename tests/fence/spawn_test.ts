import assert from "node:assert/strict";
import { systemClock } from "../../src/fence/clock.ts";
import {
  notSetUp,
  type Spawned,
  Spawner,
  type SpawnRequest,
} from "../../src/fence/run/spawn.ts";
import { makeTree } from "../support/tree.ts";
import { gone, onUnix, pidIn, runs } from "./processes.ts";

const MIB = 1024 * 1024;

function request(parts: Partial<SpawnRequest>): SpawnRequest {
  return {
    path: "/bin/sh",
    args: [],
    cwd: "/",
    env: {},
    stdin: new Uint8Array(0),
    timeoutMs: 20_000,
    outputBytes: MIB,
    limits: {},
    ...parts,
  };
}

function shell(text: string, parts: Partial<SpawnRequest> = {}): SpawnRequest {
  return request({ args: ["-c", text], ...parts });
}

async function run(wanted: SpawnRequest): Promise<Spawned> {
  const result = await new Spawner(systemClock).run(wanted);
  assert.ok(result.ok, result.ok ? "" : result.message);
  return result.value;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

Deno.test({
  name: "Spawner: hostile names and arguments reach the program as they are",
  ...onUnix,
  async fn() {
    const name = `-q"'$(echo no)\n;x`;
    await using tree = await makeTree({
      [name]: `#!/bin/sh\nfor a; do printf '<%s>' "$a"; done\n`,
    });
    await Deno.chmod(tree.path(name), 0o755);
    const args = [
      "-c",
      "$(echo hi)",
      "`id`",
      `"'`,
      "two\nlines",
      "",
      "*",
      "--",
    ];
    const ended = await run(request({ path: tree.path(name), args }));
    assert.equal(text(ended.stdout.head), args.map((a) => `<${a}>`).join(""));
    assert.equal(ended.exitCode, 0);
  },
});

Deno.test({
  name: "Spawner: core dumps are off and the limits are those asked for",
  ...onUnix,
  async fn() {
    const ended = await run(shell(
      "ulimit -c; ulimit -d; ulimit -f; ulimit -t; ulimit -n",
      {
        limits: {
          dataKiB: 2_000_000,
          fileKiB: 1024,
          cpuSeconds: 9,
          openFiles: 99,
        },
      },
    ));
    const [core, data, file, cpu, open] = text(ended.stdout.head).split("\n");
    assert.deepEqual([core, data, cpu, open], ["0", "2000000", "9", "99"]);
    // In blocks of 512 or 1024 bytes, as the shell likes.
    assert.ok(["1024", "2048"].includes(file ?? ""), file);
  },
});

Deno.test({
  name: "Spawner: what cannot be set up starts nothing, and is no script's end",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const ended = await run(shell("echo started", {
      filter: tree.path("no \u202efilter"),
      status: tree.path("status"),
    }));
    assert.equal(text(ended.stdout.head), "");
    assert.equal(ended.exitCode, 125);
    assert.equal(ended.setupFailed, true);
    const refusal = notSetUp(ended);
    assert.equal(refusal?.code, "SPAWN_FAILED");
    assert.match(
      refusal?.message ?? "",
      /ended with 125 and said ".*no \\u\{202e\}/,
    );
    // The control.
    const through = await run(
      shell("echo started", { status: tree.path("x") }),
    );
    assert.equal(text(through.stdout.head), "started\n");
    assert.equal(through.setupFailed, true, "it wrote no status");
    assert.equal((await run(shell("exit 1"))).setupFailed, false);
    assert.equal(notSetUp(await run(shell("exit 1"))), undefined);
  },
});

Deno.test({
  name: "Spawner: a status that tells of a start makes the end the script's",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const ended = await run(shell(`echo '{"started":true}' >&4; exit 1`, {
      status: tree.path("status"),
    }));
    assert.equal(ended.setupFailed, false);
    assert.equal(ended.exitCode, 1);
  },
});

Deno.test({
  name: "Spawner: going over a limit ends the group at once, and says why",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const controller = new AbortController();
    const running = run(shell(
      "trap '' TERM; sh -c 'echo $$ > inner; while :; do sleep 1; done' & wait; wait",
      { cwd: tree.root, over: controller.signal },
    ));
    const inner = await pidIn(tree.path("inner"));
    const asked = performance.now();
    controller.abort("too many files");
    const ended = await running;
    assert.equal(ended.overLimit, "too many files");
    assert.equal(ended.cancelled, false);
    assert.equal(ended.signal, "SIGKILL");
    assert.ok(performance.now() - asked < 1_500);
    await gone(inner);
    const before = await run(
      shell("sleep 9", { over: AbortSignal.abort("x") }),
    );
    assert.equal(before.overLimit, "x");
  },
});

Deno.test({
  name: "Spawner: an account is taken, with no groups of the server's",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0, // only root changes it
  async fn() {
    const ended = await run(shell("id -u; id -g; id -G", {
      account: { uid: 65534, gid: 65533 },
    }));
    assert.equal(text(ended.stdout.head), "65534\n65533\n65533\n");
  },
});

Deno.test({
  name: "Spawner: a filter of its own stands before each stream",
  ...onUnix,
  async fn() {
    const ended = await run(shell("printf one; printf two >&2", {
      outputFilter: () => {
        const seen: string[] = [];
        return {
          push(chunk) {
            seen.push(text(chunk));
            return new Uint8Array(0);
          },
          end: () => new TextEncoder().encode(`[${seen.join("")}]`),
        };
      },
    }));
    assert.equal(text(ended.stdout.head), "[one]");
    assert.equal(text(ended.stderr.head), "[two]");
  },
});

Deno.test({
  name: "Spawner: knows its living children by number",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const spawner = new Spawner(systemClock);
    const running = spawner.run(shell("echo $$ > own; sleep 9", {
      cwd: tree.root,
    }));
    assert.deepEqual([...spawner.pids], [await pidIn(tree.path("own"))]);
    spawner.closeSync();
    await running;
    assert.equal(spawner.pids.size, 0);
  },
});

Deno.test({
  name: "Spawner: the environment is exactly the given one",
  ...onUnix,
  async fn() {
    const ended = await run(request({
      path: "/usr/bin/env",
      env: { ONLY: "this one", LANG: "C" },
    }));
    const names = text(ended.stdout.head).trim().split("\n")
      // A shell exports where it is; it learnt no secret there.
      .filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=/.test(line)).sort();
    assert.deepEqual(names, ["LANG=C", "ONLY=this one"]);
  },
});

Deno.test({
  name:
    "Spawner: stdin is the given bytes, to the last of 3 MiB, and then ends",
  ...onUnix,
  async fn() {
    const stdin = new Uint8Array(3 * MIB).fill(97);
    const ended = await run(shell("wc -c", { stdin }));
    assert.equal(Number(text(ended.stdout.head)), stdin.length);
  },
});

Deno.test({
  name: "Spawner: without input stdin is empty, not the server's",
  ...onUnix,
  async fn() {
    const [spawn, clock] = ["run/spawn.ts", "clock.ts"]
      .map((file) => import.meta.resolve(`../../src/fence/${file}`));
    const server = new Deno.Command(Deno.execPath(), {
      args: [
        "eval",
        `import { Spawner } from ${JSON.stringify(spawn)};
         import { systemClock } from ${JSON.stringify(clock)};
         const ended = await new Spawner(systemClock).run(${
          JSON.stringify({ ...shell("cat; echo end"), stdin: [] })
        });
         Deno.stdout.writeSync(ended.value.stdout.head);`,
      ],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = server.stdin.getWriter();
    await writer.write(new TextEncoder().encode("the server's\n"));
    await writer.close();
    const { stdout } = await server.output();
    assert.equal(text(stdout), "end\n");
  },
});

Deno.test({
  name: "Spawner: a child that does not read its input ends as it will",
  ...onUnix,
  async fn() {
    const stdin = new Uint8Array(3 * MIB);
    const ended = await run(shell("exit 3", { stdin }));
    assert.equal(ended.exitCode, 3);
    assert.equal(ended.signal, null);
  },
});

Deno.test({
  name: "Spawner: a signal has a name and no exit code",
  ...onUnix,
  async fn() {
    const ended = await run(shell("kill -USR1 $$"));
    assert.equal(ended.exitCode, null);
    assert.equal(ended.signal, "SIGUSR1");
  },
});

Deno.test({
  name:
    "Spawner: a missing program ends with 127, a missing directory is refused",
  ...onUnix,
  async fn() {
    const spawner = new Spawner(systemClock);
    const missing = await spawner.run(request({ path: "/no/such/program" }));
    assert.equal(missing.ok && missing.value.exitCode, 127);
    const nowhere = await spawner.run(request({ cwd: "/no/such/directory" }));
    assert.equal(nowhere.ok ? "" : nowhere.code, "SPAWN_FAILED");
    assert.ok(!nowhere.ok && !nowhere.message.includes("/"));
  },
});

Deno.test({
  name: "Spawner: at the deadline SIGTERM comes first, and output stands",
  ...onUnix,
  async fn() {
    const ended = await run(shell(
      "trap 'echo asked; exit 9' TERM; echo begun; sleep 30 & wait",
      { timeoutMs: 1_000 },
    ));
    assert.equal(ended.timedOut, true);
    assert.equal(text(ended.stdout.head), "begun\nasked\n");
    assert.equal(ended.exitCode, 9);
    assert.ok(ended.durationMs >= 1_000 && ended.durationMs < 3_000);
  },
});

Deno.test({
  name:
    "Spawner: who ignores SIGTERM gets SIGKILL two seconds later, group and all",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const ended = await run(shell(
      "trap '' TERM; sh -c 'echo $$ > inner; while :; do sleep 1; done' & wait; wait",
      { cwd: tree.root, timeoutMs: 1_000 },
    ));
    assert.equal(ended.timedOut, true);
    assert.equal(ended.exitCode, null);
    assert.equal(ended.signal, "SIGKILL");
    assert.ok(ended.durationMs >= 2_900 && ended.durationMs < 4_200);
    await gone(await pidIn(tree.path("inner")));
  },
});

Deno.test({
  name: "Spawner: what the group left running is gone after a normal end",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const started = performance.now();
    const ended = await run(shell(
      "sh -c 'echo $$ > left; while :; do sleep 1; done' & until [ -s left ]; do :; done; exit 4",
      { cwd: tree.root },
    ));
    assert.equal(ended.exitCode, 4);
    assert.equal(ended.timedOut, false);
    assert.ok(performance.now() - started < 2_000);
    await gone(await pidIn(tree.path("left")));
  },
});

Deno.test({
  name:
    "Spawner: pipes held open by a process that left the group do not hang it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tree = await makeTree();
    const started = performance.now();
    const ended = await run(shell(
      "setsid sh -c 'echo $$ > far; while :; do sleep 1; done' & until [ -s far ]; do :; done; echo done",
      { cwd: tree.root },
    ));
    const far = await pidIn(tree.path("far"));
    try {
      assert.equal(ended.exitCode, 0);
      assert.equal(text(ended.stdout.head), "done\n");
      // 250 ms of silence, and not the whole second that a flood would get.
      const drained = performance.now() - started - ended.durationMs;
      assert.ok(drained >= 200 && drained < 900, `${drained} ms`);
      assert.ok(runs(far), "the control: it does hold the pipes still");
    } finally {
      Deno.kill(far, "SIGKILL");
    }
  },
});

Deno.test({
  name:
    "Spawner: one that left the group and floods the pipes does not hang it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tree = await makeTree();
    const started = performance.now();
    const ended = await run(shell(
      "setsid sh -c 'echo $$ > far; exec yes' & until [ -s far ]; do :; done",
      { cwd: tree.root },
    ));
    assert.equal(ended.exitCode, 0);
    const drained = performance.now() - started - ended.durationMs;
    assert.ok(drained < 2_000, `${drained} ms`);
    // Nobody reads any more: it ends by itself.
    await gone(await pidIn(tree.path("far")));
  },
});

Deno.test({
  name: "Spawner: a deadline with a process outside the group still returns",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tree = await makeTree();
    const started = performance.now();
    const ended = await run(shell(
      "setsid sh -c 'echo $$ > far; while :; do sleep 1; done' & trap '' TERM; while :; do sleep 1; done",
      { cwd: tree.root, timeoutMs: 1_000 },
    ));
    Deno.kill(await pidIn(tree.path("far")), "SIGKILL");
    assert.equal(ended.timedOut, true);
    assert.ok(performance.now() - started < 8_000);
  },
});

Deno.test({
  name:
    "Spawner: what the holder of a sandbox started is killed with it, in whatever group it is",
  ignore: Deno.build.os !== "linux", // reads /proc
  async fn() {
    await using tree = await makeTree();
    // As a sandbox is for some moments: out of the group, not yet bound to die.
    const holder = "setsid sh -c 'echo $$ > far; exec sleep 60' & wait";
    const far = async (parts: Partial<SpawnRequest>) => {
      await Deno.writeTextFile(tree.path("far"), "");
      const controller = new AbortController();
      const running = run(shell(holder, {
        cwd: tree.root,
        signal: controller.signal,
        ...parts,
      }));
      const pid = await pidIn(tree.path("far"));
      controller.abort();
      assert.equal((await running).signal, "SIGKILL");
      return pid;
    };
    await gone(await far({ status: tree.path("status") }));
    const control = await far({});
    assert.ok(runs(control), "no holder of a sandbox: it left the group");
    Deno.kill(control, "SIGKILL");
  },
});

Deno.test({
  name: "Spawner: cancelling ends the whole group at once",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const controller = new AbortController();
    const running = run(shell(
      "trap '' TERM; sh -c 'echo $$ > inner; while :; do sleep 1; done' & wait; wait",
      { cwd: tree.root, signal: controller.signal },
    ));
    const inner = await pidIn(tree.path("inner"));
    const asked = performance.now();
    controller.abort();
    const ended = await running;
    assert.equal(ended.cancelled, true);
    assert.equal(ended.timedOut, false);
    assert.equal(ended.signal, "SIGKILL");
    assert.ok(performance.now() - asked < 1_500);
    await gone(inner);
  },
});

Deno.test({
  name: "Spawner: what was cancelled before starts nothing",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const result = await new Spawner(systemClock).run(
      shell("echo x > made", { cwd: tree.root, signal: AbortSignal.abort() }),
    );
    assert.equal(result.ok ? "" : result.code, "CANCELLED");
    assert.deepEqual(await Array.fromAsync(Deno.readDir(tree.root)), []);
  },
});

Deno.test({
  name:
    "Spawner: closing kills every living group, and nothing starts any more",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const spawner = new Spawner(systemClock);
    const running = ["one", "two"].map((name) =>
      spawner.run(shell(
        `trap '' TERM; echo $$ > ${name}; while :; do sleep 1; done`,
        { cwd: tree.root },
      ))
    );
    const pids = [await pidIn(tree.path("one")), await pidIn(tree.path("two"))];
    spawner.closeSync();
    for (const pid of pids) await gone(pid);
    for (const result of await Promise.all(running)) {
      assert.equal(result.ok && result.value.signal, "SIGKILL");
    }
    const later = await spawner.run(shell("exit 0"));
    assert.equal(later.ok, false);
  },
});

Deno.test({
  name: "Spawner: a flood is counted whole and kept at 1 MiB, in flat memory",
  ...onUnix,
  async fn() {
    const before = Deno.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, Deno.memoryUsage().rss);
    }, 5);
    const flood = 512 * MIB;
    const ended = await run(shell(
      `printf first; head -c ${flood} /dev/zero; printf last`,
    ));
    clearInterval(watch);
    const { head, tail, total } = ended.stdout;
    assert.equal(total, flood + 9);
    assert.equal(head.length + tail.length, MIB);
    assert.equal(text(head.subarray(0, 5)), "first");
    assert.equal(text(tail.subarray(-4)), "last");
    assert.ok(
      peak - before < 128 * MIB,
      `grew by ${(peak - before) / MIB} MiB`,
    );
  },
});

Deno.test({
  name: "Spawner: both streams flooding at once do not block each other",
  ...onUnix,
  async fn() {
    const ended = await run(shell(
      "head -c 8000000 /dev/zero >&2 & head -c 8000000 /dev/zero; wait",
    ));
    assert.equal(ended.stdout.total, 8_000_000);
    assert.equal(ended.stderr.total, 8_000_000);
  },
});
