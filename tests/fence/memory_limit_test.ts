import assert from "node:assert/strict";
import { NO_DATA_LIMIT } from "../../src/fence/data_limit.ts";
import {
  type MemoryInput,
  memoryLimit,
} from "../../src/fence/plan/memory_limit.ts";

const MIB = 1024 * 1024;

function limit(parts: Partial<MemoryInput>): ReturnType<typeof memoryLimit> {
  return memoryLimit({
    memoryMiB: 512,
    realm: "main",
    dataLimit: NO_DATA_LIMIT,
    cores: 2,
    ...parts,
  });
}

function hard(mib: number): MemoryInput["dataLimit"] {
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
  assert.deepEqual(limit({ dataLimit: hard(700) }), {
    memoryMiB: 100,
    dataMiB: 700,
    small: false,
    v8Flags: ["--max-old-space-size=100", "--wasm-max-mem-pages=1600"],
  });
});

Deno.test("memoryLimit: lite mode and a share of the limit where it is small", () => {
  for (const realm of ["main", "worker"] as const) {
    assert.deepEqual(limit({ realm, dataLimit: hard(256) }), {
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
  assert.equal(limit({ dataLimit: hard(663) }).small, true);
  assert.equal(limit({ dataLimit: hard(664) }).small, false);
  assert.equal(limit({ realm: "worker", dataLimit: hard(1203) }).small, true);
  // Who wants little gets it as soon as it fits.
  assert.equal(limit({ memoryMiB: 8, dataLimit: hard(608) }).small, false);
  assert.equal(limit({ dataLimit: hard(0) }).memoryMiB, 16);
  assert.equal(limit({ memoryMiB: 8, dataLimit: hard(256) }).memoryMiB, 8);
});
