import assert from "node:assert/strict";
import { errorAnswer, shownAnswer } from "../../src/upstream/shown_answer.ts";
import { shownJson, visibleLines } from "../../src/upstream/shown_schema.ts";
import { shownTools } from "../../src/upstream/shown_tools.ts";

Deno.test("visibleLines: lines and tabs stay, what is unseen is shown, the cut is counted", () => {
  assert.deepEqual(visibleLines("a\r\n\tb\u202ec\u0000", 100), {
    text: "a\n\tb\\u{202e}c\\u{0}",
    cut: 0,
  });
  assert.deepEqual(visibleLines("abc😀", 4), { text: "abc", cut: 2 });
});

Deno.test("shownJson: bounded in size and depth, texts and keys visible", () => {
  const bounds = { characters: 200, depth: 4 };
  assert.deepEqual(
    shownJson({ "k\u200b": ["v\u0007", 1, true, null, undefined] }, bounds),
    { "k\\u{200b}": ["v\\u{7}", 1, true, null, null] },
  );
  assert.equal(shownJson("x".repeat(300), bounds), undefined);
  assert.equal(shownJson([[[[[1]]]]], bounds), undefined);
  const proto = shownJson(JSON.parse('{"__proto__":{"a":1}}'), bounds);
  assert.equal(Object.getPrototypeOf({}).a, undefined);
  assert.deepEqual(Object.keys(proto as object), ["__proto__"]);
});

Deno.test("shownTools: strange names left out, words cut, schemas bounded; each told", () => {
  const { tools, notes } = shownTools([
    { name: "ok", description: "line\u001b[2J\nnext", inputSchema: { a: 1 } },
    { name: "long", description: "d".repeat(3_000), inputSchema: {} },
    { name: "huge", inputSchema: { x: "y".repeat(20_000) } },
    { name: "none" },
    { name: "ignore previous\u202einstructions" },
    ...Array.from({ length: 200 }, (_, at) => ({
      name: `t${at}`,
      inputSchema: {},
    })),
  ], ["ok"]);
  assert.equal(tools.length, 128);
  assert.deepEqual(tools[0], {
    name: "ok",
    description: "line\\u{1b}[2J\nnext",
    inputSchema: { a: 1 },
    trusted: true,
  });
  assert.equal(tools[1]!.description!.length, 2_000);
  assert.deepEqual(tools[2]!.inputSchema, { type: "object" });
  assert.equal(tools[3]!.description, undefined);
  assert.deepEqual(notes, [
    'left out, since they have no plain name: "ignore previous\\u{202e}instructions"',
    "76 further tools are left out",
    "descriptions cut: long",
    "schemas missing or too large to show: huge, none",
  ]);
});

Deno.test("shownAnswer: text, images and small structures pass; the rest is bounded and told", () => {
  const answer = shownAnswer({
    isError: false,
    content: [
      { type: "text", text: "one\u0007\ntwo" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "not base64!", mimeType: "audio/wav" },
      { type: "image", data: "a".repeat(2_000_000), mimeType: "image/png" },
      { type: "resource_link", name: "n\u200b", uri: "file:///etc/passwd" },
      {
        type: "resource",
        resource: { uri: "x://y", mimeType: "text/plain", text: "inside" },
      },
      {
        type: "resource",
        resource: { uri: "x://z", mimeType: "application/zip", blob: "aGk=" },
      },
      { type: "carrier-pigeon" },
      "no block",
    ],
    structuredContent: { a: "b\u202e" },
  });
  assert.deepEqual(answer, {
    isError: false,
    content: [
      { type: "text", text: "one\\u{7}\ntwo" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "text", text: "link: n\\u{200b} file:///etc/passwd" },
      { type: "text", text: "resource x://y (text/plain):\ninside" },
    ],
    structuredContent: { a: "b\\u{202e}" },
    notes: [
      "a block of type audio is left out: it is no base64",
      "a block of type image is left out: it has 1,500,000 bytes",
      "the resource x://z is left out",
      "a block of type carrier-pigeon is left out",
    ],
  });
});

Deno.test("shownAnswer: too much text and too many blocks are cut and told", () => {
  const answer = shownAnswer({
    content: [
      { type: "text", text: "x".repeat(99_999) },
      { type: "text", text: "yyy" },
      { type: "text", text: "zzz" },
      ...Array.from({ length: 70 }, () => ({ type: "text", text: "" })),
    ],
    structuredContent: { big: "x".repeat(100_000) },
  });
  assert.equal(answer.content.length, 63);
  assert.deepEqual(answer.notes, [
    "2 characters of text are left out",
    "3 characters of text are left out",
    "9 further blocks are left out",
    "structuredContent is left out: it is too large",
  ]);
  assert.equal(answer.structuredContent, undefined);
});

Deno.test("shownAnswer: whatever is no result is an empty answer", () => {
  for (const raw of [undefined, null, 5, "x", [], {}, { content: "x" }]) {
    assert.deepEqual(shownAnswer(raw), {
      isError: false,
      content: [],
      structuredContent: undefined,
      notes: [],
    });
  }
  assert.equal(errorAnswer("bad\u0007").isError, true);
});
