import assert from "node:assert/strict";
import fc from "fast-check";
import {
  boundedText,
  cutText,
  encodedLength,
  encodedPrefix,
  prefix,
  structuredLength,
  takeFitting,
} from "../../src/server/fit.ts";

const anyText = fc.string({ unit: "binary", maxLength: 200 });

Deno.test("encodedPrefix: the longest prefix that fits, never half a character", () => {
  fc.assert(fc.property(anyText, fc.nat(400), (text, budget) => {
    const cut = encodedPrefix(text, budget);
    assert.ok(text.startsWith(cut));
    assert.ok(cut === "" || encodedLength(cut) <= budget);
    assert.ok(cut.isWellFormed() || !text.isWellFormed());
    if (cut !== text && budget >= 2) {
      const next = String.fromCodePoint(text.codePointAt(cut.length)!);
      assert.ok(encodedLength(cut + next) > budget, "one more did not fit");
    }
  }));
});

Deno.test("prefix: bounds hold and pairs stay whole", () => {
  fc.assert(fc.property(anyText, fc.nat(250), (text, max) => {
    const part = prefix(text, max);
    assert.ok(part.length <= max);
    assert.ok(part.length >= Math.min(max, text.length) - 1);
    assert.ok(part.isWellFormed() || !text.isWellFormed());
  }));
  assert.equal(prefix("a😀b", 2), "a");
});

Deno.test("cutText: short text stands, long text ends in an ellipsis", () => {
  assert.equal(cutText("abc", 3), "abc");
  assert.equal(cutText("abcd", 3), "ab…");
  assert.equal(cutText("abcd", 0), "");
});

Deno.test("boundedText: text of control characters is cut to what it takes as JSON", () => {
  fc.assert(fc.property(anyText, fc.nat(100), (text, max) => {
    assert.ok(structuredLength(boundedText(text, max)) <= 2 * max + 16);
  }));
  assert.equal(boundedText("plain", 5), "plain");
});

Deno.test("takeFitting: stops at the budget, but takes the least", () => {
  const items = ["a".repeat(100), "b", "c"];
  assert.deepEqual(takeFitting(items, 50), []);
  assert.deepEqual(takeFitting(items, 50, 1), [items[0]]);
  assert.deepEqual(takeFitting(items, 10_000), items);
});
