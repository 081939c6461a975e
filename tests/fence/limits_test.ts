import assert from "node:assert/strict";
import { systemClock } from "../../src/fence/clock.ts";
import type { RunLimits } from "../../src/fence/plan/run_limits.ts";
import { type Spawned, Spawner } from "../../src/fence/run/spawn.ts";
import { StorageWatch } from "../../src/fence/run/storage_watch.ts";
import { DENODIR_MIB } from "../../src/os/mounts.ts";
import { readStatus } from "../../src/os/wrapper.ts";
import { needs } from "../support/kernel.ts";
import { type Box, type BoxedParts, makeBox } from "./boxed.ts";
import { gone } from "./processes.ts";

const MIB = 1024 * 1024;
/** What a deadline may be passed by: SIGKILL and giving up. */
const AFTER_DEADLINE_MS = 3_250;
/** A server's memory may move so far in one run. */
const FLAT_MIB = 160;

interface Attack {
  readonly name: string;
  /** The script: runs in SKILL_OUT's parent, `args` are out and data. */
  readonly code: string;
  readonly limits?: Partial<RunLimits>;
  readonly parts?: BoxedParts;
  readonly timeoutMs?: number;
  check(ended: Spawned, box: Box): void | Promise<void>;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Runs a script of the box as a run does, storage watched. */
async function run(
  spawner: Spawner,
  box: Box,
  script: string,
  parts: BoxedParts,
): Promise<Spawned> {
  const watch = new StorageWatch({
    storage: {
      dirs: [box.out, box.data],
      inside: [
        { path: box.view.scratch, sizeMiB: box.view.scratchMiB },
        { path: box.view.denodir, sizeMiB: DENODIR_MIB },
      ],
      status: box.status,
      audit: box.audit,
    },
    limits: box.limits,
    clock: systemClock,
  });
  assert.equal(await watch.before(), undefined);
  const result = await spawner.run(box.request(script, {
    scriptArgs: [box.out, box.data],
    onStart: (pid) => watch.start(pid),
    over: watch.signal,
    ...parts,
  }));
  assert.ok(result.ok, result.ok ? "" : result.message);
  assert.deepEqual(watch.notCounted, []);
  return { ...result.value, overLimit: await watch.end() };
}

/** The attack ends in time, nothing is left of it, and the server is as before. */
function attack(
  { name, code, limits, parts, timeoutMs = 5_000, check }: Attack,
) {
  Deno.test({
    name: `limits: ${name}`,
    ...needs("bwrap"),
    async fn() {
      await using box = await makeBox(
        { "attack.mjs": code, "next.mjs": "console.log('next')" },
        limits,
      );
      const spawner = new Spawner(systemClock);
      const before = Deno.memoryUsage().rss;
      const ended = await run(spawner, box, "attack.mjs", {
        timeoutMs,
        ...parts,
      });
      const grown = (Deno.memoryUsage().rss - before) / MIB;
      assert.ok(grown < FLAT_MIB, `the server grew by ${grown} MiB`);
      assert.ok(ended.durationMs < timeoutMs + AFTER_DEADLINE_MS);
      assert.equal(ended.setupFailed, false, text(ended.stderr.head));
      const { childPid } = readStatus(box.status);
      if (childPid !== undefined) await gone(childPid);
      await check(ended, box);
      for (const dir of [box.out, box.data]) {
        await Deno.remove(dir, { recursive: true });
        await Deno.mkdir(dir, { mode: 0o777 });
        await Deno.chmod(dir, 0o777);
      }
      await Deno.truncate(box.audit);
      const next = await run(spawner, box, "next.mjs", { timeoutMs: 10_000 });
      assert.equal(text(next.stdout.head), "next\n", text(next.stderr.head));
      assert.equal(next.overLimit, undefined);
    },
  });
}

/** Said by the script itself, or why it could not. */
function said({ stdout, stderr }: Spawned): string {
  return text(stdout.head) + text(stderr.head);
}

attack({
  name: "a flood of output is cut and ends at the deadline",
  timeoutMs: 1_500,
  code: `const line = new Uint8Array(65536).fill(120);
    for (;;) { Deno.stdout.writeSync(line); Deno.stderr.writeSync(line); }`,
  check(ended) {
    assert.equal(ended.timedOut, true);
    assert.ok(ended.stdout.total > 10 * MIB);
    assert.ok(ended.stdout.head.length + ended.stdout.tail.length <= MIB);
  },
});

attack({
  name: "memory that is allowed can be used, in small and in large buffers",
  code: `const keep = [];
    for (let i = 0; i < 480; i++) keep.push(new Uint8Array(1 << 20).fill(1));
    console.log("small", keep.length);
    keep.length = 0;
    console.log("large", new Uint8Array(500 << 20).length >> 20);`,
  timeoutMs: 15_000,
  check(ended) {
    assert.equal(said(ended), "small 480\nlarge 500\n");
  },
});

attack({
  name: "a buffer of 2 GB cannot be had",
  code: `try { console.log(new ArrayBuffer(2e9).byteLength); }
    catch (error) { console.log(error.message); }`,
  check(ended) {
    assert.equal(said(ended), "Array buffer allocation failed\n");
  },
});

attack({
  name: "wasm memory ends where memory ends",
  limits: { memoryMiB: 128, dataMiB: 600 + 128 },
  code: `const memory = new WebAssembly.Memory({ initial: 1 });
    let pages = 1;
    try { for (;; pages += 16) memory.grow(16); }
    catch { console.log(pages >> 4); }`,
  check(ended) {
    const mib = Number(said(ended));
    assert.ok(mib > 100 && mib < 200, said(ended));
  },
});

attack({
  name: "a full heap ends the script and nothing else",
  limits: { memoryMiB: 64, dataMiB: 600 + 64 },
  timeoutMs: 20_000,
  code: `const keep = []; for (;;) keep.push(new Array(1000).fill({}));`,
  check(ended) {
    // 128 + SIGTRAP: the runtime aborts.
    assert.equal(ended.exitCode, 133);
    assert.match(said(ended), /JavaScript out of memory/);
  },
});

attack({
  name: "200 workers do not come to be",
  timeoutMs: 15_000,
  code:
    `const url = "data:text/javascript,postMessage(1);setInterval(()=>{},1e3)";
    let up = 0;
    for (let i = 0; i < 200; i++) {
      const worker = new Worker(url, { type: "module" });
      await new Promise((done) => worker.onmessage = done);
      console.log(++up);
    }`,
  check(ended) {
    const up = text(ended.stdout.head).trim().split("\n").length;
    assert.ok(up < 20, `${up} workers`);
    assert.equal(ended.exitCode, 133, said(ended));
  },
});

attack({
  name: "a loop that traps SIGTERM is killed after its deadline",
  timeoutMs: 1_000,
  code: `Deno.addSignalListener("SIGTERM", () => console.log("trapped"));
    console.log("begun"); for (;;);`,
  check(ended) {
    assert.equal(said(ended), "begun\n");
    assert.equal(ended.timedOut, true);
    assert.equal(ended.signal, "SIGKILL");
  },
});

attack({
  name: "processor time ends before the deadline does",
  limits: { cpuSeconds: 1 },
  timeoutMs: 15_000,
  code: `console.log("begun"); for (;;);`,
  check(ended) {
    assert.equal(ended.timedOut, false);
    assert.equal(ended.exitCode, 137);
  },
});

attack({
  name: "a single file cannot grow past its limit",
  limits: { fileMiB: 4 },
  code:
    `const file = Deno.openSync(Deno.args[0] + "/big", { create: true, write: true });
    const mib = new Uint8Array(1 << 20);
    let written = 0;
    try { for (;;) written += file.writeSync(mib); }
    catch (error) { console.log(written >> 20, error.message); }`,
  check(ended) {
    assert.match(said(ended), /^4 File too large/);
  },
});

attack({
  name: "open files end where their limit ends",
  limits: { openFiles: 64 },
  code: `const open = [];
    try { for (;;) open.push(Deno.openSync(new URL(import.meta.url))); }
    catch (error) { console.log(open.length, error.message); }`,
  check(ended) {
    const [, count] = /^(\d+) Too many open files/.exec(said(ended)) ?? [];
    assert.ok(Number(count) > 20 && Number(count) < 64, said(ended));
  },
});

attack({
  name: "many reads at once get by on the threads that there are",
  code: `const reads = [];
    for (let i = 0; i < 1000; i++) reads.push(Deno.readFile(new URL(import.meta.url)));
    console.log((await Promise.all(reads)).length);`,
  limits: { openFiles: 1024 },
  timeoutMs: 20_000,
  check(ended) {
    assert.equal(said(ended), "1000\n");
  },
});

const FILL = `const mib = new Uint8Array(1 << 20);
  for (let i = 0;; i++) Deno.writeFileSync(dir + "/" + i, mib);`;

for (const [place, dir] of [["out", 0], ["data", 1]] as const) {
  attack({
    name: `a filler of ${place} is stopped, file by file below the limit`,
    timeoutMs: 20_000,
    code: `const dir = Deno.args[${dir}]; ${FILL}`,
    check(ended) {
      assert.match(ended.overLimit ?? "", /more than 64 MiB/);
      assert.equal(ended.signal, "SIGKILL");
      assert.ok(ended.durationMs < 15_000, `${ended.durationMs} ms`);
    },
  });
}

attack({
  name: "a filler of scratch meets the end of it",
  timeoutMs: 20_000,
  limits: { diskMiB: 16 },
  code: `const dir = Deno.env.get("TMPDIR");
    try { ${FILL} } catch (error) { console.log(error.message); }`,
  parts: { flags: ["--allow-env"] },
  check(ended) {
    const stopped = ended.overLimit !== undefined;
    assert.ok(stopped || /No space left/.test(said(ended)), said(ended));
  },
});

attack({
  name: "scratch, outputs and data count together",
  timeoutMs: 20_000,
  limits: { diskMiB: 16 },
  code: `const mib = new Uint8Array(1 << 20);
    const dirs = [Deno.env.get("TMPDIR"), ...Deno.args];
    for (const dir of dirs) {
      for (let i = 0; i < 7; i++) Deno.writeFileSync(dir + "/" + i, mib);
    }
    console.log("written");
    setInterval(() => {}, 1000);`,
  parts: { flags: ["--allow-env"] },
  check(ended) {
    assert.equal(text(ended.stdout.head), "written\n");
    assert.match(ended.overLimit ?? "", /more than 16 MiB/);
    assert.equal(ended.timedOut, false);
  },
});

for (const place of ["scratch", "data"] as const) {
  attack({
    name: `a flood of empty files in ${place} is stopped`,
    timeoutMs: 20_000,
    limits: { files: 1000 },
    code: `const dir = ${
      place === "scratch" ? `Deno.env.get("TMPDIR")` : "Deno.args[1]"
    };
    for (let i = 0;; i++) Deno.writeFileSync(dir + "/" + i, new Uint8Array(0));`,
    parts: { flags: ["--allow-env"] },
    check(ended) {
      assert.match(ended.overLimit ?? "", /more than 1000 files/);
      assert.equal(ended.signal, "SIGKILL");
    },
  });
}

attack({
  name: "a flood of files in the runtime's own cache is stopped",
  timeoutMs: 20_000,
  limits: { files: 1000 },
  code: `const cache = await caches.open("flood");
    for (let i = 0;; i++) await cache.put("http://a/" + i, new Response(""));`,
  check(ended) {
    assert.match(ended.overLimit ?? "", /more than 1000 files/, said(ended));
    assert.equal(ended.signal, "SIGKILL");
  },
});

attack({
  name: "files that are removed while they are open are found",
  timeoutMs: 20_000,
  code: `const mib = new Uint8Array(1 << 20);
    const open = [];
    for (let i = 0;; i++) {
      const path = Deno.args[1] + "/" + i;
      const file = Deno.openSync(path, { create: true, write: true });
      Deno.removeSync(path);
      for (let j = 0; j < 10; j++) file.writeSync(mib);
      open.push(file);
    }`,
  check(ended) {
    assert.match(ended.overLimit ?? "", /more than 64 MiB/);
  },
});

attack({
  name: "a flood of permission checks is stopped",
  timeoutMs: 30_000,
  code: `const name = "/" + "x".repeat(2000);
    for (;;) try { Deno.readTextFileSync(name); } catch { /* again */ }`,
  check(ended) {
    assert.match(ended.overLimit ?? "", /permissions/);
  },
});

attack({
  name: "a script cannot start a process at all",
  code:
    `try { new Deno.Command("/usr/bin/deno").spawn(); console.log("started"); }
    catch (error) { console.log(error.name); }`,
  check(ended) {
    assert.equal(said(ended), "NotCapable\n");
  },
});

Deno.test({
  name:
    "limits: a fork bomb stays within its number and is gone at the deadline",
  ...needs("bwrap"),
  async fn() {
    await using box = await makeBox({}, { processes: 20 });
    const request = box.request("none", { timeoutMs: 1_500 });
    // A shell in the runtime's place: scripts cannot start programs.
    const at = request.args.indexOf("--remount-ro");
    const end = request.args.indexOf("/usr/bin/deno", at);
    const args = [
      ...request.args.slice(0, at),
      ...["--ro-bind", await Deno.realPath("/bin/sh"), "/bin/sh"],
      ...request.args.slice(at, end),
      ...[
        "/bin/sh",
        "-c",
        "bomb() { bomb & bomb & while :; do :; done; }; bomb & while :; do :; done",
      ],
    ];
    let most = 0;
    const bombers = new Set<number>();
    const running = new Spawner(systemClock).run({ ...request, args });
    const watching = setInterval(() => {
      const now = inSandbox(box);
      for (const pid of now) bombers.add(pid);
      most = Math.max(most, now.length);
    }, 50);
    const result = await running;
    clearInterval(watching);
    assert.ok(result.ok);
    assert.equal(result.value.timedOut, true, said(result.value));
    assert.ok(most > 10 && most <= 20, `${most} processes`);
    assert.match(said(result.value), /fork/i);
    for (const pid of bombers) await gone(pid);
  },
});

/** Processes of the sandbox's PID namespace. */
function inSandbox(box: Box): number[] {
  const { childPid } = readStatus(box.status);
  const space = spaceOf(childPid ?? 0);
  if (space === undefined || space === spaceOf(Deno.pid)) return [];
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name))
    .filter((pid) => pid > 0 && spaceOf(pid) === space);
}

function spaceOf(pid: number): string | undefined {
  try {
    return Deno.readLinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}
