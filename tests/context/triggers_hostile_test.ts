/**
 * Texts, patterns and globs made to take long. Each has to end; how much longer
 * than a harmless one of the same length it may take is bounded generously.
 */

import assert from "node:assert/strict";
import { RE2JS } from "re2js";
import { PatternMaker } from "../../src/context/triggers/patterns.ts";
import type { Triggers } from "../../src/context/types.ts";
import {
  compiled,
  globs,
  keywords,
  matchWords,
  skillOf,
  task,
} from "./trigger_skills.ts";

const MEGABYTE = 1_000_000;
const filled = (piece: string) =>
  piece.repeat(Math.ceil(MEGABYTE / piece.length)).slice(0, MEGABYTE);

const TEXTS: Readonly<Record<string, string>> = {
  backticks: filled("`"),
  "backticks of every length": Array.from(
    { length: 1_400 },
    (_, n) => "`".repeat(n),
  ).join(" git "),
  "backticks that never pair": filled("`git ``git "),
  "unclosed fence": "```\n" + filled("git\n"),
  fences: filled("```\n"),
  tildes: filled("~~~ git\n"),
  quotes: filled(">") + " `git`",
  "quoted fences": filled("> ```\n> git\n"),
  lists: filled("- ") + "`git`",
  "nested lists": Array.from(
    { length: 1_400 },
    (_, n) => " ".repeat(n) + "- git",
  ).join("\n"),
  brackets: filled("[") + "`git`",
  stars: filled("*a **git `"),
  angles: filled("<a `git ") + "`",
  comments: filled("<!-- git `\n\n"),
  indented: filled("    git\n\n"),
  "indented line": "    " + filled("git "),
  escapes: filled("\\`git"),
  blanks: filled(" ") + "git",
  lines: filled("\r\n") + "git",
  "carriage returns": filled("`git`\r"),
  NUL: filled("\0git`"),
  "lone surrogates": filled("\ud800git`\udc00"),
  "marks in disorder": "e" + filled("\u0301\u0323") + " git",
  marks: "e" + filled("\u0301") + " git",
  "marks and letters": filled("e\u0301") + " git",
  "one word": filled("git"),
  "one word of capitals": filled("GİTß"),
  ideographs: filled("\u65e5\u672c"),
  emoji: filled("\u{1f680}\u200d"),
  slashes: filled("/") + "git",
  "slash words": filled("/git("),
  "opening brackets": filled("(") + "/git",
  "closing tags": filled("</EXTRA_INFO "),
};

async function hostile(): Promise<Triggers> {
  return await compiled([
    skillOf("git", keywords("git", "git git", "`git`", "/git")),
    skillOf("code", { kind: "keyword", keywords: ["git"], inCode: true }),
    skillOf("signs", keywords("`", "```", "[", "<", "e\u0301", "\u65e5\u672c")),
    skillOf("task", task(["/fix", "fix bug"])),
    skillOf("pattern", keywords("re:(g+i+t+)+x", "re:gi.*t`")),
  ]);
}

Deno.test("match: ends on texts made to take long, and offsets point at the text", async (t) => {
  const triggers = await hostile();
  for (const [name, message] of Object.entries(TEXTS)) {
    await t.step(name, async () => {
      const { hits, near } = await triggers.match({ message });
      assert.ok(near.length <= 20);
      for (const { at } of hits) {
        assert.ok(at.in === "message");
        const { offset, text } = at;
        assert.equal(message.slice(offset, offset + text.length), text);
      }
    });
  }
});

Deno.test("match: of a piece too long to be parsed, code is told line by line", async () => {
  const long = "word ".repeat(2_000);
  const deep = "> - ".repeat(100);
  const rows: [text: string, counts: boolean][] = [
    [`${long}\`git\``, false],
    [`${long}\`x\` git \`y\``, true],
    [`\`git\`\n\n${long}\`x\``, false],
    [`${long}\n\`\`\`\ngit\n\`\`\``, false],
    [`1. ${long}\n   ~~~\n   git\n   ~~~`, false],
    [`1. ${long}\n   ~~~\n   x\n   ~~~\n   git`, true],
    [`1. ${long}\n   ~~~\n   git`, false],
    [`${deep}\`git\``, false],
    [`${deep}\`x\` git`, true],
  ];
  for (const [text, counts] of rows) {
    const { hits } = await matchWords(["git"], text);
    assert.equal(hits.length === 1, counts, text.slice(-40));
  }
});

