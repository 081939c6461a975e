import { deepEqual, equal, match, ok } from "node:assert/strict";
import { EMPTY_DECLARATION } from "../../src/skill/declaration.ts";
import { readSkillDocument } from "../../src/skill/document.ts";
import type { SkillDocument } from "../../src/skill/types.ts";

function read(text: string): SkillDocument {
  return readSkillDocument(new TextEncoder().encode(text));
}

Deno.test("readSkillDocument: name, description, when-to-use, no findings", () => {
  const skill = read(
    "---\nname: weather\ndescription: Forecasts.\nwhen-to-use: Rain.\nwhen_to_use: Sun.\n---\n# Hi\n",
  );
  deepEqual(
    [skill.claimedName, skill.description, skill.whenToUse, skill.body],
    ["weather", "Forecasts.", "Rain.", "# Hi\n"],
  );
  deepEqual(skill.findings, []);
  equal(skill.declaration, EMPTY_DECLARATION);
});

Deno.test("readSkillDocument: unknown top-level keys are kept and not reported", () => {
  const skill = read(
    "---\nname: x\ndescription: D\nauthor: me\ndisplayName: X\ncompatibility: any\nargument-hint: y\nhooks:\n  a: [1]\n---\n",
  );
  deepEqual(skill.findings, []);
  deepEqual(skill.frontmatter, {
    name: "x",
    description: "D",
    author: "me",
    displayName: "X",
    compatibility: "any",
    "argument-hint": "y",
    hooks: { a: [1] },
  });
});

Deno.test("readSkillDocument: a byte order mark is fine", () => {
  const skill = read("\ufeff---\nname: x\ndescription: D\n---\nbody");
  deepEqual([skill.claimedName, skill.body, skill.findings], ["x", "body", []]);
});

Deno.test("readSkillDocument: CRLF reads as its LF twin, the body keeps its CRs", () => {
  const lf = "---\nname: x\ndescription: |\n  a\n  b\n---\none\ntwo\n";
  const crlf = read(lf.replaceAll("\n", "\r\n"));
  equal(crlf.description, read(lf).description);
  equal(crlf.body, "one\r\ntwo\r\n");
  deepEqual(crlf.findings, []);
});

Deno.test("readSkillDocument: an empty block and an empty body are served", () => {
  const skill = read("---\n---\n");
  deepEqual([skill.frontmatter, skill.body], [{}, ""]);
  deepEqual(skill.findings.map((f) => f.reason), ["no-description"]);
});

for (
  const [what, text, body] of [
    ["no frontmatter", "# deploy\n", "# deploy\n"],
    ["unterminated frontmatter", "---\nname: x\n", "---\nname: x\n"],
    ["malformed frontmatter", "---\na: b: c\n---\nbody\n", "body\n"],
    ["a list as frontmatter", "---\n- a\n---\nbody\n", "body\n"],
    [
      "frontmatter over 64 KiB",
      `---\na: ${"x".repeat(70_000)}\n---\nbody\n`,
      "body\n",
    ],
    ["an empty file", "", ""],
  ] as const
) {
  Deno.test(`readSkillDocument: ${what} is instructions only, with an error`, () => {
    const skill = read(text);
    equal(skill.frontmatter, undefined);
    equal(skill.body, body);
    equal(skill.declaration, EMPTY_DECLARATION);
    deepEqual(skill.findings.map((f) => [f.severity, f.reason]), [
      ["error", "malformed-frontmatter"],
    ]);
    ok(skill.findings[0]!.hint !== "");
  });
}

Deno.test("readSkillDocument: malformed YAML is placed in SKILL.md", () => {
  const [found] = read("---\nname: x\ndescription: a: b\n---\n").findings;
  deepEqual([found!.line, found!.column], [3, 14]);
});

Deno.test("readSkillDocument: a broken mcp-host block costs the scripts only", () => {
  const skill = read(
    "---\nname: x\ndescription: D\nmcp-host: 7\n---\nbody",
  );
  deepEqual([skill.description, skill.body], ["D", "body"]);
  deepEqual(skill.declaration.scripts, []);
  deepEqual(skill.findings.map((f) => [f.reason, f.line, f.column]), [
    ["declaration", 4, 11],
  ]);
});

Deno.test("readSkillDocument: name and description that are no text count as absent, reported", () => {
  const skill = read("---\nname: 7\ndescription: [a]\n---\n");
  deepEqual([skill.claimedName, skill.description], [undefined, undefined]);
  deepEqual(skill.findings.map((f) => f.reason), [
    "frontmatter-type",
    "frontmatter-type",
  ]);
});

Deno.test("readSkillDocument: a missing or blank description is noted", () => {
  for (const line of ["", "description:\n", "description: '  '\n"]) {
    const { findings } = read(`---\nname: x\n${line}---\n`);
    deepEqual(findings.map((f) => [f.severity, f.reason]), [
      ["note", "no-description"],
    ]);
  }
});

Deno.test("readSkillDocument: bad UTF-8 in the body is served and placed", () => {
  const skill = readSkillDocument(
    new Uint8Array([
      ...new TextEncoder().encode("---\ndescription: D\nname: x\n---\nok\né"),
      0xff,
      0x61,
    ]),
  );
  equal(skill.claimedName, "x");
  equal(skill.body, "ok\né\ufffda");
  deepEqual(skill.findings.map((f) => [f.reason, f.line, f.column]), [
    ["bad-utf8", 6, 2],
  ]);
});

Deno.test("readSkillDocument: bad UTF-8 in the frontmatter is instructions only", () => {
  const skill = readSkillDocument(
    new Uint8Array([
      ...new TextEncoder().encode("---\nname: x"),
      0xc3,
      ...new TextEncoder().encode("\n---\nbody"),
    ]),
  );
  equal(skill.frontmatter, undefined);
  equal(skill.body, "body");
  ok(skill.findings.some((f) => f.severity === "error"));
  match(skill.findings[0]!.hint, /UTF-8/);
});

Deno.test("readSkillDocument: UTF-16 and binary are reported, never a crash", () => {
  const utf16 = new Uint8Array([0xff, 0xfe, 0x2d, 0x00, 0x2d, 0x00]);
  equal(readSkillDocument(utf16).frontmatter, undefined);
  equal(readSkillDocument(new Uint8Array(1000)).frontmatter, undefined);
});

Deno.test("readSkillDocument: a character cut at the end of a truncated file is not bad UTF-8", () => {
  const bytes = new TextEncoder().encode("---\ndescription: D\n---\nab€");
  const cut = bytes.subarray(0, bytes.length - 1);
  const skill = readSkillDocument(cut, { truncated: true });
  deepEqual([skill.body, skill.findings], ["ab", []]);
  equal(readSkillDocument(cut).findings.length, 1);
});

Deno.test("readSkillDocument: the whole is not longer for many lines of body", () => {
  const body = "---\n".repeat(60_000);
  const skill = read(`---\nname: x\n---\n${body}`);
  equal(skill.body, body);
});
