/** In every mode: the owner's numbers are what the kernel and the server hold a run to. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type Fence, openFence } from "../support/fenced.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { MODES } from "./b_layer_modes.ts";
import { running } from "./processes.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
/** What the owner allows at most; the skill asks for far more of everything. */
const CEILING = {
  memory: 100,
  cpu: 7,
  file: 3,
  procs: 40,
  open: 90,
  disk: 5,
  files: 60,
} as const;

const SCRIPT = `
const [what] = Deno.args;
const out = Deno.env.get("SKILL_OUT");
if (what === "wait") {
  Deno.writeTextFileSync(Deno.env.get("MCP_DATA_DIR") + "/started", "");
  setInterval(() => {}, 1000);
} else if (what === "memory") {
  const tried = (mib) => {
    try { return new ArrayBuffer(mib << 20).byteLength >> 20; } catch { return "refused"; }
  };
  console.log(tried(90), tried(300));
} else {
  const bytes = new Uint8Array(what === "bytes" ? 1 << 19 : 0);
  for (let i = 0; ; i++) Deno.writeFileSync(out + "/" + i, bytes);
}
`;

function skill(): Promise<Tree> {
  const wishes = "memory: 900, cpu: 500, file: 900, procs: 200, open: 900";
  return makeTree({
    "root/hostile/SKILL.md": `---
description: d
mcp-host:
  version: 1
  run:
    - script: a.mjs
      interpreter: deno
      timeout: 20
      limits: { ${wishes}, disk: 900, files: 9000 }
---
`,
    "root/hostile/a.mjs": SCRIPT,
    data: { dir: true },
  });
}

function fenceOver(tree: Tree, mode: string): Fence {
  const ceiling = Object.entries(CEILING).map(([word, n]) => `${word}=${n}`);
  return openFence({
    root: tree.path("root"),
    dataDir: tree.path("data"),
    env: { SKILLFENCE_OS_FENCE: mode, SKILLFENCE_LIMITS: ceiling.join(",") },
  });
}

/** Soft and hard limits by name, of the run's own runtime. */
function limitsOf(tree: Tree): (name: string) => number[] {
  const runtimes = running(tree.path("root")).filter((pid) => {
    const [program = ""] = Deno.readTextFileSync(`/proc/${pid}/cmdline`)
      .split("\0");
    return !program.endsWith("/bwrap");
  });
  assert.equal(runtimes.length, 1, "one runtime");
  const text = Deno.readTextFileSync(`/proc/${runtimes[0]}/limits`);
  return (name) =>
    text.split("\n").find((line) => line.startsWith(name))!
      .slice(name.length).trim().split(/\s+/).slice(0, 2).map(Number);
}

const linux = Deno.build.os === "linux";

for (const { mode, by, need } of MODES) {
  Deno.test({
    name:
      `SKILLFENCE_LIMITS (${mode}): the process has no more than the owner's numbers`,
    ignore: need().ignore || !linux, // reads /proc
    async fn() {
      await using tree = await skill();
      using fence = fenceOver(tree, mode);
      const prepared = await fence.prepare("a.mjs", { args: ["wait"] });
      assert.ok(prepared.ok, JSON.stringify(prepared));
      const { plan } = prepared.value;
      const stop = new AbortController();
      const run = fence.engine.runner.run(prepared.value, {
        signal: stop.signal,
      });
      try {
        const started = join(plan.dataDir!, "started");
        await until(
          () => Deno.lstat(started).then(() => true, () => false),
          15_000,
        );
        const limit = limitsOf(tree);
        const { dataMiB } = plan.limits;
        assert.ok(dataMiB !== null && dataMiB > CEILING.memory);
        assert.deepEqual(limit("Max data size"), [
          dataMiB * MIB,
          dataMiB * MIB,
        ]);
        assert.deepEqual(limit("Max cpu time"), [CEILING.cpu, CEILING.cpu]);
        assert.deepEqual(limit("Max file size"), [
          CEILING.file * MIB,
          CEILING.file * MIB,
        ]);
        assert.deepEqual(limit("Max open files"), [CEILING.open, CEILING.open]);
        assert.deepEqual(limit("Max core file size"), [0, 0]);
        if (by === "bwrap") {
          assert.deepEqual(limit("Max processes"), [
            CEILING.procs,
            CEILING.procs,
          ]);
        }
      } finally {
        stop.abort();
        await run;
      }
    },
  });

  Deno.test({
    name:
      `SKILLFENCE_LIMITS (${mode}): memory, bytes and files end at the owner's numbers, and the result says what held`,
    ignore: need().ignore || !linux,
    async fn() {
      await using tree = await skill();
      using fence = fenceOver(tree, mode);
      const memory = await fence.run("a.mjs", { args: ["memory"] });
      assert.equal(memory.stdout, "90 refused\n", memory.stderr);
      for (
        const [what, said] of [
          ["bytes", `more than ${CEILING.disk} MiB`],
          ["files", `more than ${CEILING.files} files`],
        ] as const
      ) {
        const { result, stderr } = await fence.run("a.mjs", { args: [what] });
        assert.match(result.overLimit ?? "", new RegExp(said), stderr);
        assert.equal(result.exitCode, null);
        assert.equal(result.timedOut, false);
      }
      const { enforced, notEnforced } = memory.result.limits;
      const text = enforced.join("\n");
      for (
        const said of [
          /^100 MiB with buffers and workers \(\d+ MiB of data/m,
          /^7 s of processor time$/m,
          /^3 MiB in one file$/m,
          /^90 open files$/m,
          /^5 MiB and 60 files in scratch, outputs and data/m,
        ]
      ) assert.match(text, said);
      const bounded = by === "bwrap";
      assert.equal(/^40 processes and threads$/m.test(text), bounded);
      assert.equal(notEnforced.length, bounded ? 0 : 1);
    },
  });

  Deno.test({
    name:
      `SKILLFENCE_LIMITS (${mode}): data that is too much already is a refusal, and nothing ran`,
    ignore: need().ignore || !linux,
    async fn() {
      await using tree = await skill();
      using fence = fenceOver(tree, mode);
      const prepared = await fence.prepare("a.mjs", { args: ["memory"] });
      assert.ok(prepared.ok);
      const dir = prepared.value.plan.dataDir!;
      await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
      const full = join(dir, "full");
      await Deno.writeFile(full, new Uint8Array(6 * MIB));
      const ran = await fence.engine.runner.run(prepared.value, {});
      assert.ok(!ran.ok);
      assert.equal(ran.code, "OVER_LIMIT");
      assert.match(ran.message, /Nothing was started: .*more than 5 MiB/);
      await Deno.remove(full);
      const next = await fence.run("a.mjs", { args: ["memory"] });
      assert.equal(next.result.exitCode, 0);
    },
  });
}
