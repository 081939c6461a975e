import assert from "node:assert/strict";
import fc from "fast-check";
import { splitWords } from "../../src/context/render/words.ts";

const SPLIT: readonly (readonly [string, readonly string[]])[] = [
  ["git branch --show-current", ["git", "branch", "--show-current"]],
  ["  a \t b  ", ["a", "b"]],
  [`a 'b c' "d e"`, ["a", "b c", "d e"]],
  [`a'b'"c"d`, ["abcd"]],
  [`a '' ""`, ["a", "", ""]],
  [`a '|;&$><\`*?~#('`, ["a", "|;&$><`*?~#("]],
  [`a "|;&><*?~#('"`, ["a", "|;&><*?~#('"]],
  [`a "\\" \\\\ \\$ \\x"`, ["a", '" \\ $ \\x']],
  ["a \\| \\\\ \\' b\\ c", ["a", "|", "\\", "'", "b c"]],
  ["git show HEAD~1:a#b stash@{0}", [
    ...["git", "show", "HEAD~1:a#b", "stash@{0}"],
  ]],
  ["a !b ]", ["a", "!b", "]"]],
  ["git log --format=%h", ["git", "log", "--format=%h"]],
];
for (const [text, words] of SPLIT) {
  Deno.test(`splitWords: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(splitWords(text), { ok: true, words });
  });
}

const REFUSED: readonly (readonly [string, string])[] = [
  ["a | b", '"|" would be a pipe'],
  ["a; b", '";" would be a second command'],
  ["a && b", '"&" would be'],
  ["a $HOME", '"$" would be a substitution'],
  ["a $(b)", '"$" would be a substitution'],
  ['a "$HOME"', '"$" would be a substitution'],
  ["a `b`", '"`" would be a substitution'],
  ['a "`b`"', '"`" would be a substitution'],
  ["a > b", '">" would be a redirection'],
  ["a 2>&1", '">" would be a redirection'],
  ["a < b", '"<" would be a redirection'],
  ["(a)", '"(" would be a subshell'],
  ["a *.ts", '"*" would be a pattern'],
  ["a ?", '"?" would be a pattern'],
  ["a [b]", '"[" would be a pattern'],
  ["a ~/b", '"~" would be a home directory'],
  ["a #b", '"#" would be a comment'],
  ["A=b c", '"A=b" sets a variable'],
  ["a 'b", "a ' is never closed"],
  ['a "b', 'a " is never closed'],
  ["a \\", "ends in a backslash"],
  ["a\nb", "over a line's end"],
  ["a 'b\nc'", "over a line's end"],
  ["a\u0000b", "cannot be seen"],
  ["a \u202eb", "cannot be seen"],
  ["a\u00adb", "cannot be seen"],
  ["   ", "holds no word"],
  ["'' a", "first word is empty"],
  ["a ".repeat(65), "more than 64 words"],
  ["a".repeat(5000), "longer than"],
];
for (const [text, why] of REFUSED) {
  Deno.test(`splitWords: ${JSON.stringify(text).slice(0, 40)} is refused by name`, () => {
    const split = splitWords(text);
    assert.equal(split.ok, false);
    assert.ok(!split.ok && split.why.includes(why), JSON.stringify(split));
  });
}

Deno.test("splitWords: what it accepts a shell splits into the same words", async () => {
  const texts = fc.sample(
    fc.string({
      unit: fc.constantFrom(..."ab '\"\\ |;&$><`*?~#([]{}=!-%\t"),
      maxLength: 14,
    }),
    { numRuns: 4000, seed: 5 },
  );
  const accepted = texts.flatMap((text) => {
    const split = splitWords(text);
    return split.ok ? [{ text, words: split.words }] : [];
  });
  assert.ok(accepted.length > 100, String(accepted.length));
  const program = accepted.map(({ text }) =>
    `set -- ${text}\nprintf '%s\\0' "$#" "$@"`
  ).join("\n");
  const { stdout } = await new Deno.Command("/bin/sh", {
    args: ["-f", "-c", program],
    stdin: "null",
  }).output();
  const told = new TextDecoder().decode(stdout).split("\0");
  for (const { text, words } of accepted) {
    const count = Number(told.shift());
    assert.deepEqual(told.splice(0, count), words, JSON.stringify(text));
  }
});

Deno.test("splitWords: quoted words come back as they were", () => {
  const word = fc.string({ unit: "grapheme-ascii", maxLength: 12 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (rest) => {
      const words = ["a", ...rest];
      const text = words.map((each) => `'${each.replaceAll("'", `'\\''`)}'`)
        .join(" ");
      assert.deepEqual(splitWords(text), { ok: true, words });
    }),
  );
});
