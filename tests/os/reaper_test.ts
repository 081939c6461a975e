import assert from "node:assert/strict";
import { Reaper } from "../../src/os/reaper.ts";
import { needs } from "../support/kernel.ts";

/** What the program below reports. */
interface Report {
  /** Which process it was. */
  readonly pid: number;
  /** Zombies that a sandbox leaves when nobody takes it in. */
  readonly control: number;
  /** Those left by runs that were killed, after a while. */
  readonly left: number;
  /** Exit codes of runs and of children that it awaited late. */
  readonly codes: readonly (number | null)[];
  readonly signals: readonly (string | null)[];
}

const PROGRAM = `
  import { Spawner } from "${
  import.meta.resolve("../../src/fence/run/spawn.ts")
}";
  import { systemClock } from "${
  import.meta.resolve("../../src/fence/clock.ts")
}";
  import { zombies } from "${import.meta.resolve("../../src/os/zombies.ts")}";
  import { readStatus } from "${
  import.meta.resolve("../../src/os/wrapper.ts")
}";
  const bwrap = (await Deno.realPath("/usr/bin/bwrap"));
  const options = ["--json-status-fd", "4", "--unshare-user", "--unshare-all",
    "--die-with-parent", "--new-session", "--as-pid-1",
    "--ro-bind", "/", "/", "--", "/bin/sleep", "60"];
  const until = async (holds) => {
    for (let i = 0; i < 1000 && !holds(); i++) {
      await new Promise((again) => setTimeout(again, 5));
    }
    return holds();
  };
  const status = await Deno.makeTempFile();
  const request = (signal) => ({
    path: bwrap, args: options, cwd: "/", env: {}, stdin: new Uint8Array(0),
    timeoutMs: 20000, outputBytes: 1000, limits: {}, status, signal,
  });
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", 'exec 4>"$0"; exec "$@"', status, bwrap, ...options],
    stdin: "null", stdout: "null", stderr: "null",
  }).spawn();
  // Before that, a sandbox may outlive its holder.
  const sleeps = () => {
    const { childPid } = readStatus(status);
    return childPid !== undefined &&
      Deno.readTextFileSync("/proc/" + childPid + "/cmdline").startsWith("/bin/sleep");
  };
  await until(sleeps);
  child.kill("SIGKILL");
  await child.status;
  await until(() => zombies().length > 0);
  const control = zombies().length;
  const codes = [], signals = [];
  const spawner = new Spawner(systemClock);
  for (let run = 0; run < 3; run++) {
    // Ends at once, and is awaited when the sandbox has been.
    const late = new Deno.Command("/bin/sh", { args: ["-c", "exit 7"] }).spawn();
    await Deno.truncate(status);
    const controller = new AbortController();
    const running = spawner.run(request(controller.signal));
    await until(() => readStatus(status).childPid !== undefined);
    controller.abort();
    const ended = await running;
    signals.push(ended.value.signal);
    codes.push((await late.status).code);
  }
  await until(() => zombies().length === 0);
  const left = zombies().length;
  const after = await spawner.run({ ...request(), path: "/bin/sh",
    args: ["-c", "exit 3"], status: undefined });
  codes.push(after.value.exitCode);
  console.log(JSON.stringify({ pid: Deno.pid, control, left, codes, signals }));
  await Deno.remove(status);
`;

Deno.test({
  name: "Reaper: as process 1 the server leaves no zombie of killed sandboxes",
  ...needs("bwrap"),
  async fn() {
    // Root needs no user namespace, and its programs may lie where only it reads.
    const inside = Deno.uid() === 0
      ? ["/usr/bin/unshare", "--pid", "--fork", "--mount-proc"]
      : [
        ...["/usr/bin/bwrap", "--unshare-user", "--unshare-pid", "--as-pid-1"],
        ...["--dev-bind", "/", "/", "--proc", "/proc", "--"],
      ];
    const [path, ...args] = [
      ...inside,
      ...[Deno.execPath(), "run", "--quiet", "--no-prompt", "-A"],
      `data:text/javascript,${encodeURIComponent(PROGRAM)}`,
    ];
    const out = await new Deno.Command(path!, { args }).output();
    const text = new TextDecoder();
    const report = JSON.parse(text.decode(out.stdout) || "null") as
      | Report
      | null;
    assert.ok(report !== null, text.decode(out.stderr));
    assert.equal(report.pid, 1);
    assert.equal(
      report.control,
      1,
      "a killed sandbox does leave a zombie here",
    );
    assert.equal(report.left, 0);
    assert.deepEqual(report.codes, [7, 7, 7, 3]);
    assert.deepEqual(report.signals, ["SIGKILL", "SIGKILL", "SIGKILL"]);
  },
});

Deno.test({
  name: "Reaper: runs that end one upon the other do not put off a look",
  ignore: Deno.build.os !== "linux", // no zombies to look for elsewhere
  fn() {
    const armed: { ms: number; run: () => void; off: boolean }[] = [];
    const reaper = new Reaper({
      awaited: () => new Set(),
      clock: {
        now: () => 0,
        idle(ms, run) {
          const one = { ms, run, off: false };
          armed.push(one);
          return () => one.off = true;
        },
      },
    });
    for (let run = 0; run < 3; run++) reaper.runEnded(undefined);
    assert.equal(armed.length, 1);
    assert.equal(armed[0]!.off, false);
    armed[0]!.run();
    assert.equal(armed.length, 2, "looks again");
    reaper.runEnded(undefined);
    assert.equal(armed[1]!.off, true, "a new end is looked at sooner");
    assert.equal(armed[2]!.ms, armed[0]!.ms);
    reaper.close();
    assert.equal(armed[2]!.off, true);
  },
});
