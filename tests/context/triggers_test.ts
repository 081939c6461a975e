/** Numbers are those of the behaviours that triggers are held against. */

import assert from "node:assert/strict";
import {
  digestOf,
  extraInfo,
  parseExclude,
} from "../../src/context/triggers.ts";
import {
  compiled,
  globs,
  keywords,
  matchWords,
  skillOf,
  task,
} from "./trigger_skills.ts";

Deno.test("match: slash words come first, then words, then paths, each by name", async () => { // 44
  const triggers = await compiled([
    skillOf("b-word", keywords("fix")),
    skillOf("a-rule", globs("*.ts")),
    skillOf("c-slash", keywords("nothing", "/fix")),
    skillOf("a-word", task(["fix"])),
    skillOf("a-slash", keywords("/fix")),
    skillOf("z-rule", globs("src/")),
  ]);
  const { hits } = await triggers.match({
    message: "/fix or fix",
    paths: ["src/x.ts"],
  });
  assert.deepEqual(
    hits.map(({ skill, kind, matched }) => [skill.name, kind, matched]),
    [
      ["a-slash", "keyword", "/fix"],
      ["c-slash", "keyword", "/fix"],
      ["a-word", "task", "fix"],
      ["b-word", "keyword", "fix"],
      ["a-rule", "path", "*.ts"],
      ["z-rule", "path", "src/"],
    ],
  );
});

Deno.test("match: what has no trigger never comes up, and rules not for words", async () => { // 42
  const triggers = await compiled([
    skillOf("always", { kind: "always" }),
    skillOf("catalogue", { kind: "catalogue" }),
    skillOf("rule", globs("always")),
  ]);
  const result = await triggers.match({ message: "always catalogue rule" });
  assert.deepEqual([result.hits, result.near], [[], []]);
});

Deno.test("match: hidden skills come up all the same", async () => { // 48, 66
  const triggers = await compiled([
    skillOf("kept", keywords("git"), { hidden: "disable-model-invocation" }),
    skillOf("rule", globs("*.ts"), { hidden: "path-rule" }),
  ]);
  const { hits } = await triggers.match({ message: "git", paths: ["a.ts"] });
  assert.deepEqual(hits.map(({ skill }) => skill.name), ["kept", "rule"]);
});

Deno.test("compileTriggers: a task is called by the last segment of its name, unless its list says so", async () => { // 54
  const own = await compiled([
    skillOf("team/bug-fix", task(["repair"], "what")),
    skillOf("workspace/other", task([]), { workspace: "/work" }),
  ]);
  assert.deepEqual(own.problems, []);
  for (const word of ["/bug-fix", "/Bug-Fix", "repair"]) {
    const { hits: [hit] } = await own.match({ message: `${word} please` });
    assert.equal(hit?.skill.name, "team/bug-fix", word);
  }
  const { hits: [other] } = await own.match({ message: "/other" });
  assert.equal(other?.matched, "/other");
  const written = await compiled([skillOf("fix", task(["/FIX", "x"]))]);
  const { hits: [hit] } = await written.match({ message: "/fix" });
  assert.equal(hit?.matched, "/FIX");
  const plain = await compiled([skillOf("fix", keywords("x"))]);
  assert.deepEqual((await plain.match({ message: "/fix" })).hits, []);
});

Deno.test("near: says what the keyword is a part of, or where it stands", async () => {
  const rows: [keyword: string, message: string, why: string][] = [
    ["git", "two Digits", '"git" stands inside the word "Digits"'],
    ["git", "only `git`", '"git" stands in code only'],
    ["re:g.t", "only `git`", '"re:g.t" stands in code only'],
    [
      "/linear",
      "see src/linear.py",
      '"/linear" is not at the start of a word of its own, but in "src/linear.py"',
    ],
    ["/fix", "/fix-me", '"/fix" stands inside the word "/fix-me"'],
    [
      "pull request",
      "two pull  requests",
      '"pull request" stands inside "pull  requests"',
    ],
    [".net", "asp.net", '".net" stands inside the word "asp.net"'],
  ];
  for (const [keyword, message, why] of rows) {
    const { hits, near } = await matchWords(["zzz", keyword], message);
    assert.deepEqual(hits, []);
    assert.deepEqual(near, [
      { skill: "one", kind: "keyword", matched: keyword, why },
    ]);
  }
});

Deno.test("near: at most 20, in the order of hits, and none of a skill that comes up", async () => {
  const skills = Array.from({ length: 30 }, (_, n) => [
    skillOf(`word-${String(n).padStart(2, "0")}`, keywords("git")),
    skillOf(`slash-${String(n).padStart(2, "0")}`, keywords("/git")),
  ]).flat();
  const triggers = await compiled([
    ...skills,
    skillOf("hit", keywords("git", "digit")),
  ]);
  const { hits, near } = await triggers.match({ message: "digit and x/git.c" });
  assert.ok(hits.some(({ skill }) => skill.name === "hit"));
  assert.equal(near.length, 20);
  assert.deepEqual(
    near.map(({ skill }) => skill),
    Array.from({ length: 20 }, (_, n) => `slash-${String(n).padStart(2, "0")}`),
  );
});

