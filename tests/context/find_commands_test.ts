import assert from "node:assert/strict";
import {
  findCommands,
  findMarks,
} from "../../src/context/render/find_commands.ts";
import { MAX_READ } from "../../src/context/render/reading_guard.ts";

async function found(text: string): Promise<string[]> {
  return (await findCommands(text)).map((each) => each.text);
}

/** Every place a command may stand in, or not; the words say which. */
const TABLE: readonly (readonly [string, string, readonly string[]])[] = [
  ["a command alone", "!`echo main`", ["echo main"]],
  ["several in one text", "a !`one` b !`two two` c", ["one", "two two"]],
  ["in a heading", "# On !`git branch`", ["git branch"]],
  ["in a list", "- a\n  - !`x`\n", ["x"]],
  ["in a quotation", "> said !`x`\n", ["x"]],
  ["in emphasis", "**!`x`**", ["x"]],
  ["a double `!` leaves one", "!!`x`", ["x"]],
  ["two backticks around", "!``a `b` c``", ["a `b` c"]],
  ["one blank at both ends is left off", "!`` `x` ``", ["`x`"]],
  ["over a line's end, as one text", "!`a\nb`", ["a\nb"]],
  ["a backslash that is escaped itself", "\\\\!`x`", ["x"]],
  ["a stray backtick earlier", "a ` b !`x`", []],
  ["a stray backtick of another block", "a ` b\n\n!`x`", ["x"]],
  ["nothing between the backticks", "!`` `", []],
  ["inline code without a `!`", "`x`", []],
  ["a `!` apart from it", "! `x`", []],
  ["a `!` as a character reference", "&#33;`x`", []],
  ["escaped", "\\!`x`", []],
  ["escaped and real", "\\!`x` !`y`", ["y"]],
  ["escaped after an escaped backslash", "\\\\\\!`x`", []],
  ["within inline code", "`` !`x` ``", []],
  ["in a fence", "```\n!`x`\n```", []],
  ["escaped in a fence", "```\n\\!`x`\n```", []],
  ["in a fence of tildes", "~~~\n!`x`\n~~~", []],
  ["in a fence that is never closed", "```sh\n!`x`\n\n!`y`\n", []],
  [
    "between two fences",
    "```\na\n```\n!`x`\n```\n!`y`\n```",
    ["x"],
  ],
  [
    "in a fence of four that holds one of three",
    "````\n```\n!`x`\n```\n!`y`\n````\n!`z`",
    ["z"],
  ],
  ["in a fence in a quotation", "> ```\n> !`x`\n> ```\n\n!`y`", ["y"]],
  ["in a fence in a list", "- ```\n  !`x`\n  ```\n- !`y`", ["y"]],
  ["three backticks within a line", "a ``` !`x` ``` b", []],
  ["indented by four", "a\n\n    !`x`\n", []],
  ["indented by a tab", "a\n\n\t!`x`\n", []],
  ["indented in a paragraph", "a\n    !`x`\n", ["x"]],
  ["in a comment", "<!-- !`x` -->", []],
  ["in a comment over blank lines", "<!--\n\n!`x`\n\n-->\n\n!`y`", ["y"]],
  ["in a comment that is never closed", "<!--\n\n!`x`\n", []],
  ["in a comment within a line", "a <!-- !`x` --> b", []],
  ["after a comment that ends early", "a <!--> !`x`", ["x"]],
  ["in a block of HTML", "<div>\n!`x`\n</div>", []],
  ["in pre, over blank lines", "<pre>\n\n!`x`\n\n</pre>", []],
  ["in a tag", 'a <b title="!`x`">c</b>', []],
  ["between a tag and its end", "a <kbd>!`x`</kbd> !`y`", ["y"]],
  ["after a tag without an end", "a<br>!`x`", ["x"]],
  ["in a link's text", "[!`x`](http://a.example)", []],
  ["in a reference's text", "[!`x`]\n\n[!`x`]: http://a.example", []],
  ["in brackets that are no link", "[!`x`]", ["x"]],
  ["in an image's text", "![!`x`](a.png)", []],
  ["after an image's `!`", "![`x`](a.png)", []],
  ["in a link's address", "[a](b!`c`)", []],
  ["in an autolink", "<http://a!`x`>", []],
  ["in a definition", "[a]: http://a!`x`", []],
  ["CRLF", "a\r\n\r\n!`x`\r\n```\r\n!`y`\r\n```\r\n", ["x"]],
];

