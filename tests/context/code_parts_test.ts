import assert from "node:assert/strict";
import fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { CodeParts } from "../../src/context/triggers/code_parts.ts";
import { codeFinder } from "../../src/context/triggers/find_code.ts";
import { compiled, keywords, matchWords, skillOf } from "./trigger_skills.ts";

/** Texts with the word `git`, and whether it counts where it stands. */
const TABLE: readonly [text: string, counts: boolean][] = [
  ["git", true],
  ["`git`", false],
  ["`` git ` ``", false],
  ["`x` git `y`", true],
  ["`a\ngit b`", false],
  ["\\`git\\`", true],
  ["\\`git` and `x", true],
  ["see \\`git\\`", true],
  ["see `` \\`git` ``", false],
  ["see <a title='`'> git `", true],
  ["see <https://x.test/`> git `", true],
  ["see `a\nand git`\n", false],
  ["see `a\n\nand git`", true],
  ["an open ` and git", true],
  ["``git`", true],
  ["<a title='`'> git `", true],
  ["```\ngit\n```", false],
  ["```git\n```", false],
  ["~~~\ngit\n~~~", false],
  ["~~~\n```\n~~~\ngit", true],
  ["````\n```\ngit\n```\n````", false],
  ["````\n```\n````\ngit", true],
  ["```\nnever closed\n\ngit", false],
  ["```\nx\n```\n\ngit", true],
  ["```\nx\n``` y\ngit", false],
  ["``` x ```\ngit", true],
  ["   ```\n   git\n   ```", false],
  ["    git", false],
  ["\tgit", false],
  ["text\n    git", true],
  ["text\n\n    git", false],
  ["- item\n\n  git", true],
  ["- item\n\n    git", true],
  ["- item\n\n      git", false],
  ["-     git", false],
  ["> git", true],
  ["> ```\n> git\n> ```", false],
  ["> ```\ngit", true],
  [">     git", false],
  ["1. a\n   ```\n   git\n   ```", false],
  ["- a\n  ```\n  x\n\ngit", true],
  ["<div>\n```\n</div>\n\ngit", true],
  ["<div>\n\n```\ngit\n```\n</div>", false],
  ["<!--\n\n```\n\n-->\n\ngit", true],
  ["# git", true],
  ["# `git`", false],
  ["[git](x)", true],
  ["[`git`](x)", false],
  ["**git** and *`x`*", true],
  ["| `git` |\n| - |", false],
  ["```\r\ngit\r\n```\r\n", false],
  ["```\r\nx\r\n```\r\ngit", true],
  ["```\rgit\r```\r", false],
  ["\ufeff`x` git", true],
  ["\ufeff`git`", false],
  ["a\0`git`", false],
];

Deno.test("match: what stands in code does not count, by CommonMark", async (t) => {
  for (const [text, counts] of TABLE) {
    await t.step(JSON.stringify(text), async () => {
      const { hits, near } = await matchWords(["git"], text);
      assert.equal(hits.length === 1, counts);
      assert.equal(near.length, counts ? 0 : 1);
    });
  }
});

Deno.test("match: with in-code everything counts", async () => {
  const triggers = await compiled([
    skillOf("one", { kind: "keyword", keywords: ["git"], inCode: true }),
    skillOf("two", {
      kind: "task",
      keywords: ["re:gi(t)"],
      inCode: true,
      inputs: [],
    }),
    skillOf("no", keywords("git")),
  ]);
  for (const [text, counts] of TABLE) {
    const { hits } = await triggers.match({ message: text });
    assert.equal(hits.length, counts ? 3 : 2, text);
  }
});

Deno.test("match: a later place outside code still counts, and is the one named", async () => {
  for (const keyword of ["git", "re:g[i]t"]) {
    const message = "`git` and ```git```\n\n    git\n\n~~~\ngit\n~~~\nnow git";
    const { hits: [hit] } = await matchWords([keyword], message);
    assert.deepEqual(hit?.at, {
      in: "message",
      offset: message.lastIndexOf("git"),
      text: "git",
    });
  }
});

Deno.test("match: a phrase that reaches into code does not count", async () => {
  assert.deepEqual((await matchWords(["fix bug"], "fix\n`bug`")).hits, []);
  const message = "`fix`\nbug, and fix\nbug";
  const { hits: [hit] } = await matchWords(["fix bug"], message);
  assert.equal(hit?.at.in === "message" && hit.at.offset, 15);
});

Deno.test("CodeParts: tells the same as parsing the whole text at once", async () => {
  const find = await codeFinder();
  const piece = fc.constantFrom(
    ...'`|``|```|````|~~~|    |\t| |  |\n|\n\n|\r\n|>|> |- |-|1. |10) |<div>|</div>|<!--|-->|<pre>|</pre>|<a b="|">|<?|?>|git|word|\\|#|[x]: y|[|](|)|*|_|---|==|é|日本|&amp;|\0'
      .split("|"),
  );
  const line = fc.tuple(
    fc.constantFrom(
      ..."||||  |   |    |      |\t|> |> > |- |  - |1. |10) |* |-     |# "
        .split("|"),
    ),
    fc.constantFrom(
      ..."git|word|```|```js|~~~|````|`git`|`git|git`|x ``git` y|<div>|</div>|<!--|--> git|<pre>|</pre>|<a b=`>|[x]: git|---|===|- git|\\`git`||"
        .split("|"),
    ),
    fc.constantFrom("\n", "\n", "\n\n", "\r\n"),
  ).map((parts) => parts.join(""));
  const text = fc.oneof(
    fc.array(piece, { maxLength: 24 }),
    fc.array(line, { maxLength: 14 }),
  ).map((all) => all.join(""));
  fc.assert(
    fc.property(text, (message) => {
      // Where an indented block is before a list, or an item is empty, the
      // parser takes what follows otherwise than the specification has it.
      fc.pre(!/^(?: {4,}|\t)[^]*^(?:[-*]|\d+[.)])[ \t]/m.test(message));
      fc.pre(!/^[ >\t]*(?:[-*]|\d+[.)])\s*$/m.test(message));
      const code: [number, number][] = [];
      const walk = (node: ReturnType<typeof fromMarkdown> | Child) => {
        if (node.type === "code" || node.type === "inlineCode") {
          code.push([
            node.position!.start.offset!,
            node.position!.end.offset!,
          ]);
        } else if ("children" in node) node.children.forEach(walk);
      };
      walk(fromMarkdown(message));
      const parts = new CodeParts(message);
      for (const { index } of message.matchAll(/git|word|日本/g)) {
        const end = index + 2;
        const held = parts.mayHold(index, end) &&
          parts.holds(index, end, find);
        const really = code.some(([from, to]) => from < end && index < to);
        assert.equal(held, really, JSON.stringify(message));
      }
    }),
    { numRuns: 3_000 },
  );
});

type Child = ReturnType<typeof fromMarkdown>["children"][number];
