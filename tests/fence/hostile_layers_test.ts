/**
 * Proof by subtraction: each layer alone holds what the module graph tries, and
 * without both it gets through. So neither layer is there for show.
 */

import assert from "node:assert/strict";
import { ATTACKS } from "./hostile/attacks.ts";
import { tryAsMain, tryIn, tryUnfenced } from "./hostile/matrix.ts";
import { lookAround, type Mode, modesOf } from "./hostile/modes.ts";
import { needs } from "../support/kernel.ts";

const HERE = await lookAround();
const GRAPH = ATTACKS.filter(({ graph }) => graph);

const ALONE: readonly { mode: Mode; need?: "bwrap" | "landlock" }[] = [
  { mode: "flags" },
  { mode: "bwrap alone", need: "bwrap" },
  { mode: "landlock alone", need: "landlock" },
];

for (const attack of GRAPH) {
  const missing = modesOf(attack, HERE).length === 0;
  for (const { mode, need } of ALONE) {
    Deno.test({
      name: `fence: ${attack.id} is held by ${mode}`,
      ignore: missing || need !== undefined && needs(need).ignore,
      async fn() {
        const { seen, said } = await tryIn(attack, mode);
        assert.equal(seen, "held", said);
      },
    });
  }
  Deno.test({
    name: `fence: ${attack.id} gets through when both layers are taken away`,
    ignore: missing,
    async fn() {
      const { seen, said } = await tryUnfenced(attack);
      assert.equal(seen, "got through", said);
    },
  });
  Deno.test({
    name:
      `fence: ${attack.id} gets through as the main module, so the worker is what holds it`,
    ignore: missing,
    async fn() {
      const { seen, said } = await tryAsMain(attack);
      assert.equal(seen, "got through", said);
    },
  });
}
