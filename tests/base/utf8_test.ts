import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { decodeUtf8, wholeCharacters } from "../../src/base/utf8.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("decodeUtf8: valid text, without its byte order mark", () => {
  deepEqual(decodeUtf8(encode("\ufeffé")), { text: "é", invalidAt: undefined });
});

Deno.test("decodeUtf8: the first invalid byte is named", () => {
  deepEqual(decodeUtf8(new Uint8Array([0x61, 0xff, 0x62])), {
    text: "a\ufffdb",
    invalidAt: 1,
  });
  equal(decodeUtf8(new Uint8Array([0x61, 0xef, 0xbf])).invalidAt, 1);
});

Deno.test("decodeUtf8: a replacement character in the text is not invalid", () => {
  equal(decodeUtf8(encode("a\ufffdb")).invalidAt, undefined);
});

Deno.test("wholeCharacters: every cut of a text decodes as a prefix of it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(), (text, n) => {
      const bytes = encode(text);
      const cut = bytes.subarray(0, n % (bytes.length + 1));
      const read = decodeUtf8(cut, { cut: true });
      equal(read.invalidAt, undefined);
      ok(text.replace(/^\ufeff/, "").startsWith(read.text));
      ok(cut.length - wholeCharacters(cut) <= 3);
    }),
  );
});

Deno.test("decodeUtf8: invalidAt is the end of the longest valid prefix", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const { invalidAt } = decodeUtf8(bytes);
      const valid = (n: number) => {
        try {
          new TextDecoder("utf-8", { fatal: true }).decode(
            bytes.subarray(0, n),
          );
          return true;
        } catch {
          return false;
        }
      };
      if (invalidAt === undefined) return ok(valid(bytes.length));
      ok(!valid(bytes.length));
      ok(valid(invalidAt), `prefix of ${invalidAt} of ${bytes}`);
    }),
    { numRuns: 5000 },
  );
});
