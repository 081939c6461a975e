import assert from "node:assert/strict";
import { FILE_ATTACKS } from "./hostile/files.ts";
import { MODULE_ATTACKS } from "./hostile/modules.ts";
import { NETWORK_ATTACKS } from "./hostile/network.ts";
import { PROCESS_ATTACKS } from "./hostile/process.ts";
import { STORAGE_ATTACKS } from "./hostile/storage.ts";

/** Rows of the published measurement: h01 to h77. */
const KINDS = Array.from(
  { length: 77 },
  (_, i) => `h${String(i + 1).padStart(2, "0")}`,
);
const STAGED = [
  ...MODULE_ATTACKS,
  ...FILE_ATTACKS,
  ...PROCESS_ATTACKS,
  ...NETWORK_ATTACKS,
  ...STORAGE_ATTACKS,
];

Deno.test("fence: every kind of attack that was ever measured has its test", async () => {
  const surroundings = await Deno.readTextFile(
    new URL("hostile_surroundings_test.ts", import.meta.url),
  );
  const tested = new Set([
    ...STAGED.map(({ id }) => id.slice(0, 3)),
    ...[...surroundings.matchAll(/Deno\.test\("fence: (h\d\d) /g)]
      .map(([, id]) => id!),
  ]);
  assert.deepEqual(KINDS.filter((kind) => !tested.has(kind)), []);
});

Deno.test("fence: an attack without a control says why, and the module attacks are tried without the worker", () => {
  for (const { id, control } of STAGED) {
    if (typeof control === "object") assert.ok(control.none.length > 10, id);
  }
  const controlled = STAGED.filter(({ control }) =>
    typeof control === "string"
  );
  assert.ok(controlled.length > STAGED.length * 0.7);
  const direct = STAGED.filter((one) => one.direct).map(({ id }) => id);
  // What got through as the main module of 2.9.6.
  for (const id of ["h03", "h04", "h05", "h07", "h66", "h67", "h68"]) {
    assert.ok(direct.includes(id), id);
  }
  assert.ok(direct.includes("h76"));
});
