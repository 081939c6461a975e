import { equal } from "node:assert/strict";
import fc from "fast-check";
import { replaceAll, replaceIn } from "../../src/proxy/replacer.ts";
import { bytesOf, textOf } from "./support.ts";

async function replaced(
  text: string,
  words: Record<string, string>,
  cuts: readonly number[],
): Promise<string> {
  const bytes = bytesOf(text);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))]
    .sort((a, b) => a - b);
  const parts = [...ends, bytes.length]
    .map((end, i, all) => bytes.subarray(all[i - 1] ?? 0, end));
  const replacements = Object.entries(words)
    .map(([find, put]) => ({ find: bytesOf(find), put: bytesOf(put) }));
  let result = "";
  for await (
    const part of replaceIn(ReadableStream.from(parts), replacements)
  ) result += textOf(part);
  return result;
}

/** The same, slowly and without cuts. */
function reference(text: string, words: Record<string, string>): string {
  const names = Object.keys(words).sort((a, b) => b.length - a.length);
  let result = "";
  for (let at = 0; at < text.length;) {
    const word = names.find((name) => text.startsWith(name, at));
    result += word === undefined ? text[at] : words[word];
    at += word?.length ?? 1;
  }
  return result;
}

Deno.test("replaceIn: finds words wherever the chunks are cut", async () => {
  // Two letters only, so that words overlap, repeat and begin each other.
  const ab = (min: number, max: number) =>
    fc.string({
      unit: fc.constantFrom("a", "b"),
      minLength: min,
      maxLength: max,
    });
  await fc.assert(
    fc.asyncProperty(
      ab(0, 60),
      fc.uniqueArray(ab(1, 6), { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat(100), { maxLength: 20 }),
      async (text, names, cuts) => {
        const words = Object.fromEntries(
          names.map((name, i) => [name, `<${i}>`]),
        );
        equal(await replaced(text, words, cuts), reference(text, words));
      },
    ),
    { numRuns: 2_000 },
  );
});

Deno.test("replaceIn: what cannot begin a word is passed on at once", async () => {
  const words = [{ find: bytesOf("secret"), put: bytesOf("x") }];
  const sent: string[] = [];
  async function* parts() {
    yield bytesOf("hello sec");
    equal(sent.join(), "hello ");
    yield bytesOf("ond");
    equal(sent.join(""), "hello second");
    await Promise.resolve();
  }
  for await (const part of replaceIn(parts(), words)) sent.push(textOf(part));
});

Deno.test("replaceAll: an empty word is no word", () => {
  const nothing = [{ find: new Uint8Array(0), put: bytesOf("x") }];
  equal(textOf(replaceAll(bytesOf("abc"), nothing)), "abc");
});
