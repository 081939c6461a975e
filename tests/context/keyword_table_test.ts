/** Numbers are those of the behaviours that triggers are held against. */

import assert from "node:assert/strict";
import {
  compiled,
  keywords,
  matchWords,
  skillOf,
  task,
} from "./trigger_skills.ts";

/** A keyword, messages that it matches, and messages that it does not. */
type Row = [keyword: string, hits: string[], misses: string[]];

const TABLE: readonly Row[] = [
  // 33
  ["git", ["run git status", "git", "git status", "use git"], []],
  // 34
  ["GIT", ["git", "Git", "gIT"], []],
  // 35
  [
    "git",
    ["git!", "git.", "(git)", "git:status", "use-git-now", "my_git_repo"],
    [],
  ],
  ["git", ["a\ngit\nb", "a\tgit\tb", "a\r\ngit"], []],
  // 36, and the reports of substrings
  ["git", [], ["github", "digit", "legitimate", "git2", "2git", "two digits"]],
  ["issue", ["an issue"], ["tissue", "issues"]],
  ["linear", ["ask linear"], ["nonlinear model", "linearization", "bilinear"]],
  ["docker", ["docker"], ["dockerfile", "dockerize"]],
  // 37
  [
    "/linear",
    ["/linear", "/linear now", "use /linear now", "use /linear", "\n/linear\n"],
    ["/linearization", "src/linear.py", "linear", "a/linear", "./linear"],
  ],
  // 38
  [
    "pull request",
    ["a pull request.", "(pull request)", "pull request, please"],
    ["pullrequest", "pull requests", "pull a request"],
  ],
  // 39
  ["c++", ["write c++ code", "C++.", "(c++)"], ["c++today", "c++17", "c+"]],
  ["a.b", ["a.b", "see a.b!"], ["axb", "a.bc", "xa.b"]],
  ["c#", ["c# code", "in C#."], ["c#x", "abc#"]],
  // 49: accents belong to words, and white space is white space
  ["git", ["git \u00e9"], [
    "\u00e9git",
    "git\u00e9",
    "gite\u0301",
    "git\u0301",
  ]],
  [
    "fix bug",
    [
      "fix  bug",
      "fix\nbug",
      "fix\r\n\tbug",
      "Fix\u00a0BUG",
      "fix\u3000bug",
      "fix\u0085bug",
    ],
    ["fixbug", "fix-bug", "fix the bug"],
  ],
  // 50
  ["/fix", ["/fix it", "/fix!", "/fix.", "(/fix)"], ["/fix-me", "//fix"]],
  [".net", [".net", "use .NET 9", "(.net)"], ["asp.net", ".network"]],
  // slash words stand alone
  [
    "/fix",
    ['"/fix"', "'/fix'", "[/fix]", "\u00ab/fix\u00bb", "\u201c/fix\u201d"],
    [
      "https://example.com/fix",
      "[x](/fix)",
      'href="/fix"',
      "file:///fix",
      "/fix/me",
      "/fix.py",
      "/fix_me",
      "/fix:me",
      "/fix=1",
      "a/fix",
      "~/fix",
      "</fix>",
    ],
  ],
  ["/fix", ["\u8bf7\u8fd0\u884c\uff1a/fix\uff0c\u8c22\u8c22"], []],
  ["/team:fix", ["/team:fix now"], ["/team", "/fix", "x/team:fix"]],
  ["/fix bug", ["/fix  bug"], ["/fix bugs", "x/fix bug"]],
  // names with signs
  ["#tag", ["a #tag", "(#tag)"], ["foo#tag", "#tags"]],
  ["@name", ["@name: hi"], ["me@name", "@names"]],
  ["=>", ["a => b"], ["a=>b"]],
  // emoji are no part of words
  ["\u{1f680}", ["\u{1f680}", "x\u{1f680}launch", "\u{1f680}\ufe0f"], []],
  // scripts without blanks between words match inside text
  ["\u65e5\u672c", ["\u65e5\u672c\u8a9e", "\u6771\u65e5\u672c"], ["\u65e5"]],
  ["\u63d0\u4ea4", ["\u8bf7\u63d0\u4ea4\u4ee3\u7801"], []],
  ["\u304f\u3060", ["\u3066\u304f\u3060\u3055\u3044"], []],
  ["\u30b3\u30fc\u30c9", ["\u65b0\u30b3\u30fc\u30c9\u5316"], []],
  ["\ucf54\ub4dc", ["\ucf54\ub4dc\ub97c"], []],
  ["\u0e20\u0e32\u0e29\u0e32", ["\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22"], [
    "\u0e20\u0e32\u0e29",
  ]],
  // a word of another script ends where they begin
  ["git", ["\u4f7f\u7528git\u5427", "git\uc744", "git\u306f"], []],
  ["git\u63d0\u4ea4", ["\u7528git\u63d0\u4ea4\u5427"], ["digit\u63d0\u4ea4"]],
  // case of all letters
  ["stra\u00dfe", ["STRASSE", "Stra\u1e9ee", "strasse"], ["strass"]],
  ["STRASSE", ["stra\u00dfe"], []],
  ["istanbul", ["\u0130stanbul", "ISTANBUL", "i\u0307stanbul"], []],
  ["\u0130STANBUL", ["istanbul", "\u0131stanbul"], []],
  [
    "\u03a3\u039f\u03a6\u039f\u03a3",
    ["\u03c3\u03bf\u03c6\u03bf\u03c2", "\u03c3\u03bf\u03c6\u03bf\u03c3"],
    ["\u03c3\u03bf\u03c6\u03cc\u03c2"],
  ],
  ["\u0410\u041f\u0418", ["\u0430\u043f\u0438"], ["\u0430\u043f\u0438\u0438"]],
  // composed and decomposed
  ["caf\u00e9", ["cafe\u0301", "CAF\u00c9", "CAFE\u0301"], ["cafe"]],
  ["cafe\u0301", ["caf\u00e9"], []],
  ["\u1112\u1161\u11ab", ["\ud55c\uad6d"], []],
  ["fix", ["\ufb01x"], []],
  // edges are trimmed
  [" git ", ["git", "a git"], ["digit"]],
  ["\tfix\n bug ", ["fix bug"], []],
  // patterns
  ["re:fix(es|ed)? #\\d+", ["it Fixes #12", "fix #1"], ["fix #", "fixing #1"]],
  ["re:\\bgit\\b", ["a git b"], ["digit"]],
  ["re:^todo", ["a\nTODO: x"], ["a todo"]],
];

