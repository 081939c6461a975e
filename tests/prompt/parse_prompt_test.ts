import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { parsePrompt } from "../../src/prompt/parse_prompt.ts";

const parse = (text: string, stem = "stem") =>
  parsePrompt(new TextEncoder().encode(text), stem);

Deno.test("parsePrompt: frontmatter is taken off, names and describes; the body is trimmed", () => {
  deepEqual(
    parse(
      "---\nname: review\ntitle: Review it\ndescription: How.\nother: 1\n---\n\n  Do it.\n\n",
    ),
    {
      prompt: {
        name: "review",
        title: "Review it",
        description: "How.",
        body: "Do it.",
      },
      remarks: [],
    },
  );
  deepEqual(
    parse("\ufeff---\r\ntitle: T\r\n---\r\nBody\r\n", "AGENTS").prompt,
    {
      name: "AGENTS",
      title: "T",
      description: undefined,
      body: "Body",
    },
  );
});

Deno.test("parsePrompt: without frontmatter, or with one that never closes, all of it is the body", () => {
  equal(parse(" # Hello\n").prompt!.body, "# Hello");
  equal(parse("---\nname: x\nBody").prompt!.body, "---\nname: x\nBody");
  equal(parse("---\nname: x\nBody").prompt!.name, "stem");
});

Deno.test("parsePrompt: unreadable frontmatter is told, and the file is served under its own name", () => {
  const { prompt, remarks } = parse("---\nname: [x\n---\nBody");
  deepEqual([prompt!.name, prompt!.body], ["stem", "Body"]);
  deepEqual(remarks.map(({ reason }) => reason), ["prompt-frontmatter"]);
});

Deno.test("parsePrompt: empty, badly named and not UTF-8 are skipped with the reason", () => {
  for (
    const [text, stem, reason] of [
      ["", "a", "prompt-empty"],
      [" \n\t", "a", "prompt-empty"],
      ["---\nname: a\n---\n \n", "a", "prompt-empty"],
      ["x", "a b", "prompt-name"],
      ["x", "ü", "prompt-name"],
      ["x", "..", "prompt-name"],
      ["---\nname: .\n---\nx", "a", "prompt-name"],
      ["x", "a".repeat(129), "prompt-name"],
      ["---\nname: a/b\n---\nx", "a", "prompt-name"],
      ["---\nname: a\u202eb\n---\nx", "a", "prompt-name"],
    ] as const
  ) {
    const { prompt, remarks } = parse(text, stem);
    equal(prompt, undefined, JSON.stringify(text));
    deepEqual(remarks.map((remark) => remark.reason), [reason]);
    ok(!remarks[0]!.detail.includes("\u202e"));
  }
  const { prompt, remarks } = parsePrompt(new Uint8Array([0x61, 0xff]), "a");
  equal(prompt, undefined);
  match(remarks[0]!.reason, /prompt-utf8/);
  equal(parse("x", "a".repeat(128)).prompt!.name.length, 128);
});

Deno.test("parsePrompt: any bytes give a prompt that may be served, or a reason", () => {
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.string().map((text) => new TextEncoder().encode(text)),
    fc.tuple(fc.string(), fc.string()).map(([yaml, body]) =>
      new TextEncoder().encode(`---\n${yaml}\n---\n${body}`)
    ),
  );
  fc.assert(
    fc.property(bytes, fc.string(), (given, stem) => {
      const { prompt, remarks } = parsePrompt(given, stem);
      if (prompt === undefined) return ok(remarks.length > 0);
      match(prompt.name, /^[A-Za-z0-9_.-]{1,128}$/);
      equal(prompt.body, prompt.body.trim());
      ok(prompt.body.length > 0);
    }),
    { numRuns: 1000 },
  );
});
