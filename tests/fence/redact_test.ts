import assert from "node:assert/strict";
import fc from "fast-check";
import { MIN_SECRET_BYTES, Redactor } from "../../src/fence/run/redact.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** What comes out of a stream cut into these pieces. */
function redacted(
  values: Record<string, string>,
  pieces: readonly Uint8Array[],
): Uint8Array {
  const redactor = new Redactor(new Map(Object.entries(values)));
  const out = pieces.map((piece) => redactor.push(piece).slice());
  out.push(redactor.end().slice());
  return Uint8Array.from(out.flatMap((part) => [...part]));
}

function ofText(values: Record<string, string>, ...pieces: string[]): string {
  return decoder.decode(
    redacted(values, pieces.map((piece) => encoder.encode(piece))),
  );
}

/** Bytes as a string of one character each. */
function latin(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** The same by one pattern over the whole text. */
function whole(values: Record<string, string>, text: Uint8Array): string {
  const long = Object.entries(values)
    .map(([name, value]) => [name, latin(encoder.encode(value))] as const)
    .filter(([, value]) => value.length >= MIN_SECRET_BYTES)
    .sort(([, a], [, b]) => b.length - a.length);
  if (long.length === 0) return latin(text);
  const pattern = long.map(([, value]) => RegExp.escape(value)).join("|");
  return latin(text).replace(
    new RegExp(pattern, "g"),
    (found) => `[${long.find(([, value]) => value === found)![0]}]`,
  );
}

Deno.test("Redactor: replaces a value wherever the stream is cut", () => {
  const values = { API_KEY: "s3cr3t-value" };
  const text = "before s3cr3t-value after s3cr3t-valu and s3cr3t-value";
  const expected = "before [API_KEY] after s3cr3t-valu and [API_KEY]";
  assert.equal(ofText(values, text), expected);
  assert.equal(ofText(values, ...text), expected);
  for (let cut = 0; cut <= text.length; cut++) {
    assert.equal(
      ofText(values, text.slice(0, cut), "", text.slice(cut)),
      expected,
    );
  }
});

Deno.test("Redactor: a value of less than 8 bytes stays, one of 8 goes", () => {
  const values = { SHORT: "1234567", LONG: "abcdefgh", BYTES: "ééöö" };
  assert.equal(
    ofText(values, "1234567 abcdefgh ééöö"),
    "1234567 [LONG] [BYTES]",
  );
});

Deno.test("Redactor: of overlapping values the first wins, then the longest", () => {
  const values = { A: "abcdefgh", LONGER: "abcdefghij", B: "efghijklm" };
  assert.equal(ofText(values, "abcdefghi"), "[A]i");
  assert.equal(ofText(values, "abcdefghij"), "[LONGER]");
  assert.equal(ofText(values, "abcdefgh", "ijklm"), "[LONGER]klm");
  assert.equal(ofText(values, "xefghijklm"), "x[B]");
  assert.equal(
    ofText({ X: "aaaaaaaa", Y: "aaaaaaaa" }, "a".repeat(17)),
    "[X][X]a",
  );
});

Deno.test("Redactor: gives out at once what cannot be part of a value", () => {
  const redactor = new Redactor(new Map([["K", "abcdefgh"]]));
  assert.equal(decoder.decode(redactor.push(encoder.encode("xx abc"))), "xx ");
  assert.equal(decoder.decode(redactor.push(encoder.encode("x"))), "abcx");
  assert.equal(
    decoder.decode(redactor.push(encoder.encode("abcdefgh"))),
    "[K]",
  );
  assert.equal(redactor.end().length, 0);
  assert.ok(new Redactor(new Map([["K", "short"]])).idle);
});

Deno.test("Redactor: as one pattern over the whole text, for any values, bytes and cuts", () => {
  // Few letters, so that values repeat, overlap and begin one another.
  const letters = (minLength: number, maxLength: number) =>
    fc.array(fc.constantFrom("a", "b", "ab", "aab", "é"), {
      minLength,
      maxLength,
    }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      fc.uniqueArray(letters(4, 12), { minLength: 1, maxLength: 5 }),
      fc.array(
        fc.oneof(
          letters(0, 6),
          fc.nat({ max: 4 }).map((n) => ({ value: n })),
          fc.nat({ max: 4 }).map((n) => ({ part: n })),
        ),
        { maxLength: 12 },
      ),
      fc.array(fc.nat({ max: 200 }), { maxLength: 8 }),
      (secrets, parts, cuts) => {
        const values = Object.fromEntries(
          secrets.map((value, i) => [`N${i}`, value]),
        );
        const text = encoder.encode(
          parts.map((part) => {
            if (typeof part === "string") return part;
            if ("value" in part) return secrets[part.value % secrets.length]!;
            return secrets[part.part % secrets.length]!.slice(0, 5);
          }).join(""),
        );
        const at = [
          0,
          ...cuts.map((cut) => cut % (text.length + 1)),
          text.length,
        ]
          .sort((a, b) => a - b);
        const pieces = at.slice(1).map((end, i) => text.subarray(at[i]!, end));
        assert.equal(latin(redacted(values, pieces)), whole(values, text));
      },
    ),
    { numRuns: 3_000 },
  );
});

Deno.test("Redactor: any bytes at all, in any chunks", () => {
  fc.assert(fc.property(
    fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }),
    (pieces) => {
      const values = { A: "\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000" };
      const text = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
      assert.equal(latin(redacted(values, pieces)), whole(values, text));
    },
  ));
});

Deno.test("Redactor: a value that repeats itself takes no longer than its text", () => {
  // Quadratic, this would be 4,000 times 4 MiB comparisons.
  const redactor = new Redactor(new Map([["K", `${"a".repeat(4_000)}b`]]));
  const chunk = encoder.encode("a".repeat(64 * 1024));
  let out = 0;
  const started = performance.now();
  for (let i = 0; i < 64; i++) out += redactor.push(chunk).length;
  out += redactor.end().length;
  assert.equal(out, 64 * chunk.length);
  assert.ok(performance.now() - started < 5_000);
});