Deno.test("re: bombs of other engines end", async () => {
  const bombs = [
    "(x+x+)+y",
    "(a|aa)+$b",
    "(a*)*b",
    "([a-zA-Z]+)*1",
    "(.*a){20}b",
    "(a|a)*b",
    "^(a+)+$b",
    "(.*)(.*)(.*)(.*)(.*)=",
  ];
  const triggers = await compiled([
    skillOf("bombs", keywords(...bombs.map((bomb) => `re:${bomb}`))),
  ]);
  assert.deepEqual(triggers.problems, []);
  for (const letter of ["a", "x", "aA1 "]) {
    const message = letter.repeat(100_000);
    assert.ok(Array.isArray((await triggers.match({ message })).hits));
  }
});

Deno.test("re: a pattern looks into the start of a long message alone", async () => {
  const near = "x".repeat(100_000) + " needle";
  assert.equal((await matchWords(["re:needle"], near)).hits.length, 1);
  const far = "x".repeat(300_000) + " needle";
  assert.equal((await matchWords(["re:needle"], far)).hits.length, 0);
  assert.equal((await matchWords(["needle"], far)).hits.length, 1);
});

/** Sums steps times characters of all looks into texts. */
function counting(): { engine: typeof RE2JS; work: () => number } {
  let work = 0;
  const engine = new Proxy(RE2JS, {
    get(target, key) {
      if (key !== "compile") return Reflect.get(target, key);
      return (...args: Parameters<typeof RE2JS.compile>) => {
        const compiled = target.compile(...args);
        const size = compiled.programSize();
        const matcher = compiled.matcher.bind(compiled);
        compiled.matcher = (text: string) => {
          const made = matcher(text);
          const find = made.find.bind(made);
          let from = 0;
          made.find = () => {
            work += size * (text.length - from);
            const found = find();
            from = found ? made.end() : text.length;
            return found;
          };
          return made;
        };
        return compiled;
      };
    },
  });
  return { engine, work: () => work };
}

Deno.test("re: what all patterns of a stranger take of one message is bounded", () => {
  const { engine, work } = counting();
  const maker = new PatternMaker(engine);
  const bombs = [
    ...Array.from({ length: 15 }, (_, n) => `(x?){240}y${n}`),
    // Each look goes to the end of the text, and finds something at its start.
    "x(.*y)?",
  ].map((source) => maker.compile(source, "workspace"));
  const before = work();
  for (const bomb of bombs) {
    assert.ok(typeof bomb !== "string", String(bomb));
    assert.ok([...bomb.places("x".repeat(200_000))].length <= 100);
  }
  assert.ok(work() > before);
  assert.ok(work() - before <= 4_000_000, `${work() - before}`);
});

Deno.test("re: a stranger's patterns do not shorten what the owner's see", async () => {
  const bombs = Array.from({ length: 15 }, (_, n) => `re:(x?){240}y${n}`);
  const triggers = await compiled([
    skillOf("owner", keywords("re:needle")),
    skillOf("workspace/x", keywords(...bombs), { workspace: "/work" }),
    skillOf("workspace/y", keywords("re:^x+"), { workspace: "/work" }),
  ]);
  assert.deepEqual(triggers.problems, []);
  const message = `${"x".repeat(100_000)} needle`;
  const { hits } = await triggers.match({ message });
  assert.deepEqual(hits.map(({ skill }) => skill.name), [
    "owner",
    "workspace/y",
  ]);
});

Deno.test("match: globs made to take long end, on the longest and deepest of paths", async () => {
  const patterns = [
    "**/a/**/a/**/b",
    "*a*a*a*a*a*a*a*a*b",
    "a**a**a**b",
    "*[a]*[a]*[a]b",
    "?*?*?*b",
    "**/*a*/**/*a*/**/*b",
    "a*/a*/a*/a*/a*/a*/a*/b",
  ];
  const triggers = await compiled([
    skillOf("slow", globs(...patterns)),
    ...patterns.map((glob, n) => skillOf(`slow-${n}`, globs(glob))),
  ]);
  assert.deepEqual(triggers.problems, []);
  const paths = [
    "a/".repeat(120) + "c",
    "aaaaaaaaaaaaaaa/".repeat(120) + "c",
    "a".repeat(4_000) + "c",
  ];
  const { hits, refusedPaths } = await triggers.match({ paths });
  assert.deepEqual([hits, refusedPaths], [[], []]);
});
