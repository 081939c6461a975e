/** Numbers are those of the behaviours that triggers are held against. */

import assert from "node:assert/strict";
import { compiled, globs, matchGlob, skillOf } from "./trigger_skills.ts";

/** Globs, paths that they match, and paths that they do not. */
const TABLE: readonly [globs: string[], hits: string[], misses: string[]][] = [
  // 56
  [
    ["src/api/**/*.ts"],
    ["src/api/x.ts", "src/api/v1/deep/x.ts"],
    ["src/x.ts", "lib/src/api/x.ts", "src/api/x.tsx"],
  ],
  // 57
  [["**/*.test.tsx"], ["a.test.tsx", "src/x/a.test.tsx"], ["a.test.ts"]],
  // 58
  [["*.ts"], ["a.ts", "x/y/a.ts", ".ts"], ["a.tsx", "ts"]],
  [["Makefile"], ["Makefile", "x/y/Makefile"], ["makefile", "Makefile.am"]],
  // 59
  [["src/*/x.ts"], ["src/a/x.ts"], ["src/a/b/x.ts", "src/x.ts"]],
  [["a/*.ts"], ["a/c.ts"], ["a/b/c.ts", "x/a/c.ts"]],
  // 60
  [["src/**"], ["src/a", "src/a/b"], ["a/b/x.ts", "src"]],
  // 61
  [["?.ts"], ["a.ts", "x/b.ts"], ["ab.ts", ".ts"]],
  [["a?b"], ["axb"], ["a/b", "ab"]],
  // 62
  [["a.b+(c)"], ["a.b+(c)"], ["axb+(c)", "a.bb(c)"]],
  [["SRC/*.ts"], ["SRC/a.ts"], ["src/a.ts"]],
  [["*"], [".env", "x/.hidden"], []],
  // 75, as git has it
  [["*.ts", "!*.test.ts"], ["a.ts"], ["a.test.ts", "x/b.test.ts"]],
  [["src/*", "!src/a.ts"], ["src/b.ts"], ["src/a.ts"]],
  [
    ["*.ts", "!*.test.ts", "keep.test.ts"],
    ["a.ts", "keep.test.ts"],
    ["a.test.ts"],
  ],
  [["[ab].ts"], ["a.ts", "x/b.ts"], ["c.ts"]],
  [["[!ab].ts"], ["c.ts"], ["a.ts"]],
  [["v[0-9]/*.ts", "[[:digit:]]x"], ["v1/a.ts", "1x"], ["vx/a.ts", "ax"]],
  [["/src/*.ts"], ["src/a.ts"], ["x/src/a.ts"]],
  [["src/"], ["src/a", "src/x/y", "lib/src/a", "src/"], ["src", "mysrc/a"]],
  [["src"], ["src", "src/a", "x/src/y"], ["srcs/a"]],
  [["a/**/b"], ["a/b", "a/x/y/b"], ["ab"]],
  [["foo*bar/"], ["fooxbar/a"], ["foo/bar/a"]],
  [["\\!x", "\\#y", "z\\*"], ["!x", "#y", "z*"], ["x", "y", "zz"]],
  [["a b"], ["a b", "a b/c"], ["a"]],
  [["trailing  "], ["trailing"], []],
  [["caf\u00e9/*"], ["caf\u00e9/a", "cafe\u0301/a"], ["cafe/a"]],
  [["**"], ["a", "a/b"], []],
  [["/*"], ["a", "a/b"], []],
];

Deno.test("match: globs match as git has them, and nothing that looks alike", async (t) => {
  for (const [patterns, hits, misses] of TABLE) {
    await t.step(JSON.stringify(patterns), async () => {
      for (const path of hits) {
        assert.ok(await matchGlob(patterns, path) !== undefined, path);
      }
      for (const path of misses) {
        assert.equal(await matchGlob(patterns, path), undefined, path);
      }
    });
  }
});

Deno.test("match: the glob that decided is named, as it is written", async () => {
  const patterns = ["*.ts", "!*.test.ts", "keep.test.ts", "src/ ", "/src/a"];
  const rows: [path: string, glob: string | undefined][] = [
    ["a.ts", "*.ts"],
    ["a.test.ts", undefined],
    ["keep.test.ts", "keep.test.ts"],
    ["src/a", "src/ "],
    ["src/x.test.ts", "src/ "],
  ];
  for (const [path, glob] of rows) {
    assert.equal(await matchGlob(patterns, path), glob, path);
  }
});

