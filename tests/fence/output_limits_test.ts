import assert from "node:assert/strict";
import { OUTPUT_LIMITS } from "../../src/fence/outputs.ts";

Deno.test("OUTPUT_LIMITS: an hour, 20 runs, 256 MiB in all", () => {
  const { keepMs, runs, totalBytes } = OUTPUT_LIMITS;
  assert.deepEqual({ keepMs, runs, totalBytes }, {
    keepMs: 3_600_000,
    runs: 20,
    totalBytes: 268_435_456,
  });
});
