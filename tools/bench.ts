/**
 * What the product costs, as ratios within one run: `deno task bench`, or some
 * of it: `deno task bench layers proxy`.
 *
 * Everything is started in `/` with nothing but PATH and a cache directory in
 * its environment, in turns, and compared by medians. A bar that is missed is
 * printed as `over`; nothing fails.
 */

import { join } from "node:path";
import { type Bench, nodeRun } from "./bench/bench.ts";
import { MEASUREMENTS } from "./bench/measurements.ts";
import type { Row } from "./bench/row.ts";
import { makeScripts, makeSkills } from "./bench/skill_trees.ts";
import { CAN_BUILD_BINARY, ensureBinary } from "./build/binary.ts";
import { say, warn } from "./say.ts";

function printTable(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ what }) => what.length));
  for (const { what, value, bar, over } of rows) {
    const verdict = over ? "  over" : "";
    say(
      `${what.padEnd(width)}  ${value.padStart(8)}  ${
        bar.padStart(8)
      }${verdict}`,
    );
  }
}

async function main(names: readonly string[]): Promise<void> {
  const chosen = Object.entries(MEASUREMENTS)
    .filter(([name]) => names.length === 0 || names.includes(name));
  const [load = 0] = Deno.loadavg();
  if (load > navigator.hardwareConcurrency / 2) {
    warn(
      `the machine is busy (load ${load.toFixed(1)}): ratios come out worse`,
    );
  }
  const root = join(import.meta.dirname!, "..");
  const binary = await ensureBinary(root, warn);
  const work = await Deno.realPath(
    await Deno.makeTempDir({ prefix: "skillfence-bench-" }),
  );
  try {
    // Scripts of a root server run as an account that has to come here.
    await Deno.chmod(work, 0o711);
    const trees = join(work, "trees");
    const cacheDir = join(work, "cache");
    await Deno.mkdir(cacheDir, { recursive: true, mode: 0o700 });
    await makeSkills(join(trees, "small"), 32, 5);
    await makeScripts(join(trees, "run"));
    const path = Deno.env.get("PATH") ?? "";
    const bench: Bench = {
      server: (tree, env) => ({
        command: binary,
        args: ["--skills", join(trees, tree)],
        env: { PATH: path, SKILLFENCE_CACHE_DIR: cacheDir, ...env },
      }),
      trees,
      cacheDir,
      node: () => nodeRun(path, ["-e", "0"]),
      path,
    };
    const rows: Row[] = [];
    for (const [, measure] of chosen) rows.push(...await measure(bench));
    printTable(rows);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

if (import.meta.main) {
  if (CAN_BUILD_BINARY) await main(Deno.args);
  else warn("measured on Linux x64 only");
}
