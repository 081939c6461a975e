/**
 * Every kind of attack of kinds.md, run through the Plan as the product runs
 * it, in every mode that the fence can stand in, with the control that shows
 * the attack to be a real one.
 */

import assert from "node:assert/strict";
import type { Attack } from "./hostile/attack.ts";
import { ATTACKS } from "./hostile/attacks.ts";
import { cellOf, KINDS_FILE, readKinds } from "./hostile/kinds.ts";
import { tryAll, tryControl, type Verdict } from "./hostile/matrix.ts";
import { lookAround, type Mode, modesOf, sampleOf } from "./hostile/modes.ts";

const HERE = await lookAround();
const KINDS = readKinds(await Deno.readTextFile(KINDS_FILE));

for (const { name, tries, expected } of KINDS) {
  const attacks = ATTACKS.filter(({ kind }) => kind === name);
  if (attacks.length === 0) continue;
  Deno.test({
    name: `fence: ${name} meets what kinds.md says: ${tries}`,
    // What needs root or Linux is tried there.
    ignore: attacks.every((attack) => modesOf(attack, HERE).length === 0),
    async fn(t) {
      const seen = new Map<Mode, Verdict[]>();
      for (const attack of attacks) {
        await t.step(`${attack.id}: ${attack.title}`, async () => {
          const modes = sampleOf(attack, HERE, attack === attacks[0]);
          const { verdicts } = await tryAll(attack, modes);
          for (const [mode, verdict] of verdicts) {
            seen.set(mode, [...seen.get(mode) ?? [], verdict]);
            const where = `${attack.id} in ${mode}: ${verdict.said}`;
            assert.notEqual(verdict.seen, "unclear", where);
            if (expected[mode] !== "open") {
              assert.equal(verdict.seen, "held", where);
            }
          }
        });
      }
      for (const [mode, verdicts] of seen) {
        const cell = cellOf(verdicts.map((one) => one.seen));
        assert.equal(cell, expected[mode], `${name} in ${mode}`);
      }
    },
  });
}

for (const attack of ATTACKS) {
  const { id, control } = attack;
  if (typeof control !== "string") continue;
  Deno.test({
    name: `fence: ${id} control (${control}) gets through`,
    // What only root can do, or only Linux has, is shown there.
    ignore: modesOf(attack, HERE).length === 0 || !canControl(attack),
    async fn() {
      const { seen, said } = await tryControl(attack);
      assert.equal(seen, "got through", said);
    },
  });
}

function canControl({ control, controlIn }: Attack): boolean {
  return (control !== "bare as root" || HERE.root) &&
    (controlIn === undefined || HERE.modes.includes(controlIn));
}
