import assert from "node:assert/strict";
import { systemClock } from "../../src/fence/clock.ts";
import { NO_HARD_LIMITS } from "../../src/fence/hard_limits.ts";
import { hostModuleUrl } from "../../src/fence/plan/host_module.ts";
import { memoryLimit } from "../../src/fence/plan/memory_limit.ts";
import { Spawner } from "../../src/fence/run/spawn.ts";
import { makeTree } from "../support/tree.ts";

const MIB = 1024 * 1024;

/** Memory that a run is promised, where it is measured: usual, least, lite. */
const PROMISED = [
  ["512 MiB", 512, "unlimited"],
  ["the least that is worth it", 512, 64],
  ["256 MiB in all", 512, undefined],
] as const;
for (const realm of ["main", "worker"] as const) {
  for (const [what, memoryMiB, above] of PROMISED) {
    Deno.test({
      name: `memoryLimit: with ${what}, a ${realm} script has its memory`,
      ignore: Deno.build.os !== "linux", // others do not bound data
      async fn() {
        await using tree = await makeTree({
          "script.mjs": `const keep = [];
            const wanted = Number(process.argv[2]);
            for (let mib = 0; mib + 8 <= wanted; mib += 8) keep.push(new Uint8Array(8 << 20).fill(1));
            console.log(keep.length);`,
        });
        const cores = navigator.hardwareConcurrency;
        const probe = memoryLimit({
          memoryMiB: 0,
          realm,
          hardLimits: NO_HARD_LIMITS,
          cores,
        });
        const dataBytes = above === "unlimited"
          ? above
          : above === undefined
          ? 256 * MIB
          : (probe.dataMiB + above) * MIB;
        const limit = memoryLimit({
          memoryMiB,
          realm,
          hardLimits: { dataBytes },
          cores,
        });
        assert.equal(limit.small, above === undefined);
        const script = tree.path("script.mjs");
        const ended = await new Spawner(systemClock).run({
          path: Deno.execPath(),
          args: [
            ...["run", "--quiet", "--no-prompt", "--no-config", "-A"],
            `--v8-flags=${limit.v8Flags.join(",")}`,
            realm === "main" ? script : hostModuleUrl(script),
            String(limit.memoryMiB),
          ],
          cwd: tree.root,
          env: { DENO_DIR: tree.path("dd"), NO_COLOR: "1" },
          stdin: new Uint8Array(0),
          timeoutMs: 20_000,
          outputBytes: MIB,
          limits: { dataKiB: limit.dataMiB * 1024 },
        });
        assert.ok(ended.ok);
        assert.equal(
          new TextDecoder().decode(ended.value.stdout.head),
          `${Math.floor(limit.memoryMiB / 8)}\n`,
        );
      },
    });
  }
}
