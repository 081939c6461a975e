import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  MAX_FRONTMATTER,
  parseFrontmatter,
  splitFrontmatter,
} from "../../src/skill/frontmatter.ts";

function values(yaml: string): Record<string, unknown> {
  const read = parseFrontmatter(yaml);
  if (!read.ok) throw new Error(read.finding.detail);
  return { ...read.values };
}

function finding(yaml: string) {
  const read = parseFrontmatter(yaml);
  ok(!read.ok, `accepted ${yaml.slice(0, 60)}`);
  equal(read.finding.severity, "error");
  equal(read.finding.reason, "malformed-frontmatter");
  ok(read.finding.line! >= 2 && read.finding.column! >= 1);
  ok(read.finding.hint !== "");
  return read.finding;
}

Deno.test("splitFrontmatter: the body is verbatim, later --- lines included", () => {
  deepEqual(splitFrontmatter("---\na: b\n---\n\nx\n---\ny\n---\n"), {
    kind: "block",
    yaml: "a: b",
    body: "\nx\n---\ny\n---\n",
  });
});

Deno.test("splitFrontmatter: CRLF, blanks after a fence, a fence at the end", () => {
  for (
    const [text, yaml, body] of [
      ["---\r\na: b\r\n---\r\nx\r\n", "a: b", "x\r\n"],
      ["--- \na: b\n---\t \nx", "a: b", "x"],
      ["---\na: b\n---", "a: b", ""],
      ["---\na: b\n---  ", "a: b", ""],
    ]
  ) deepEqual(splitFrontmatter(text!), { kind: "block", yaml, body });
});

Deno.test("splitFrontmatter: an empty block is a block", () => {
  for (const text of ["---\n---\n", "---\n---", "---\r\n---\r\n"]) {
    deepEqual(splitFrontmatter(text), { kind: "block", yaml: "", body: "" });
  }
  equal(splitFrontmatter("---\n\n---\nx").kind, "block");
});

Deno.test("splitFrontmatter: what only looks like a fence is none", () => {
  equal(splitFrontmatter("---\na: b\n----\n").kind, "unterminated");
  equal(splitFrontmatter("---\na: b\n--- x\n").kind, "unterminated");
  equal(splitFrontmatter("---\na: b\n ---\n").kind, "unterminated");
  equal(splitFrontmatter("---\na: b\n").kind, "unterminated");
  equal(splitFrontmatter("---").kind, "none");
  equal(splitFrontmatter("--- x\n---\n").kind, "none");
  equal(splitFrontmatter("\n---\n---\n").kind, "none");
  equal(splitFrontmatter("# deploy\n").kind, "none");
  equal(splitFrontmatter("").kind, "none");
});

Deno.test("splitFrontmatter: block and body are pieces of the text, in order", () => {
  const piece = fc.constantFrom("---", "\n", "\r\n", "a: b", " ", "-", "x");
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join("");
      const split = splitFrontmatter(text);
      ok(text.endsWith(split.body));
      if (split.kind !== "block") return equal(split.body, text);
      ok(text.startsWith("---"));
      ok(!/^---[ \t]*$/m.test(split.yaml.replaceAll("\r\n", "\n")));
      ok(text.includes(split.yaml));
    }),
    { numRuns: 3000 },
  );
});

Deno.test("parseFrontmatter: YAML 1.2 core, multi-line values", () => {
  deepEqual(
    values(
      'a: yes\nb: true\nc: 12\nd: 2024-01-01\ne: |\n  x\n  y\nf: >-\n  x\n  y\ng: "x\n  y"\nh: [p:q]\ni: ~',
    ),
    {
      a: "yes",
      b: true,
      c: 12,
      d: "2024-01-01",
      e: "x\ny\n",
      f: "x y",
      g: "x y",
      h: ["p:q"],
      i: null,
    },
  );
});

Deno.test("parseFrontmatter: CRLF gives the values of its LF twin", () => {
  const lf = "name: x\ndescription: |\n  a\n  b\nq: 'x\n  y'\n";
  deepEqual(values(lf.replaceAll("\n", "\r\n")), values(lf));
});

Deno.test("parseFrontmatter: * and & inside text are text", () => {
  deepEqual(values('a: some *emphasis* & more\nb: "*x"\nc: a&b'), {
    a: "some *emphasis* & more",
    b: "*x",
    c: "a&b",
  });
});

Deno.test("parseFrontmatter: empty and comment-only blocks are empty mappings", () => {
  for (const yaml of ["", "\n", "# nothing", "\n# nothing\n\n"]) {
    deepEqual(values(yaml), {});
  }
});

