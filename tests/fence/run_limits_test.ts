import assert from "node:assert/strict";
import { USUAL_LIMITS } from "../../src/config/limits.ts";
import type { BwrapLayer } from "../../src/os/types.ts";
import { hardLimits, NO_HARD_LIMITS } from "../../src/fence/hard_limits.ts";
import {
  processLimits,
  runLimits,
  type RunLimitsInput,
} from "../../src/fence/plan/run_limits.ts";

const MIB = 1024 * 1024;
const BWRAP: BwrapLayer = {
  by: "bwrap",
  path: "/usr/bin/bwrap",
  version: "0.8.0",
  disableUserns: true,
  libraries: [],
  prlimit: { path: "/usr/bin/prlimit", libraries: [] },
  warnings: [],
};

function limits(parts: Partial<RunLimitsInput>): ReturnType<typeof runLimits> {
  return runLimits({
    limits: { ...USUAL_LIMITS, cpu: 60 },
    realm: "main",
    layer: BWRAP,
    hardLimits: NO_HARD_LIMITS,
    cores: 2,
    os: "linux",
    ...parts,
  });
}

Deno.test("runLimits: the Plan shows what the script gets and what its process gets", () => {
  const { plan, v8Flags, small } = limits({});
  const { enforced, notEnforced, ...numbers } = plan;
  assert.deepEqual(numbers, {
    memoryMiB: 512,
    dataMiB: 1112,
    cpuSeconds: 60,
    fileMiB: 100,
    processes: 64,
    openFiles: 256,
    diskMiB: 256,
    files: 10_000,
  });
  assert.deepEqual(notEnforced, []);
  assert.equal(enforced.length, 7);
  assert.equal(v8Flags[0], "--max-old-space-size=512");
  assert.equal(small, false);
});

Deno.test("runLimits: nothing goes above the server's own hard limits", () => {
  const { plan, small } = limits({
    hardLimits: {
      dataBytes: 700 * MIB,
      fileBytes: 10 * MIB + 1,
      cpuSeconds: 5,
      openFiles: 100,
    },
  });
  assert.equal(plan.dataMiB, 700);
  assert.equal(plan.memoryMiB, 100);
  assert.equal(plan.fileMiB, 10);
  assert.equal(plan.cpuSeconds, 5);
  assert.equal(plan.openFiles, 100);
  assert.equal(small, false);
});

Deno.test("runLimits: says what is not enforced, and why", () => {
  const missing = (parts: Partial<RunLimitsInput>) =>
    limits(parts).plan.notEnforced.join("\n");
  assert.match(
    missing({ layer: undefined }),
    /^64 processes.*permission flags/,
  );
  assert.match(
    missing({
      layer: { by: "landlock", abi: 7, launcher: [], libraries: [] },
    }),
    /^64 processes.*system call filter/,
  );
  assert.match(
    missing({ layer: { ...BWRAP, prlimit: undefined } }),
    /prlimit is not installed/,
  );
  assert.match(missing({ uid: 0 }), /superuser/);
  assert.equal(missing({ uid: 65534 }), "");
  const mac = limits({ os: "darwin", layer: undefined }).plan;
  assert.equal(mac.dataMiB, null);
  assert.match(mac.notEnforced.join("\n"), /buffers and workers/);
  const windows = limits({ os: "windows", layer: undefined }).plan;
  assert.equal(windows.notEnforced.length, 5);
  assert.match(windows.enforced.join("\n"), /256 MiB and 10000 files/);
});

Deno.test("processLimits: in the units of the wrapper", () => {
  const { plan } = limits({});
  assert.deepEqual(processLimits(plan), {
    dataKiB: 1112 * 1024,
    fileKiB: 100 * 1024,
    cpuSeconds: 60,
    openFiles: 256,
  });
  assert.equal("dataKiB" in processLimits({ ...plan, dataMiB: null }), false);
});

Deno.test({
  name:
    "hardLimits: the hard limits of this process, whatever the soft ones are",
  ignore: Deno.build.os !== "linux", // reads /proc
  async fn() {
    const module = import.meta.resolve("../../src/fence/hard_limits.ts");
    const ask = async (flags: string[]) => {
      const { stdout } = await new Deno.Command("/bin/sh", {
        args: [
          "-c",
          'ulimit -S -d 2000000; ulimit -H -d 3000000; ulimit -f 4000000; ulimit -t 77; ulimit -n 199; exec "$@"',
          "x",
          Deno.execPath(),
          "run",
          "--quiet",
          "--no-prompt",
          ...flags,
          `data:text/javascript,${
            encodeURIComponent(
              `import { hardLimits } from ${JSON.stringify(module)};
               console.log(JSON.stringify(await hardLimits()));`,
            )
          }`,
        ],
      }).output();
      return JSON.parse(new TextDecoder().decode(stdout));
    };
    const expected = {
      dataBytes: 3_000_000 * 1024,
      fileBytes: 4_000_000 * 512,
      cpuSeconds: 77,
      openFiles: 199,
    };
    assert.deepEqual(await ask(["--allow-all"]), expected);
    // Without all permissions /proc is closed: the C library tells the same.
    assert.deepEqual(await ask(["--allow-ffi"]), expected);
    assert.deepEqual(await ask([]), NO_HARD_LIMITS);
    assert.deepEqual(
      Object.keys(await hardLimits()).sort(),
      Object.keys(expected).sort(),
    );
  },
});
