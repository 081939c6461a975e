import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { checkPath } from "../../src/skill/paths.ts";

const REFUSED: Record<string, string> = {
  "an absolute path": "/etc/passwd",
  "a leading ..": "../outside.txt",
  "an inner ..": "scripts/../../outside.txt",
  "a leading .": "./ok.js",
  "a doubled slash": "scripts//ok.js",
  "the empty string": "",
  "a backslash": "scripts\\ok.js",
  "a Windows path": "C:\\windows\\system32",
  "a percent escape": "%2e%2e/outside.txt",
  "a NUL": "scripts/ok.js\0.txt",
  "two blanks": "  ",
  "a segment of blanks": "a/ /b",
  "a trailing slash": "scripts/",
  "a path of 1025 characters": "a".repeat(1025),
  "half a surrogate pair": "a\ud800",
  "a lone dot": ".",
};

for (const [what, path] of Object.entries(REFUSED)) {
  Deno.test(`checkPath: refuses ${what}`, () => {
    const result = checkPath(path);
    ok(!result.ok);
    equal(result.code, "PATH_REFUSED");
  });
}

Deno.test("checkPath: accepts plain relative paths unchanged", () => {
  for (
    const path of [
      "SKILL.md",
      "scripts/ok.js",
      "a b/c d.txt",
      ".hidden/x",
      "..a/b..",
      "...",
      "100%.txt",
      "50%zz",
      "ünï/日本.md",
      "a:b",
      "x".repeat(1024),
    ]
  ) {
    deepEqual(checkPath(path), { ok: true, value: path });
  }
});

Deno.test("checkPath: says why and what is accepted", () => {
  const result = checkPath("scripts/../x");
  ok(!result.ok);
  match(result.message, /segment "\.\."/);
  match(result.hint, /relative to the skill/);
});

Deno.test("checkPath: a long or ugly path is shown short and visible", () => {
  const result = checkPath("/\u202e" + "x".repeat(5000));
  ok(!result.ok);
  ok(result.message.length < 250);
  match(result.message, /\\u\{202e\}/);
});

Deno.test("checkPath: nothing accepted leaves the directory when joined", () => {
  const piece = fc.constantFrom(
    "a",
    ".",
    "..",
    "/",
    "\\",
    "%2e",
    "%",
    " ",
    "\0",
    "b.c",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece).map((parts) => parts.join("")),
        fc.string({ unit: "binary" }),
      ),
      (path) => {
        if (!checkPath(path).ok) return;
        const joined = join("/base/dir", path);
        ok(joined.startsWith("/base/dir/"), path);
        equal(joined, `/base/dir/${path}`);
      },
    ),
    { numRuns: 3000 },
  );
});
