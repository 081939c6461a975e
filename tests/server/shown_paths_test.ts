import assert from "node:assert/strict";
import {
  AS_IT_IS,
  showAnswer,
  withWords,
} from "../../src/server/shown_paths.ts";

const SHOW = withWords([
  { path: "/srv/skills", label: "<root 1>" },
  { path: "/srv/skills/inner", label: "<root 2>" },
  { path: "/srv/with space+(x)", label: "<root 3>" },
  { path: "/data", label: "<data>" },
  { path: "/", label: "<never>" },
], "/tmp");

Deno.test("withWords: a directory's word stands for it, the deeper one first", () => {
  for (
    const [text, shown] of [
      ["/srv/skills", "<root 1>"],
      ["in /srv/skills.", "in <root 1>."],
      ["/srv/skills/a/b.ts", "<root 1>/a/b.ts"],
      ["/srv/skills/inner/a", "<root 2>/a"],
      [
        "--allow-read=/srv/skills/a,/data/x",
        "--allow-read=<root 1>/a,<data>/x",
      ],
      ["at file:///srv/skills/a.ts:3:5", "at file://<root 1>/a.ts:3:5"],
      ["/srv/with space+(x)/a", "<root 3>/a"],
      ["file:///srv/with%20space+(x)/a", "file://<root 3>/a"],
      ["/tmp/skillfence-a1B2/out", "<run>/out"],
    ]
  ) assert.equal(SHOW.text(text!), shown);
});

Deno.test("withWords: a longer name, a name inside another path and the root of everything are left alone", () => {
  for (
    const text of [
      "/srv/skills2",
      "/srv/skills-old/a",
      "/srv/skills.bak/a",
      "/srv/skillsé",
      "/other/srv/skills",
      "my.data/srv/skills",
      "/",
      "/tmp/other",
      "<root 1>/a",
    ]
  ) assert.equal(SHOW.text(text), text);
});

Deno.test("withWords: where a link leads out to is not told, where it leads inside is", () => {
  const shown = (detail: string, reason = "symlink-escape") =>
    SHOW.value({ problems: [{ reason, detail }] }).problems[0]!.detail;
  for (
    const [target, word] of [
      ["/home/owner/work", "<elsewhere>"],
      ['/home/ow"ner/work', "<elsewhere>"],
      ["../../home/owner", "<elsewhere>"],
      ["a/../../..", "<elsewhere>"],
      ["/srv/skills/a", "<root 1>/a"],
      ["loop", "loop"],
    ]
  ) {
    assert.equal(
      shown(`broken link: it is not there ("${target}"), not followed`),
      `broken link: it is not there ("${word}"), not followed`,
    );
  }
  assert.equal(
    shown('SKILL.md is a link out of the root, to "/etc/passwd"'),
    'SKILL.md is a link out of the root, to "<elsewhere>"',
  );
  assert.equal(shown('a reference "/x"', "other"), 'a reference "/x"');
});

Deno.test("showAnswer: every string of a structured answer and of a refusal is shown, and the Plan says so", () => {
  const plan = {
    cwd: "/srv/skills/a",
    confinement: { command: ["bwrap", "/usr"] },
    notes: ["one"],
    digest: "sha256:x",
  };
  const shown = showAnswer({
    kind: "structured",
    value: { list: [{ deep: "/data/x" }], count: 1, none: null, plan },
    // deno-lint-ignore no-explicit-any
  }, SHOW) as any;
  assert.deepEqual(shown.value.list, [{ deep: "<data>/x" }]);
  assert.equal(shown.value.count, 1);
  assert.equal(shown.value.none, null);
  assert.equal(shown.value.plan.cwd, "<root 1>/a");
  assert.deepEqual(shown.value.plan.confinement.command, []);
  assert.equal(shown.value.plan.digest, "sha256:x");
  assert.match(shown.value.plan.notes.at(-1), /the digest covers them/);
  const refused = showAnswer({
    kind: "refused",
    refusal: {
      ok: false,
      code: "PREFLIGHT",
      message: "/data/x",
      hint: "/data",
    },
    // deno-lint-ignore no-explicit-any
    plan: plan as any,
    // deno-lint-ignore no-explicit-any
  }, SHOW) as any;
  assert.equal(refused.refusal.message, "<data>/x");
  assert.equal(refused.plan.cwd, "<root 1>/a");
});

Deno.test("showAnswer: files of skills, and everything on stdio, stay as they are", () => {
  const text = { kind: "text", blocks: ["/srv/skills"] } as const;
  assert.equal(showAnswer(text, SHOW), text);
  const value = { kind: "structured", value: { at: "/srv/skills" } } as const;
  assert.equal(showAnswer(value, AS_IT_IS), value);
});