Deno.test("match: keywords match what the table says, and nothing that looks alike", async (t) => {
  for (const [keyword, hits, misses] of TABLE) {
    await t.step(JSON.stringify(keyword), async () => {
      const triggers = await compiled([skillOf("one", keywords(keyword))]);
      assert.deepEqual(triggers.problems, []);
      for (const message of hits) {
        const { hits: [hit], near } = await triggers.match({ message });
        assert.ok(hit?.at.in === "message", JSON.stringify(message));
        assert.equal(hit.matched, keyword);
        const { offset, text } = hit.at;
        assert.ok(text.length > 0);
        assert.equal(message.slice(offset, offset + text.length), text);
        assert.deepEqual(near, []);
      }
      for (const message of misses) {
        const result = await triggers.match({ message });
        assert.deepEqual(result.hits, [], JSON.stringify(message));
      }
    });
  }
});

Deno.test("compileTriggers: the same table holds for tasks", async () => { // 43
  for (const [keyword, hits, misses] of TABLE) {
    const triggers = await compiled([skillOf("one", task([keyword]))]);
    for (const message of hits) {
      const { hits: [hit] } = await triggers.match({ message });
      assert.equal(hit?.kind, "task", message);
      assert.equal(hit.matched, keyword);
    }
    for (const message of misses) {
      assert.deepEqual((await triggers.match({ message })).hits, [], message);
    }
  }
});

Deno.test("match: the offset points into the message as it was sent", async () => {
  const rows: [keyword: string, message: string, text: string][] = [
    ["strasse", "\u{1f600}e\u0301\n\n die STRA\u00dfE, ja", "STRA\u00dfE"],
    ["fix bug", "\ufb01 e\u0301 \u0130  fix \r\n bug", "fix \r\n bug"],
    ["caf\u00e9", "  A\u030a cafe\u0301.", "cafe\u0301"],
    ["\u65e5\u672c", "\ud800 \u6771\u65e5\u672c", "\u65e5\u672c"],
    ["end", "a  b \u00df\u00df end", "end"],
  ];
  for (const [keyword, message, text] of rows) {
    const { hits: [hit] } = await matchWords([keyword], message);
    assert.deepEqual(hit?.at, {
      in: "message",
      offset: message.lastIndexOf(text),
      text,
    });
  }
});

Deno.test("match: the first keyword of the list is named, wherever it stands", async () => { // 40
  const words = ["beta", "re:gam+a", "alpha", "/beta"];
  const rows: [message: string, matched: string][] = [
    ["alpha beta", "beta"],
    ["alpha gamma", "re:gam+a"],
    ["alpha /beta", "beta"],
    ["alpha", "alpha"],
  ];
  for (const [message, matched] of rows) {
    const { hits: [hit] } = await matchWords(words, message);
    assert.equal(hit?.matched, matched, message);
  }
});

Deno.test("match: an empty message and an empty keyword match nothing", async () => { // 41, 46, 47
  for (const words of [[""], ["  "], ["\u3000\n"]]) {
    const triggers = await compiled([skillOf("one", keywords(...words))]);
    assert.deepEqual(
      triggers.problems.map(({ skill, reason }) => [skill, reason]),
      [["one", "trigger"]],
    );
    for (const message of ["", " ", "git"]) {
      assert.deepEqual((await triggers.match({ message })).hits, []);
    }
  }
  for (const message of ["", "  ", undefined]) {
    const triggers = await compiled([skillOf("one", keywords("git"))]);
    assert.deepEqual(await triggers.match({ message }), {
      hits: [],
      near: [],
      refusedPaths: [],
    });
  }
});