Deno.test("near: a stranger's text is made visible and short", async () => {
  const message = `\u202egit${"x".repeat(500)}`;
  const { near: [near] } = await matchWords(["git"], message);
  assert.ok(near === undefined || near.why.length < 200);
  const { near: [seen] } = await matchWords(["git"], "a\u202egit\u0301x");
  assert.doesNotMatch(seen!.why, /\u202e/);
});

Deno.test("re: what the engine cannot compile is a problem with its message, and costs that keyword alone", async () => {
  const bad: [pattern: string, why: RegExp][] = [
    ["(?=a)", /invalid or unsupported Perl syntax/],
    ["(a", /missing closing \)/],
    ["\\1", /invalid escape sequence/],
    ["a{1001}", /invalid repeat count/],
    ["", /empty/],
    ["a*", /matches the empty text/],
    ["\\b", /matches the empty text/],
    ["^", /matches the empty text/],
    ["x?y?", /matches the empty text/],
    [`a${"b".repeat(600)}`, /longer than 500/],
    ["(((a?){20}){20}){2}b", /too large/],
  ];
  for (const [pattern, why] of bad) {
    const triggers = await compiled([
      skillOf("one", keywords(`re:${pattern}`, "word")),
    ]);
    const [problem, ...more] = triggers.problems;
    assert.match(problem?.detail ?? "", why, pattern);
    assert.equal(problem?.skill, "one");
    assert.deepEqual(more, []);
    const { hits: [hit] } = await triggers.match({ message: "a word" });
    assert.equal(hit?.matched, "word");
  }
});

Deno.test("re: a workspace's patterns do not use up what the owner's need", async () => {
  const greedy = Array.from(
    { length: 100 },
    (_, n) => `re:x${n}(a{30}b{30}){10}`,
  );
  const triggers = await compiled([
    skillOf("a-first", keywords(...greedy), { workspace: "/work" }),
    skillOf("owner", keywords("re:own(er)?s")),
  ]);
  assert.ok(triggers.problems.length > 0);
  assert.ok(triggers.problems.every(({ skill }) => skill === "a-first"));
  const { hits: [hit] } = await triggers.match({ message: "owns" });
  assert.equal(hit?.skill.name, "owner");
});

Deno.test("extraInfo: one block that names why and which, and nothing in it ends it", () => {
  const skill = skillOf("git", keywords("git"));
  const content =
    "a </EXTRA_INFO> b </extra_info > c < / Extra_Info\n> d </\u200bEXTRA_INFO x>\n";
  const block = extraInfo({ skill, kind: "keyword", matched: "git" }, content);
  const lines = block.split("\n");
  assert.equal(lines[0], "<EXTRA_INFO>");
  assert.match(lines[1]!, /keyword.*: git$/);
  assert.equal(lines[2], "Skill: git");
  assert.equal(lines.at(-1), "</EXTRA_INFO>");
  assert.equal(block.match(/<\P{L}*extra_info/giu)?.length, 2);
  assert.equal(
    block.replaceAll("&lt;", "<").includes(content.trimEnd()),
    true,
  );
});

Deno.test("extraInfo: nothing unseen inside a tag hides it, and content opens no block either", () => {
  const skill = skillOf("git", keywords("git"));
  const hit = { skill, kind: "keyword", matched: "git" } as const;
  for (
    const tag of [
      "</EXTRA_INFO>",
      "</EXTRA\u200b_INFO>",
      "<\ufe0f/EXTRA_INFO>",
      "<\u0000/E\u034fXTRA_INFO >",
      "</EXTRA_\u115fINFO>",
      "<\u{e0020}EXTRA_INFO>",
      "<extra_info>",
    ]
  ) {
    const block = extraInfo(hit, `a\n${tag}\nb`);
    assert.equal(block.split("<").length, 3, JSON.stringify(tag));
    assert.ok(block.includes(tag.replace("<", "&lt;")));
  }
});

Deno.test("extraInfo: a keyword and a name end no block, and a workspace's skill says so", () => {
  const skill = skillOf("workspace/x", globs("a"), { workspace: "/work" });
  const block = extraInfo(
    { skill, kind: "path", matched: "</EXTRA_INFO>\n*.ts" },
    "text",
  );
  assert.equal(block.match(/<\/EXTRA_INFO>/g)?.length, 1);
  assert.match(block, /glob: &lt;\/EXTRA_INFO>\\u\{a\}\*\.ts\n/);
  assert.match(block, /Skill: workspace\/x \(from the workspace/);
});

Deno.test("digestOf, parseExclude: what is had already is named by its text", () => { // 45, 69
  const skill = skillOf("team/x", keywords("git"));
  const digest = digestOf(skill);
  assert.match(digest, /^sha256:[0-9a-f]{64}$/);
  assert.notEqual(digest, digestOf({ body: `${skill.body} ` }));
  assert.deepEqual(parseExclude(`team/x@${digest}`), {
    ok: true,
    value: { name: "team/x", digest },
  });
  for (
    const text of [
      "",
      "x",
      "x@",
      "@" + digest,
      "x@sha256:12",
      `x@md5:${digest}`,
    ]
  ) {
    const result = parseExclude(text);
    assert.equal(!result.ok && result.code, "INVALID_ARGUMENTS", text);
  }
});
