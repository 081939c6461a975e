/** Texts cut into words, and keywords found by them. */

import assert from "node:assert/strict";
import { Characters, WORD } from "../../src/context/triggers/characters.ts";
import { KeywordIndex } from "../../src/context/triggers/keyword_index.ts";

Deno.test("wordsOf: a character is in a word when its class says so", () => {
  const characters = new Characters();
  for (let point = 0; point <= 0x10ffff; point++) {
    const character = String.fromCodePoint(point);
    const expected = characters.classOf(point) === WORD ? [character] : [];
    const where = point.toString(16);
    assert.deepEqual(characters.wordsOf(character), expected, where);
    // The same beside something that is not ASCII.
    assert.deepEqual(characters.wordsOf(`☃${character}`), expected, where);
  }
});

Deno.test("wordsOf: runs of word characters, in order, as often as they stand", () => {
  const wordsOf = (text: string) => new Characters().wordsOf(text);
  assert.deepEqual(wordsOf(""), []);
  assert.deepEqual(wordsOf("--"), []);
  assert.deepEqual(wordsOf("a-b_a2, a"), ["a", "b", "a2", "a"]);
  assert.deepEqual(wordsOf("für中文x𐐨y"), ["für", "x𐐨y"]);
});

/** Places and near misses of each keyword. */
function found(keywords: readonly string[], text: string): object {
  const index = new KeywordIndex();
  for (const keyword of keywords) index.add(keyword);
  return Object.fromEntries(
    [...index.find(text)].map(([keyword, { places, miss }]) => [
      keyword,
      { places, miss: miss?.at },
    ]),
  );
}

Deno.test("find: a word is found where it stands alone, past words that hold it", () => {
  assert.deepEqual(found(["cat", "at"], "concat scat cat at, catalog cat"), {
    cat: { places: [12, 28], miss: 3 },
    // `at` is too short to be looked for inside others.
    at: { places: [16], miss: undefined },
  });
});

Deno.test("find: letters in a word of no use are not the word that follows it", () => {
  assert.deepEqual(found(["at"], "scat at"), {
    at: { places: [5], miss: undefined },
  });
});

Deno.test("find: words of many units and signs stand at their own offsets", () => {
  assert.deepEqual(found(["x𐐨y", "中文", "😀"], "ax𐐨y x𐐨y 中中文😀"), {
    "x𐐨y": { places: [6], miss: 1 },
    "中文": { places: [12], miss: undefined },
    "😀": { places: [14], miss: undefined },
  });
});
