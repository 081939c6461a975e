import assert from "node:assert/strict";
import fc from "fast-check";
import {
  characterRange,
  decodeExactly,
  fromBase64,
  toBase64,
} from "../../src/server/text_bytes.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("characterRange: parts cut anywhere join to the whole text", () => {
  fc.assert(fc.property(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.integer({ min: 4, max: 20 }),
    (text, step) => {
      const bytes = encode(text);
      let joined = "";
      for (let at = 0; at < bytes.length;) {
        const slice = bytes.subarray(at, at + step);
        const after = at + slice.length < bytes.length;
        const { start, end } = characterRange(slice, {
          before: at > 0,
          after,
        });
        assert.equal(start, 0, "a part starts where the one before ended");
        joined += decodeExactly(slice.subarray(0, end));
        at += end;
      }
      assert.equal(joined, text);
    },
  ));
});

Deno.test("characterRange: an offset inside a character moves to the next one", () => {
  const bytes = encode("😀b");
  for (const at of [1, 2, 3]) {
    const slice = bytes.subarray(at);
    const { start } = characterRange(slice, { before: true, after: false });
    assert.equal(decodeExactly(slice.subarray(start)), "b");
  }
});

Deno.test("decodeExactly: a byte order mark is kept, bad bytes are no text", () => {
  assert.equal(decodeExactly(encode("\ufeffa")), "\ufeffa");
  assert.equal(decodeExactly(new Uint8Array([0x61, 0xff])), undefined);
  assert.equal(decodeExactly(new Uint8Array([0xc3])), undefined);
});

Deno.test("base64: round trip, and nothing but strict base64 is read", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
    assert.deepEqual(fromBase64(toBase64(bytes)), new Uint8Array(bytes));
  }));
  for (const text of ["a", "ab==c", "a b=", "ab-_", "====", "YQ", "YQ=\n"]) {
    assert.equal(fromBase64(text), undefined, text);
  }
  const large = crypto.getRandomValues(new Uint8Array(60_000));
  assert.deepEqual(fromBase64(toBase64(large)), large);
});