for (const [name, text, expected] of TABLE) {
  Deno.test(`findCommands: ${name}`, async () => {
    assert.deepEqual(await found(text), expected);
  });
}

// Lines 103 to 109 of the system whose page this follows, by what they say.
const BEHAVIOURS: typeof TABLE = [
  ["103: several, one of them with arguments", "!`a` !`b c`", ["a", "b c"]],
  ["104: empty, inline code, a fence", "!`` `` `a`\n\n```\n!`b`\n```", []],
  ["105: escaped beside real", "\\!`a`, !`b`", ["b"]],
  ["106: an open fence protects to the end", "!`a`\n\n```\n!`b`", ["a"]],
  [
    "108: unlike there, a stray backtick of another paragraph hides nothing",
    "it's a ` here\n\n!`a`",
    ["a"],
  ],
  [
    "108: unlike there, ~~~, indentation, comments and four backticks protect",
    "~~~\n!`a`\n~~~\n\n    !`b`\n\n<!-- !`c` -->\n\n````\n```\n!`d`\n```\n````",
    [],
  ],
];
for (const [name, text, expected] of BEHAVIOURS) {
  Deno.test(`findCommands: line ${name}`, async () => {
    assert.deepEqual(await found(text), expected);
  });
}

Deno.test("findCommands: offsets are right after a byte order mark, CRLF and characters of two units", async () => {
  const before = "\ufeff# 😀 é\r\n\r\n> 汉字 ";
  const text = `${before}!\`git status\` 😀\r\n> !\`\`b\`\` end`;
  const commands = await findCommands(text);
  assert.deepEqual(commands.map(({ start, end }) => text.slice(start, end)), [
    "!`git status`",
    "!``b``",
  ]);
  assert.equal(commands[0]?.start, before.length);
});

Deno.test("findMarks: the backslash of an escape is told, and only right before a code span", async () => {
  const text = "\\!`a` \\! b \\!c `d` `\\!` \\\\\\!`e`";
  const { escapes, commands } = await findMarks(text);
  assert.deepEqual(commands, []);
  assert.deepEqual(escapes, [0, text.indexOf("!`e") - 1]);
});

const HOSTILE: Readonly<Record<string, string>> = {
  "headings by the thousand": "a\n===\n".repeat(10_000),
  "lists in lists": "- - - - - a\n\n".repeat(5_000),
  "quotations in quotations": "> > > > a\n\n".repeat(5_000),
  "one deep quotation": ">".repeat(60_000),
  "one deep list": "1. ".repeat(20_000),
  "lists in quotations": "> - ".repeat(15_000),
  "code spans": "`a` ".repeat(15_000),
  "links that never end": "[a](".repeat(15_000),
  "emphasis": "*".repeat(30_000) + "a" + "*".repeat(30_000),
  "instructions that never end": "a <?".repeat(15_000),
  "backticks of every length": Array.from(
    { length: 350 },
    (_, i) => "`".repeat(i + 1),
  ).join(" "),
  "a long text": "a ".repeat(MAX_READ),
};
for (const [name, text] of Object.entries(HOSTILE)) {
  Deno.test(`findMarks: ${name} are read, or given up with a reason`, async () => {
    const marks = await findMarks(`${text}\n\n!\`x\`\n`);
    if (marks.unread === undefined) {
      assert.deepEqual(marks.commands.map((each) => each.text), ["x"]);
    } else {
      assert.deepEqual(marks.commands, []);
      assert.match(marks.unread, /longer than|too deep|links|too long/);
    }
  });
}
