import assert from "node:assert/strict";
import fc from "fast-check";
import {
  hrefOf,
  placeOf,
  placeUri,
  skillUri,
} from "../../src/catalog/skill_uri.ts";
import { checkPath } from "../../src/skill/paths.ts";

/** Characters that mean something in a URI, or have two spellings. */
const ODD = [
  ..." #%?&=+;:@!$'()*,~[]{}<>|^`\"\\./-_",
  "é",
  "e\u0301",
  "ß",
  "İ",
  "😀",
  "👩\u200d👧",
  "\ufeff",
  "\u202e",
  "\n",
  "%2F",
  "%2e%2e",
  "A",
];
const SEGMENT = fc.array(
  fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: "binary" })),
  { minLength: 1, maxLength: 6 },
).map((parts) => parts.join(""));
const PATH = fc.array(SEGMENT, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join("/"));

/** What the string rule lets a skill be called or serve, and a few more. */
const PLACE = PATH.filter((path) => {
  const bare = path.replaceAll("%", "");
  return checkPath(bare).ok && !path.split("/").includes("");
});

Deno.test("skillUri: every place comes back from its URI, code units and all", () => {
  fc.assert(fc.property(PLACE, (place) => {
    const uri = placeUri(place);
    assert.equal(placeOf(uri), place);
    assert.match(uri, /^skill:\/\/[\x21-\x7e]+$/);
  }));
});

Deno.test("skillUri: a URL parser leaves every URI as it is", () => {
  fc.assert(fc.property(PLACE, (place) => {
    const uri = placeUri(place);
    assert.equal(hrefOf(uri), uri);
  }));
});

Deno.test("skillUri: different places have different URIs, NFC and NFD too", () => {
  fc.assert(fc.property(PLACE, PLACE, (a, b) => {
    assert.equal(placeUri(a) === placeUri(b), a === b);
  }));
  assert.notEqual(skillUri("x", "é.md"), skillUri("x", "e\u0301.md"));
});

Deno.test("skillUri: names and paths as they are written", () => {
  assert.equal(
    skillUri("acme/billing", "docs/a b#1.md"),
    "skill://acme/billing/docs/a%20b%231.md",
  );
  assert.equal(skillUri("weather", ""), "skill://weather");
  assert.equal(placeUri(""), "skill://");
});

Deno.test("placeOf: other spellings of the same place, as links bring them", () => {
  for (
    const [uri, place] of [
      ["skill://x/a b.md", "x/a b.md"],
      ["skill://x/é.md", "x/é.md"],
      ["skill://x/%c3%a9.md", "x/é.md"],
      ["skill://x/a+b@2x.md", "x/a+b@2x.md"],
      ["skill://x/docs/../a.md", "x/a.md"],
      ["skill://x/%2e%2e/a.md", "x/a.md"],
      ["skill://x/../../a.md", "x/a.md"],
      ["SKILL://x/a.md", "x/a.md"],
      ["skill://", ""],
    ] as const
  ) assert.equal(placeOf(uri), place, uri);
});

Deno.test("placeOf: the longest name with the longest path, and nothing beyond", () => {
  const name = Array(32).fill("d".repeat(255)).join("/");
  const place = `${name}/${"é".repeat(1024)}`;
  assert.equal(placeOf(placeUri(place)), place);
  assert.equal(placeOf(`skill://${"a/".repeat(5_000)}b`), undefined);
  assert.equal(placeOf(`skill://a/${"b".repeat(200_000)}`), undefined);
  assert.equal(placeOf(`skill://a/${"../".repeat(200_000)}b`), "a/b");
});

Deno.test("placeOf: what is no place", () => {
  for (
    const uri of [
      "",
      "x",
      "skill:x/a.md",
      "skill:///a.md",
      "skill://x//a.md",
      "skill://x/a.md/",
      "skill://x/",
      "skill://x/a.md?b",
      "skill://x/a.md#b",
      "skill://x/a%2fb.md",
      "skill://x/a%00.md",
      "skill://x/%ff.md",
      "skill://x/%zz.md",
      "skill://x:80/a.md?",
      "file:///x/a.md",
      "http://x/a.md",
    ]
  ) assert.equal(placeOf(uri), undefined, uri);
});
