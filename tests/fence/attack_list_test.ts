/** The list of attacks is whole, and agrees with the table of kinds. */

import assert from "node:assert/strict";
import { ATTACKS } from "./hostile/attacks.ts";
import { cellOf, KINDS_FILE, readKinds } from "./hostile/kinds.ts";
import { MODES } from "./hostile/modes.ts";

/** Rows of the published measurement: h01 to h77. */
const MEASURED = Array.from(
  { length: 77 },
  (_, i) => `h${String(i + 1).padStart(2, "0")}`,
);
const KINDS = readKinds(await Deno.readTextFile(KINDS_FILE));

/** Ids that begin the names of tests in these files. */
async function testedIds(): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const file of ["surroundings", "rebinding"]) {
    const text = await Deno.readTextFile(
      new URL(`hostile_${file}_test.ts`, import.meta.url),
    );
    for (const [, id] of text.matchAll(/"fence: ([a-z0-9-]+) /g)) ids.add(id!);
  }
  return ids;
}

Deno.test("fence: every kind of attack that was ever measured has its test", () => {
  const tested = new Set(ATTACKS.map(({ id }) => id.slice(0, 3)));
  assert.deepEqual(MEASURED.filter((one) => !tested.has(one)), []);
});

Deno.test("kinds.md: every attack belongs to a kind, and every kind has one", async () => {
  const ids = await testedIds();
  const own = new Map<string, string[]>();
  for (const { id, kind } of ATTACKS) {
    own.set(kind, [...own.get(kind) ?? [], id]);
  }
  assert.equal(new Set(ATTACKS.map(({ id }) => id)).size, ATTACKS.length);
  assert.equal(new Set(KINDS.map(({ name }) => name)).size, KINDS.length);
  assert.deepEqual(
    [...own.keys()].filter((kind) => !KINDS.some(({ name }) => name === kind)),
    [],
  );
  for (const kind of KINDS) {
    const attacks = own.get(kind.name) ?? [];
    assert.ok(kind.ids.length > 0, kind.name);
    const tests = kind.ids.filter((id) => !attacks.includes(id));
    assert.deepEqual(kind.ids, [...attacks, ...tests], kind.name);
    assert.deepEqual(tests.filter((id) => !ids.has(id)), [], kind.name);
  }
});

Deno.test("kinds.md: a mode is n.a. exactly where none of the attacks is tried", () => {
  for (const { name, expected } of KINDS) {
    const attacks = ATTACKS.filter(({ kind }) => kind === name);
    for (const mode of MODES) {
      const tried = attacks.some(({ notIn }) => !notIn?.includes(mode));
      assert.equal(expected[mode] !== "n.a.", tried, `${name} in ${mode}`);
    }
  }
});

Deno.test("fence: an attack without a control says why, and the module attacks are tried without the worker", () => {
  for (const { id, control } of ATTACKS) {
    if (typeof control === "object") assert.ok(control.none.length > 10, id);
  }
  const controlled = ATTACKS.filter(({ control }) =>
    typeof control === "string"
  );
  assert.ok(controlled.length > ATTACKS.length * 0.7);
  const graph = ATTACKS.filter((one) => one.graph).map(({ id }) => id);
  // What got through as the main module of 2.9.6.
  for (const id of ["h03", "h04", "h05", "h07", "h66", "h67", "h68", "h76"]) {
    assert.ok(graph.includes(id), id);
  }
});

Deno.test("readKinds: rows become kinds; a cell that says nothing known is an error", () => {
  const row = (cell: string) =>
    `| \`a-b\` | does \`x\` | \`h01\`, \`h02\` | ${
      [...MODES.slice(1).map(() => "held"), cell].join(" | ")
    } |`;
  const [kind, ...more] = readKinds(`# T\n\n| kind |\n|---|\n${row("open")}\n`);
  assert.deepEqual(more, []);
  assert.equal(kind?.name, "a-b");
  assert.deepEqual(kind?.ids, ["h01", "h02"]);
  assert.equal(kind?.expected[MODES[0]!], "held");
  assert.equal(kind?.expected[MODES.at(-1)!], "open");
  assert.throws(() => readKinds(row("maybe")), /says "maybe"/);
  assert.throws(() => readKinds("| `a` | b | `c` | held |"), /1 modes/);
});

Deno.test("cellOf: the worst that was seen", () => {
  assert.equal(cellOf([]), "n.a.");
  assert.equal(cellOf(["held", "held"]), "held");
  assert.equal(cellOf(["held", "got through"]), "open");
  assert.equal(cellOf(["unclear", "got through"]), "unclear");
});