Deno.test("match: two rules on one path both come up, a third that does not match stays away", async () => { // 68
  const triggers = await compiled([
    skillOf("b", globs("*.ts")),
    skillOf("a", globs("src/")),
    skillOf("c", globs("docs/")),
  ]);
  const { hits } = await triggers.match({ paths: ["src/x.ts"] });
  assert.deepEqual(hits.map(({ skill }) => skill.name), ["a", "b"]);
});

Deno.test("match: a rule comes up once, for the first path that it matches", async () => { // 69
  const triggers = await compiled([skillOf("rule", globs("*.ts"))]);
  const { hits } = await triggers.match({
    paths: ["README.md", "b.ts", "a.ts", "b.ts"],
  });
  assert.deepEqual(hits.map(({ at }) => at), [{ in: "path", path: "b.ts" }]);
});

Deno.test("compileTriggers: caseInsensitivePaths takes paths whatever their case", async () => {
  const options = { caseInsensitivePaths: true };
  for (const glob of ["SRC/*.TS", "src/a.ts", "*.Ts", "SR?/", "\u00c9*/**"]) {
    const path = glob.startsWith("\u00c9") ? "\u00e9x/A.ts" : "Src/A.ts";
    assert.equal(await matchGlob([glob], path, options), glob);
    assert.equal(await matchGlob([glob], path), undefined, glob);
  }
});

Deno.test("compileTriggers: a glob that can never match is a problem that says why", async () => { // 63
  const bad: [glob: string, why: RegExp][] = [
    ["", /empty/],
    ["  ", /empty/],
    ["!", /empty/],
    ["# a comment", /comment/],
    ["./x", /without \. and \.\. segments/],
    ["../x", /without \. and \.\. segments/],
    ["src/../x", /without \. and \.\. segments/],
    ["src/.", /without \. and \.\. segments/],
    ["a//b", /empty segment/],
    ["//", /no file/],
    ["/", /no file/],
    ["x\\", /backslash/],
    ["x\\/", /backslash/],
    ["[ab", /\[ is not closed/],
    ["[[:letter:]]", /\[ is not closed/],
    ["a\nb", /no path can hold/],
    ["a\0b", /no path can hold/],
    ["\ud800", /no path can hold/],
    ["!x", /nothing before it/],
    ["**/a/**/b/**/c/**/d", /more than three/],
    ["*[a]*[a]*[a]*[a]*", /wildcards/],
    ["x".repeat(1100), /longer than/],
  ];
  for (const [glob, why] of bad) {
    const alone = await compiled([skillOf("rule", globs(glob))]);
    assert.match(alone.problems[0]?.detail ?? "", why, JSON.stringify(glob));
    assert.match(alone.problems[1]?.detail ?? "", /never applies/, glob);
    assert.ok(alone.problems.every(({ hint }) => hint !== ""));
    const beside = await compiled([skillOf("rule", globs(glob, "*.ts"))]);
    assert.deepEqual(
      beside.problems.map(({ skill, reason }) => [skill, reason]),
      [["rule", "trigger"]],
    );
    const { hits: [hit] } = await beside.match({ paths: ["a.ts"] });
    assert.equal(hit?.matched, "*.ts", glob);
  }
});

Deno.test("compileTriggers: what does less than it seems to is a problem, and is used", async () => {
  const odd: [globs: string[], why: RegExp][] = [
    [["*.{ts,tsx}"], /braces/],
    [["src\\api"], /backslash/],
    [["src/", "!src/a.ts"], /still matches/],
    [["docs", "!/docs/x/y.md"], /still matches/],
  ];
  for (const [patterns, why] of odd) {
    const triggers = await compiled([skillOf("rule", globs(...patterns))]);
    assert.deepEqual(triggers.problems.length, 1, patterns.join(" "));
    assert.match(triggers.problems[0]!.detail, why);
  }
  assert.equal(await matchGlob(["src/", "!src/a.ts"], "src/a.ts"), "src/");
  assert.equal(await matchGlob(["*.{ts,tsx}"], "a.ts"), undefined);
  const fine = await compiled([
    skillOf("a", globs("src/*", "!src/a.ts")),
    skillOf("b", globs("*.ts", "!x.ts", "![ab].ts", "\\{a,b\\}")),
    skillOf("c", globs("a]b", "[]x]", "[!]x]", "\\[a", "[a\\]b]", "!\\!x")),
  ]);
  assert.deepEqual(fine.problems, []);
});

Deno.test("compileTriggers: an empty list of globs is a rule that never applies", async () => { // 64
  const triggers = await compiled([skillOf("rule", globs())]);
  assert.match(triggers.problems[0]!.detail, /never applies/);
});
