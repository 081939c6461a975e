/** docs/security.md says of each kind of attack what kinds.md says. */

import assert from "node:assert/strict";
import { type Expected, KINDS_FILE, readKinds } from "./hostile/kinds.ts";

const KINDS = readKinds(await Deno.readTextFile(KINDS_FILE));
const DOCUMENT = await Deno.readTextFile(
  new URL("../../docs/security.md", import.meta.url),
);

interface Row {
  readonly kind: string;
  readonly tries: string;
  readonly flags: string;
  readonly bubblewrap: string;
  readonly landlock: string;
  readonly together: string;
}

const ROWS: readonly Row[] = DOCUMENT.split("\n")
  .filter((line) => /^\| `/.test(line))
  .map((line) => {
    const [kind = "", tries = "", ...cells] = line.split("|").slice(1, -1)
      .map((cell) => cell.trim());
    const [flags = "", bubblewrap = "", landlock = "", together = ""] = cells;
    return {
      ...{ kind: kind.replaceAll("`", ""), tries },
      ...{ flags, bubblewrap, landlock, together },
    };
  });

const WORDS: Readonly<Record<Expected, string>> = {
  held: "held",
  open: "not covered",
  "n.a.": "n.a.",
};

Deno.test("security.md: lists every kind once, in the order and words of kinds.md", () => {
  assert.deepEqual(
    ROWS.map(({ kind, tries }) => `${kind}: ${tries}`),
    KINDS.map(({ name, tries }) => `${name}: ${tries}`),
  );
});

Deno.test("security.md: says of each layer by itself what kinds.md says", () => {
  for (const [at, { name, expected }] of KINDS.entries()) {
    const { flags, bubblewrap, landlock } = ROWS[at]!;
    assert.equal(flags, WORDS[expected.flags], name);
    assert.equal(bubblewrap, WORDS[expected["bwrap alone"]], name);
    assert.equal(landlock, WORDS[expected["landlock alone"]], name);
  }
});

Deno.test("security.md: says of layers together what kinds.md says, and nothing better", () => {
  for (const [at, { name, expected }] of KINDS.entries()) {
    const bwrap = [expected.bwrap, expected["bwrap+worker"]];
    const all = [...bwrap, expected.landlock].filter((one) => one !== "n.a.");
    const word = all.length === 0
      ? "n.a."
      : all.every((one) => one === "held")
      ? "held"
      : expected.landlock === "held"
      ? "held by Landlock"
      : bwrap.every((one) => one === "held")
      ? "held by bubblewrap"
      : "not covered";
    assert.equal(ROWS[at]!.together, word, name);
  }
});

Deno.test("security.md: explains every kind that some layer does not cover", () => {
  const [, rest = ""] = DOCUMENT.split('### What "not covered" means');
  const [explained = ""] = rest.split("\n## ");
  for (const { kind, flags, bubblewrap, landlock, together } of ROWS) {
    const open = [flags, bubblewrap, landlock, together].includes(
      "not covered",
    );
    assert.equal(explained.includes(`\`${kind}\``), open, kind);
  }
});
