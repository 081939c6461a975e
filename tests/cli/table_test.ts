import assert from "node:assert/strict";
import { cellWidth, table, wrap } from "../../src/cli/table.ts";

Deno.test("table: pads every column but the last to its widest cell", () => {
  const text = table([
    [{ text: "a" }, { text: "7", right: true }, { text: "first" }],
    [{ text: "longer" }, { text: "1234", right: true }, { text: "second" }],
  ]);
  assert.equal(text, "a          7  first\nlonger  1234  second");
});

Deno.test("table: measures before painting", () => {
  const paint = (text: string) => `\x1b[1m${text}\x1b[22m`;
  const text = table([[{ text: "ab", paint }, { text: "x" }], [
    { text: "abcd" },
    { text: "y" },
  ]]);
  assert.equal(text, "\x1b[1mab\x1b[22m    x\nabcd  y");
});

Deno.test("table: wraps the last column under itself on a terminal", () => {
  const text = table([[
    { text: "name" },
    { text: "one two three four five six seven eight" },
  ]], { columns: 32, indent: 2 });
  assert.equal(
    text,
    "  name  one two three four five\n        six seven eight",
  );
});

Deno.test("cellWidth: counts wide characters twice and marks not at all", () => {
  assert.equal(cellWidth("abc"), 3);
  assert.equal(cellWidth("技能"), 4);
  assert.equal(cellWidth("e\u0301"), 1);
});

Deno.test("wrap: a word longer than the room stays whole", () => {
  assert.deepEqual(wrap("aaaaaaaaaa b", 4), ["aaaaaaaaaa", "b"]);
});