Deno.test("parseFrontmatter: an unquoted ': ' is placed and the fix named", () => {
  const found = finding("name: x\ndescription: The rule is: evidence first");
  deepEqual([found.line, found.column], [3, 14]);
  match(found.detail, /description/);
  match(found.hint, /Quote the value.*description: "/);
});

Deno.test("parseFrontmatter: junk after a flow list names its key", () => {
  const found = finding("name: b\nargument-hint: [a] [— venue: x]");
  deepEqual([found.line, found.column], [3, 20]);
  match(found.detail, /argument-hint/);
});

Deno.test("parseFrontmatter: columns count characters, lines count under CRLF", () => {
  const found = finding("a: b\r\nd: 👍👍: x: y");
  equal(found.line, 3);
  equal(finding("a: 👍 b: !x").column, 4);
});

const REFUSED: Record<string, readonly [string, RegExp]> = {
  "an anchor": ["a: &x 1", /anchors/],
  "an anchor on a mapping": ["a: &x\n  b: 1", /anchors/],
  "an anchor on a key": ["&x a: 1", /anchors/],
  "an alias": ["a: *x", /anchors|[Aa]lias/],
  "an anchor with its alias": ["a: &x 1\nb: *x", /anchors/],
  "a list": ["- a", /not a mapping/],
  "a word": ["just text", /not a mapping/],
  "a repeated key": ["a: 1\nb: 2\na: 3", /"a" stands twice/],
  "a repeated nested key": ["a:\n  b: 1\n  b: 2", /"b" stands twice/],
  "an unknown tag": ["a: !foo x", /tag/i],
  "a binary tag": ["a: !!binary aGk=", /tag/i],
  "a tab as indentation": ["a:\n\tb: 1", /[Tt]ab/],
  "an open quote": ['a: "x', /quote/],
  "an open bracket": ["a: [x", /sequence/],
  "a second document": ["a: b\n...\nc: d", /more than one/],
  "a YAML directive": ["%YAML 1.1\na: yes", /./],
  "a list as a key": ["? [a]\n: b", /key is a list/],
  "more than 64 levels": [
    Array.from({ length: 70 }, (_, i) => " ".repeat(i) + "a:").join("\n"),
    /too deeply/,
  ],
};

for (const [what, [yaml, why]] of Object.entries(REFUSED)) {
  Deno.test(`parseFrontmatter: refuses ${what}`, () => {
    const found = finding(yaml);
    match(found.detail, why);
    ok(found.hint !== "");
  });
}

for (const token of ["[", "{", "- ", "? ", "[a,", "{a: "]) {
  Deno.test(`parseFrontmatter: 60,000 characters of ${JSON.stringify(token)} are nested too deeply, no crash`, () => {
    const yaml = token.repeat(60_000 / token.length);
    match(finding(yaml).detail, /too deeply/);
  });
}

Deno.test("parseFrontmatter: 64 KiB is the most, counted in UTF-8", () => {
  const key = "a: ";
  equal(
    finding(key + "x".repeat(MAX_FRONTMATTER)).detail.includes("64 KiB"),
    true,
  );
  match(finding(key + "é".repeat(MAX_FRONTMATTER / 2)).detail, /64 KiB/);
  ok(parseFrontmatter(key + "x".repeat(MAX_FRONTMATTER - 3)).ok);
});

Deno.test("parseFrontmatter: __proto__ and constructor are keys like others", () => {
  const read = parseFrontmatter("__proto__:\n  polluted: true\nconstructor: x");
  ok(read.ok);
  deepEqual(Object.keys(read.values), ["__proto__", "constructor"]);
  equal((read.values as { polluted?: unknown }).polluted, undefined);
});

Deno.test("parseFrontmatter: locate finds values, keys and list items", () => {
  const read = parseFrontmatter("a: 1\nb:\n  c:\n    - x\n    - d: y");
  ok(read.ok);
  deepEqual(read.locate(["b", "c", 1, "d"]), { line: 6, column: 10 });
  deepEqual(read.locate(["b", "c", 1, "d"], "key"), { line: 6, column: 7 });
  deepEqual(read.locate(["b", "c", 0]), { line: 5, column: 7 });
  // What is missing is placed at what should hold it.
  deepEqual(read.locate(["b", "none"])?.line, 4);
});

Deno.test("parseFrontmatter: never throws, whatever the text", () => {
  const piece = fc.constantFrom(
    "a",
    ": ",
    "\n",
    "  ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    "#",
    "&a",
    "*a",
    "|",
    ">",
    "!t ",
    "%",
    "\t",
    "? ",
    ",",
    "\\",
    "---",
    "1",
    "é",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 40 }).map((p) => p.join("")),
        fc.string({ unit: "binary" }),
      ),
      (yaml) => {
        const read = parseFrontmatter(yaml);
        if (!read.ok) ok(read.finding.line! >= 2);
      },
    ),
    { numRuns: 3000 },
  );
});
