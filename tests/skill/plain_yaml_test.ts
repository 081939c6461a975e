import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { parseDocument } from "yaml";
import { readPlainYaml } from "../../src/skill/plain_yaml.ts";

/** What the full parser makes of it; undefined when it refuses. */
function inFull(source: string): unknown {
  const document = parseDocument(source, {
    version: "1.2",
    schema: "core",
    resolveKnownTags: false,
    logLevel: "error",
    prettyErrors: false,
  });
  const wrong = [...document.errors, ...document.warnings][0];
  if (wrong !== undefined) throw new Error(`${wrong.message}\n${source}`);
  return document.toJS() ?? {};
}

const TYPICAL = `name: weather
description: Forecasts, geocoding (any place) & more. Use when asked "will it rain?"
license: MIT
# a comment
metadata:
  author: someone
  version: "1.0"
  date: 2026-01-02

allowed-tools: Read Bash(git:*)
empty:
mcp-host:
  version: 1
  run:
    - script: scripts/forecast.js
      interpreter: node
      env: [WEATHER_API_KEY, "OTHER"]
      timeout: 30
    - script: b.js
      interpreter: deno
  env:
  - name: WEATHER_API_KEY
    secret: true
    required: false
  egress: [api.weather.example, "*.maps.example:8443"]
tags: []
last:`;

Deno.test("readPlainYaml: reads a typical block itself, as the full parser does", () => {
  const read = readPlainYaml(TYPICAL);
  ok(read !== undefined);
  deepEqual(read, inFull(TYPICAL));
});

for (
  const source of [
    "",
    "# x",
    "a: b",
    "a:",
    "a: 0",
    "a: x:y",
    "a: it's",
    'a: say "x"',
    "a: b#c",
    "a:\n- x\nb: y",
    "a:\n  - x\n  # c\n  - y",
    "a: b  ",
    "a: b\n\n\n",
    "a: 日本語 👍",
    "a: 'x # y: z'",
    "A: b\na: c",
    "a: nullable",
    "a: [x y, z]",
  ]
) {
  Deno.test(`readPlainYaml: reads ${JSON.stringify(source)} as the full parser does`, () => {
    deepEqual(readPlainYaml(source), inFull(source));
  });
}

for (
  const source of [
    "a: b: c",
    "a: b # c",
    "a: b:",
    "a: |\n  x",
    "a: >-\n  x",
    "a: b\n  c",
    "a: b\n c: d",
    "a: *x",
    "a: &x y",
    "a: !x y",
    "a: {b: c}",
    "a: [b: c]",
    "a: [b, ]",
    "a: [b",
    "a: ['x, y']",
    "a: True",
    "a: Null",
    "a: ~",
    "a: 1.0",
    "a: 007",
    "a: -1",
    "a: .inf",
    "a: 0x1f",
    "a: 1e3",
    'a: "x\\n"',
    "a: 'it''s'",
    "a: 'x",
    "a: b\na: c",
    "true: b",
    "__proto__: b",
    "- a",
    "  a: b",
    "a:\tb",
    "a\n",
    "a:b",
    "? a",
    "a: b\n...\nc: d",
    "%YAML 1.1",
    "a:\n  text",
    "a:\n  - - b",
    "a:\n  -\n    b",
    "a: @x",
    "a: `x`",
    "a: %x",
    "a: - b",
    "a: ? b",
    "a: #b",
    "a: ,b",
    "a: \u00a0b",
    "a: b\u2028c",
    "a: b\ufeff",
    '"a": b',
    "a: [true]",
    "a: [1.5]",
  ]
) {
  Deno.test(`readPlainYaml: leaves ${JSON.stringify(source)} to the full parser`, () => {
    equal(readPlainYaml(source), undefined);
  });
}

const value = fc.constantFrom(
  "b",
  "x y",
  "1",
  "0",
  "007",
  "1.0",
  "1.0.0",
  "2024-01-01",
  "true",
  "null",
  "~",
  "*a",
  "&a b",
  "!t b",
  "|",
  ">",
  "[]",
  "[a]",
  "[a, b c]",
  "[a, 'b', 1]",
  "[a: b]",
  "{}",
  "{a: b}",
  '"q"',
  "'q'",
  '"q" r',
  "'it''s'",
  '"a\\nb"',
  "a: b",
  "a # b",
  "a:",
  "a:b",
  "#c",
  "- b",
  "? b",
  "@a",
  "%a",
  "é",
  "👍",
  "(x)",
  "$x",
  "/x",
  "<<",
  "=",
  "a, b",
  "a]",
  "a}",
  "[a",
  "http://x/y?z#w",
  "it's",
  "x'y'",
  "",
);
const line = fc.tuple(
  fc.constantFrom("", "", "", " ", "  ", "  ", "    ", "      ", "\t"),
  fc.constantFrom("", "", "", "- ", "-  ", "- - ", "-"),
  fc.constantFrom(
    "a: ",
    "b: ",
    "c:",
    "c: ",
    "a-b: ",
    "d.e: ",
    "true: ",
    "1: ",
    "? ",
    '"q": ',
    "",
    "",
  ),
  value,
  fc.constantFrom("", "", "", " ", " # c", "  "),
).map((parts) => parts.join(""));
const rare = fc.constantFrom(
  "",
  "# c",
  "  # c",
  "---",
  "...",
  "%YAML 1.1",
  "text",
  "  text",
  "\u00a0",
  "<<: *a",
);
const sources = fc.array(
  fc.oneof({ weight: 6, arbitrary: line }, { weight: 1, arbitrary: rare }),
  { maxLength: 8 },
).map((lines) => lines.join("\n"));

/** Blocks that mostly are what the reader knows, with a line put in or out. */
const scalar = fc.constantFrom(
  "b",
  "x y",
  "1",
  '"q"',
  "'q r'",
  "[a, b]",
  "http://x",
  "é",
);
const nested = fc.constantFrom(
  "a: b",
  "b:\n  c: d\n  e: f",
  "c:\n- x\n- y",
  "d:\n  - x: 1\n    y: 2\n  - x: 3",
  "e:",
  "f:\n  g:\n    h: i",
  "# c",
  "",
  "g:\n  -   x: y\n      z: w",
  "h: # c",
);
const mostlyPlain = fc.tuple(
  fc.array(
    fc.oneof(
      nested,
      fc.tuple(fc.constantFrom("k", "l", "m"), scalar).map(([k, v]) =>
        `${k}: ${v}`
      ),
    ),
    { maxLength: 6 },
  ),
  fc.nat(),
  fc.option(line),
).map(([parts, at, more]) => {
  const lines = parts.join("\n").split("\n");
  if (more !== null) lines.splice(at % (lines.length + 1), at % 2, more);
  return lines.join("\n");
});

Deno.test("readPlainYaml: whatever it reads, the full parser reads the same", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(sources, mostlyPlain), (source) => {
      const plain = readPlainYaml(source);
      if (plain === undefined) return;
      read++;
      deepEqual(plain, inFull(source));
    }),
    { numRuns: 6_000 },
  );
  ok(read > 600, `only ${read} read`);
});

Deno.test("readPlainYaml: any text at all is read alike or left", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (key, text) => {
      for (
        const source of [
          `a: ${text}`,
          `${key}: ${text}`,
          `a:\n  - ${text}`,
          `a: [${text}]`,
          `a: "${text}"`,
        ]
      ) {
        const plain = readPlainYaml(source);
        if (plain !== undefined) deepEqual(plain, inFull(source));
      }
    }),
    { numRuns: 3000 },
  );
});
