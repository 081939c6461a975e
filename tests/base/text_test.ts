import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { listed, visible } from "../../src/base/text.ts";

Deno.test("visible: leaves ordinary text alone", () => {
  equal(visible("Größe: 10 € — 日本語 👍"), "Größe: 10 € — 日本語 👍");
});

Deno.test("visible: shows control, bidi and invisible characters as escapes", () => {
  equal(visible("a\nb\x1b[31m"), "a\\u{a}b\\u{1b}[31m");
  equal(visible("x\u202ey"), "x\\u{202e}y");
  equal(visible("zero\u200bwidth\u2066"), "zero\\u{200b}width\\u{2066}");
  equal(visible("tag\u{e0041}"), "tag\\u{e0041}");
  equal(
    visible("filler\u3164\u2800\u2028"),
    "filler\\u{3164}\\u{2800}\\u{2028}",
  );
  equal(visible("half\ud800"), "half\\u{d800}");
});

Deno.test("visible: cuts at max and says how much is left off", () => {
  equal(visible("abcdefghij", 4), "abcd… (+6 characters)");
  equal(visible("👍".repeat(5), 2), "👍👍… (+3 characters)");
  equal(visible("abcd", 4), "abcd");
});

Deno.test("visible: never cuts inside an escape", () => {
  equal(visible("ab\u202ecd", 5), "ab… (+3 characters)");
});

Deno.test("visible: the result holds no unseen character and is bounded", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const shown = visible(text, 20);
    ok(!/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(shown));
    ok([...shown.split("… (+")[0]!].length <= 20);
  }));
});

Deno.test("listed: counts what it leaves off", () => {
  equal(listed([], 2), "");
  equal(listed(["a", "b"], 2), "a, b");
  equal(listed(["a", "b", "c", "d"], 2), "a, b and 2 more");
});
