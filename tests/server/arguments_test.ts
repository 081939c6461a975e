import assert from "node:assert/strict";
import * as z from "zod";
import { readArguments } from "../../src/server/arguments.ts";
import {
  FileInput,
  ListInput,
  PreviewInput,
  RunInput,
} from "../../src/server/schemas/inputs.ts";

function complaint(schema: z.ZodObject, raw: unknown): string {
  const read = readArguments(schema, raw);
  assert.ok(!read.ok, "expected a refusal");
  assert.equal(read.code, "INVALID_ARGUMENTS");
  return `${read.message} | ${read.hint}`;
}

Deno.test("readArguments: good arguments come back typed, none at all are none", () => {
  assert.deepEqual(readArguments(ListInput, undefined), {
    ok: true,
    value: {},
  });
  const given = {
    name: "a/b",
    script: "s.mjs",
    args: ["", "x"],
    confirm: true,
  };
  assert.deepEqual(readArguments(RunInput, given), { ok: true, value: given });
});

Deno.test("readArguments: a wrong type names the argument, what came and what is accepted", () => {
  assert.match(
    complaint(ListInput, { limit: "many" }),
    /argument "limit": came the text "many"; accepted: a whole number from 1 to 200/,
  );
  assert.match(
    complaint(ListInput, { reload: 1 }),
    /"reload": came 1; accepted: true or false/,
  );
  assert.match(
    complaint(ListInput, { query: null }),
    /"query": came null; accepted: text of at most 1000 characters/,
  );
  assert.match(
    complaint(FileInput, { name: "a", paths: [] }),
    /"paths": came a list of 0; accepted: a list of 1 to 8 texts/,
  );
  assert.match(
    complaint(FileInput, { name: "a", paths: ["b", 7] }),
    /"paths\[1\]": came 7; accepted: text/,
  );
});

Deno.test("readArguments: a missing argument is named as missing", () => {
  assert.match(
    complaint(PreviewInput, { name: "a" }),
    /argument "script" is missing; accepted: text of 1 to 1024 characters/,
  );
});

Deno.test("readArguments: a number out of range is refused with the range", () => {
  for (const limit of [0, 201, 1.5]) {
    assert.match(complaint(ListInput, { limit }), /came .*from 1 to 200/);
  }
});

Deno.test("readArguments: unknown arguments are refused by name, with the nearest", () => {
  assert.match(
    complaint(RunInput, { name: "a", script: "b", confirmed: true }),
    /unknown argument "confirmed" \(did you mean "confirm"\?\)/,
  );
  assert.match(
    complaint(RunInput, {
      name: "a",
      script: "b",
      files: [{ name: "f", txt: "" }],
    }),
    /unknown argument "files\[0\]\.txt" \(did you mean "text"\?\)/,
  );
});

Deno.test("readArguments: the hint lists the arguments, optional ones marked", () => {
  assert.match(
    complaint(ListInput, { x: 1 }),
    /query\?, cursor\?, limit\?, reload\?/,
  );
  assert.match(complaint(PreviewInput, {}), /Arguments: name, script, args\?/);
});

Deno.test("readArguments: many mistakes are named up to three and counted", () => {
  const said = complaint(ListInput, { a: 1, b: 2, c: 3, d: 4, e: 5 });
  assert.match(said, /and 2 more/);
});

Deno.test("readArguments: what came is shown visibly and in bounds", () => {
  const said = complaint(FileInput, {
    name: "a",
    ["\u{202e}".repeat(500)]: 1,
    offset: "\u0000\u{202e}" + "x".repeat(100_000),
  });
  assert.ok(said.length < 1000, String(said.length));
  assert.ok(!said.includes("\u0000") && !said.includes("\u{202e}"));
});

Deno.test("readArguments: names of Object.prototype are unknown arguments", () => {
  const raw = JSON.parse('{"__proto__": 1, "constructor": 2}');
  assert.match(complaint(ListInput, raw), /unknown argument "constructor"/);
});

Deno.test("readArguments: a plan digest must be spelled as one", () => {
  assert.match(
    complaint(RunInput, { name: "a", script: "b", planDigest: "latest" }),
    /"planDigest": came the text "latest"; accepted: text matching \^sha256/,
  );
});

Deno.test("readArguments: a flood of unknown arguments is counted, not guessed at one by one", () => {
  // The best of a few: what the machine does besides only adds time.
  const best = (count: number) =>
    Math.min(floodOf(count), floodOf(count), floodOf(count));
  const few = best(20_000);
  const many = best(200_000);
  // In step it is 10.
  assert.ok(many < 40 * few, `${many} ms after ${few} ms`);
});

/** Milliseconds to refuse so many unknown arguments. */
function floodOf(count: number): number {
  const flood = Object.fromEntries([
    ...Array.from({ length: count }, (_, i) => [`k${i}`, 1]),
    ["limit", 0],
  ]);
  const started = performance.now();
  const said = complaint(ListInput, flood);
  const took = performance.now() - started;
  assert.match(said, /came 0; .*"k0".*"k1".*; and \d+ more \|/);
  assert.ok(said.includes(`and ${count - 2} more`), said);
  return took;
}
