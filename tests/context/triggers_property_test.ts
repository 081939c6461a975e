/** The indexed matcher against ones that try everything in turn. */

import assert from "node:assert/strict";
import fc from "fast-check";
import ignore from "ignore";
import { fold, foldKeyword } from "../../src/context/triggers/fold.ts";
import { compiled, globs, keywords, skillOf } from "./trigger_skills.ts";

const RUNS = { numRuns: 1_000 };

/** Pieces that keywords and messages are put together from, to meet often. */
const PIECE = fc.constantFrom(
  ...'git|GIT|fix|bug|é|e\u0301|ß|ss|SS|İ|ı|i|ς|Σ|日本|日|語|の|ก|ั|한|c|++|.|#|/|//|-|_| |  |\n|(|)|"|:|\u{1f680}|\ud800|\0|\u0301|ﬁ|1|x'
    .split("|"),
);
const WORDS = fc.array(PIECE, { minLength: 1, maxLength: 5 })
  .map((pieces) => pieces.join(""));
const MESSAGE = fc.array(PIECE, { maxLength: 25 })
  .map((pieces) => pieces.join(""));

const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}";

/** Every keyword is looked for at every place, by one expression each. */
function naive(keyword: string, message: string): boolean {
  const word = foldKeyword(keyword);
  if (word === "") return false;
  const literal = word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  if (/^\/[^\s/]/u.test(word)) {
    const closing = `[\\s,;!?)\\]}>"'\`\\p{Pf}…]`;
    return new RegExp(
      `(?<=(?:^|\\s)[\\p{Ps}\\p{Pi}"'\`]*)${literal}` +
        `(?=$|${closing}|[.:]+(?:$|${closing})|(?!\\p{M})[\\p{L}\\p{N}](?<=[${UNSPACED}]))`,
      "u",
    ).test(fold(message).text);
  }
  const part = `[\\p{L}\\p{N}\\p{M}]`;
  const sticky = (character: string) =>
    new RegExp(`^(?:${part}|\\p{P}|\\p{Sm}|\\p{Sc}|\\p{Sk})$`, "u")
      .test(character) && !new RegExp(`^[${UNSPACED}]$`, "u").test(character);
  const points = [...word];
  const spaced = `(?:(?![${UNSPACED}])${part})`;
  const before = sticky(points[0]!) ? `(?<!${spaced})` : "";
  const after = sticky(points.at(-1)!) ? `(?!${spaced}|\\p{M})` : `(?!\\p{M})`;
  return new RegExp(before + literal + after, "u").test(fold(message).text);
}

Deno.test("match: comes to the same as looking for each keyword at each place", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(WORDS, { minLength: 1, maxLength: 8 }),
      MESSAGE,
      async (words, message) => {
        const skills = words.map((word, n) =>
          skillOf(`skill-${n}`, {
            kind: "keyword",
            keywords: [word],
            inCode: true,
          })
        );
        const triggers = await compiled(skills);
        const { hits } = await triggers.match({ message });
        assert.deepEqual(
          hits.map(({ skill }) => skill.name).sort(),
          words.flatMap((word, n) => naive(word, message) ? `skill-${n}` : []),
          JSON.stringify({ words, message }),
        );
        for (const { at, matched } of hits) {
          assert.ok(at.in === "message");
          assert.equal(message.substr(at.offset, at.text.length), at.text);
          // A mark, or a part of a ligature, stands for its whole character.
          assert.ok(fold(at.text).text.includes(foldKeyword(matched)));
        }
      },
    ),
    RUNS,
  );
});

Deno.test("match: never fails, whatever the keywords, globs, words and paths are", async () => {
  const any = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ maxLength: 40 }),
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
      .map((units) => String.fromCharCode(...units)),
    WORDS,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(any, { maxLength: 6 }),
      fc.array(any, { maxLength: 6 }),
      async (some, more) => {
        const triggers = await compiled([
          skillOf(
            "words",
            keywords(...some, ...some.map((one) => `re:${one}`)),
          ),
          skillOf("rule", globs(...some)),
        ]);
        const result = await triggers.match({
          message: more.join(" "),
          paths: [...more, ...more.map((one) => `file://${one}`)],
        });
        for (const { at } of result.hits) {
          if (at.in !== "message") continue;
          const { offset, text } = at;
          assert.equal(more.join(" ").substr(offset, text.length), text);
        }
      },
    ),
    RUNS,
  );
});

Deno.test("fold: every offset leads back, in order, to what stood there", () => {
  fc.assert(
    fc.property(MESSAGE, (message) => {
      const folded = fold(message);
      let before = 0;
      for (let at = 0; at < folded.text.length; at++) {
        const [start, end] = [folded.start(at), folded.end(at + 1)];
        assert.ok(start >= before && end > start && end <= message.length);
        before = start;
        // A folded whole character alone is what its original folds to.
        if (/[a-z]/.test(folded.text[at]!) && end === start + 1) {
          assert.ok(
            fold(message.slice(start, end)).text.includes(folded.text[at]!),
          );
        }
      }
      assert.equal(fold(folded.text).text, folded.text);
    }),
    RUNS,
  );
});

Deno.test("match: globs come to the same as trying each rule on each path", async () => {
  const segment = fc.constantFrom(
    ..."a|b|src|SRC|*|**|*.ts|a.b.ts|*.b.ts|a.b.c.d.ts|*.b.c.d.ts|?|s?c|[ab]|[!a]|sr*|src*x|*c|.a|é|É|\\*|a*.ts|a**|***|ſ|K"
      .split("|"),
  );
  const join = (parts: string[]) => parts.join("/");
  const glob = fc.tuple(
    fc.constantFrom("", "!", "/"),
    fc.array(segment, { minLength: 1, maxLength: 4 }).map(join),
    fc.constantFrom("", "/"),
  ).map((parts) => parts.join(""));
  const path = fc.array(
    fc.constantFrom(
      ..."a|b|src|SRC|x.ts|a.ts|a.b.ts|a.b.c.d.ts|srcx|é|É|*|ab|.a|K|\u212a|s"
        .split("|"),
    ),
    { minLength: 1, maxLength: 5 },
  ).map(join);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(glob, { minLength: 1, maxLength: 4 }), {
        minLength: 1,
        maxLength: 6,
      }),
      path,
      fc.boolean(),
      async (rules, touched, caseInsensitivePaths) => {
        const triggers = await compiled(
          rules.map((list, n) => skillOf(`rule-${n}`, globs(...list))),
          { caseInsensitivePaths },
        );
        const { hits } = await triggers.match({ paths: [touched] });
        const expected = rules.flatMap((list, n) => {
          const dropped = new Set(
            triggers.problems.filter(({ skill }) => skill === `rule-${n}`)
              .filter(({ detail }) => /more than|nothing before/.test(detail))
              .map(({ detail }) => /^glob "(.*)": /s.exec(detail)![1]!),
          );
          const used = list.filter((one) => !dropped.has(one));
          return ignore({ ignorecase: caseInsensitivePaths }).add(
              used.map((glob) => ({ pattern: glob.normalize("NFC") })),
            ).test(touched.normalize("NFC")).ignored
            ? [`rule-${n}`]
            : [];
        });
        assert.deepEqual(hits.map(({ skill }) => skill.name), expected);
      },
    ),
    RUNS,
  );
});
