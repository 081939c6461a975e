import assert from "node:assert/strict";
import { NO_HARD_LIMITS } from "../../src/fence/hard_limits.ts";
import {
  type MemoryInput,
  memoryLimit,
} from "../../src/fence/plan/memory_limit.ts";

const MIB = 1024 * 1024;

function limit(parts: Partial<MemoryInput>): ReturnType<typeof memoryLimit> {
  return memoryLimit({
    memoryMiB: 512,
    realm: "main",
    hardLimits: NO_HARD_LIMITS,
    cores: 2,
    ...parts,
  });
}

function hard(mib: number): MemoryInput["hardLimits"] {
  return { dataBytes: mib * MIB };
}

Deno.test("memoryLimit: the process gets its floor and the script's memory", () => {
  assert.deepEqual(limit({}), {
    memoryMiB: 512,
    dataMiB: 600 + 512,
    small: false,
    v8Flags: ["--max-old-space-size=512", "--wasm-max-mem-pages=8192"],
  });
  assert.equal(limit({ realm: "worker" }).dataMiB, 1140 + 512);
  assert.equal(limit({ memoryMiB: 10 }).dataMiB, 600 + 10);
});

Deno.test("memoryLimit: threads of more cores have their stacks on top", () => {
  assert.equal(limit({ cores: 1 }).dataMiB, 1112);
  assert.equal(limit({ cores: 8 }).dataMiB, 1112 + 48);
  assert.equal(limit({ cores: 64 }).dataMiB, 1112 + 112);
});

Deno.test("memoryLimit: the server's own limit takes from the memory", () => {
  assert.deepEqual(limit({ hardLimits: hard(700) }), {
    memoryMiB: 100,
    dataMiB: 700,
    small: false,
    v8Flags: ["--max-old-space-size=100", "--wasm-max-mem-pages=1600"],
  });
});

Deno.test("memoryLimit: lite mode and a share of the limit where it is small", () => {
  for (const realm of ["main", "worker"] as const) {
    assert.deepEqual(limit({ realm, hardLimits: hard(256) }), {
      memoryMiB: 96,
      dataMiB: 256,
      small: true,
      v8Flags: [
        "--lite-mode",
        "--max-old-space-size=96",
        "--wasm-max-mem-pages=1536",
      ],
    });
  }
  assert.equal(limit({ hardLimits: hard(663) }).small, true);
  assert.equal(limit({ hardLimits: hard(664) }).small, false);
  assert.equal(limit({ realm: "worker", hardLimits: hard(1203) }).small, true);
  // Who wants little gets it as soon as it fits.
  assert.equal(limit({ memoryMiB: 8, hardLimits: hard(608) }).small, false);
  assert.equal(limit({ hardLimits: hard(0) }).memoryMiB, 16);
  assert.equal(limit({ memoryMiB: 8, hardLimits: hard(256) }).memoryMiB, 8);
});
