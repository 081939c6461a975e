import assert from "node:assert/strict";
import { memoryLimit } from "../../src/fence/memory_limit.ts";

Deno.test("memoryLimit: the full heap where RLIMIT_DATA lets V8 start", () => {
  for (const limit of ["unlimited", 1_536_000_000, 5e9] as const) {
    assert.deepEqual(memoryLimit(limit), {
      heapMiB: 256,
      small: false,
      v8Flags: ["--max-old-space-size=256", "--wasm-max-mem-pages=2048"],
    });
  }
});

Deno.test("memoryLimit: lite mode and a share of the limit where it is small", () => {
  assert.deepEqual(memoryLimit(256 * 1024 * 1024), {
    heapMiB: 96,
    small: true,
    v8Flags: [
      "--lite-mode",
      "--max-old-space-size=96",
      "--wasm-max-mem-pages=768",
    ],
  });
  assert.equal(memoryLimit(1_535_999_999).small, true);
  assert.equal(memoryLimit(0).heapMiB, 16);
});
