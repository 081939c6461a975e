import assert from "node:assert/strict";
import fc from "fast-check";
import { matchArguments } from "../../src/cli/match/arguments.ts";
import { answerForm, CLIENT_NAMES } from "../../src/cli/match/clients.ts";
import { compose } from "../../src/cli/match/compose.ts";
import { patchPaths } from "../../src/cli/match/patch_paths.ts";
import { readPayload } from "../../src/cli/match/payload.ts";
import { readBody, unread } from "../../src/cli/match/read_hit.ts";
import { commandLine } from "../../src/cli/hook/command_line.ts";
import { needlesOf, possible } from "../../src/context/index/needles.ts";
import { standing } from "../../src/context/index/standing.ts";
import { compileTriggers } from "../../src/context/triggers.ts";
import type { Activation } from "../../src/skill/types.ts";
import { makeTree } from "../support/tree.ts";

Deno.test("patchPaths: every file that a patch adds, changes, removes or renames", () => {
  const patch = `*** Begin Patch
*** Update File: src/a b.ts
*** Move to: src/c.ts
@@
- *** Update File: not a header
*** Add File: new.ts
+x
*** Delete File: old.ts
*** Update File: src/a b.ts
*** End Patch`;
  assert.deepEqual(patchPaths(patch), [
    "src/a b.ts",
    "src/c.ts",
    "new.ts",
    "old.ts",
  ]);
  assert.deepEqual(patchPaths("no patch"), []);
});

Deno.test("readPayload: prompt, event, paths and places of every client's shape", () => {
  const read = (value: unknown, patches = false) =>
    readPayload(JSON.stringify(value), { patches });
  assert.deepEqual(
    read({ hook_event_name: "UserPromptSubmit", prompt: "p", cwd: "/w" }),
    {
      event: "UserPromptSubmit",
      message: "p",
      paths: [],
      workspaces: ["/w"],
      cwd: "/w",
    },
  );
  assert.deepEqual(
    read({ tool_input: { file_path: "/w/a.ts" }, workspace_roots: ["/r"] }),
    {
      event: undefined,
      message: undefined,
      paths: ["/w/a.ts"],
      workspaces: ["/r"],
      cwd: "/r",
    },
  );
  const patch = { tool_input: { command: ["apply_patch", "*** Add File: n"] } };
  assert.deepEqual(read(patch, true)?.paths, ["n"]);
  assert.deepEqual(read(patch)?.paths, []);
  assert.deepEqual(read({ paths: ["a", 1, "", "a", "b\0"] })?.paths, ["a"]);
  assert.equal(read([]), undefined);
  assert.equal(readPayload("{", { patches: true }), undefined);
});

Deno.test("readPayload and answerForm: never fail, whatever comes (property)", () => {
  fc.assert(fc.property(fc.json(), fc.string(), (json, text) => {
    readPayload(text, { patches: true });
    const payload = readPayload(json, { patches: true });
    for (const client of CLIENT_NAMES) {
      answerForm(client, payload?.event, payload?.message !== undefined);
    }
  }));
});

Deno.test("answerForm: an event that takes no text is none", () => {
  assert.equal(answerForm("cursor", "beforeSubmitPrompt", true), undefined);
  assert.equal(answerForm("claude", "Stop", false), undefined);
  assert.equal(answerForm("claude", "constructor", false), undefined);
  assert.equal(answerForm("nobody", undefined, true), undefined);
  assert.equal(
    answerForm("gemini", undefined, false)?.answer("t"),
    '{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"t"}}',
  );
});

Deno.test("compose: blocks where they fit, lines where not, the rest counted, in order", () => {
  const hit = (n: number, size: number) => ({
    block: `block${n} ${"x".repeat(size)}`,
    line: `line${n}`,
  });
  const within = (most: number) => (text: string) => text.length <= most;
  assert.equal(
    compose([hit(1, 5), hit(2, 5)], within(200)),
    [
      "block1 xxxxx",
      "block2 xxxxx",
    ].join("\n\n"),
  );
  assert.equal(
    compose([hit(1, 5), hit(2, 900), hit(3, 5)], within(200)),
    "block1 xxxxx\n\nline2\n\nblock3 xxxxx",
  );
  const many = Array.from({ length: 100 }, (_, n) => hit(n, 10));
  const text = compose(many, within(150))!;
  assert.match(text, /^line0\n\nline1\n\n/);
  assert.match(text, /\n\n\d+ more skills match; skill_match names them\.$/);
  assert.ok(text.length <= 150);
  assert.equal(compose(many, within(10)), undefined);
  assert.equal(compose([], within(10)), undefined);
});

const keyword = fc.oneof(
  fc.constantFrom("git", "GIT", "c++", "/fix", "fix bug", "re:gi.", "ﬁx", "++"),
  fc.string({ maxLength: 6 }),
);
const message = fc.array(
  fc.oneof(
    fc.constantFrom(
      "git ",
      "Git.",
      "c++ ",
      "/fix",
      "fix  bug",
      "fi\nx",
      "ﬁx",
      "s ",
    ),
    fc.string({ maxLength: 6 }),
  ),
  { maxLength: 8 },
).map((parts) => parts.join(""));

Deno.test("possible: whoever comes up was not left out beforehand (property)", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.array(keyword, { minLength: 1, maxLength: 3 }), {
      maxLength: 5,
    }),
    message,
    async (keywordLists, message) => {
      const skills = keywordLists.map((keywords, index) => {
        const activation: Activation = index % 2 === 0
          ? { kind: "keyword", keywords, inCode: false }
          : { kind: "task", keywords, inCode: true, inputs: [] };
        return unread({
          name: `dir/s${index}`,
          file: "/x",
          activation,
          hidden: undefined,
          flat: false,
          workspace: undefined,
        });
      });
      const triggers = await compileTriggers(skills, { workspaces: [] });
      const { hits } = await triggers.match({ message });
      const isPossible = possible({ message });
      for (const { skill } of hits) {
        assert.ok(
          isPossible(needlesOf(skill.name, skill.activation)),
          JSON.stringify([skill.activation, message]),
        );
      }
    },
  ));
});

Deno.test("possible: of many skills few are left", () => {
  const of = (...keywords: string[]) =>
    needlesOf("s", { kind: "keyword", keywords, inCode: false });
  const rule = needlesOf("s", { kind: "path", globs: ["*.ts"] });
  const isPossible = possible({ message: "Fix the Kubernetes pod" });
  assert.equal(isPossible(of("terraform", "git")), false);
  assert.equal(isPossible(of("terraform", "KUBERNETES pod")), true);
  assert.equal(isPossible(rule), false);
  assert.equal(possible({ paths: ["a"] })(of("a", "+")), false);
  assert.equal(possible({ paths: ["a"] })(rule), true);
});

Deno.test("matchArguments: flags of the server in any place, and nothing else", () => {
  assert.deepEqual(
    matchArguments(
      "--skills /a --stdin --client=codex --workspace /w --within 50".split(
        " ",
      ),
    )?.flags.workspaces,
    ["/w"],
  );
  const plain = matchArguments(["--stdin", "--client", "claude"]);
  assert.equal(plain?.client, "claude");
  assert.equal(plain?.withinMs, 300);
  assert.equal(matchArguments(["--within", "x"])?.withinMs, 300);
  assert.equal(matchArguments(["--bogus"]), undefined);
  assert.equal(matchArguments(["serve"]), undefined);
  assert.equal(matchArguments(["extra"]), undefined);
});

Deno.test("commandLine: a shell reads the words back", async () => {
  const words = ["plain/a.b-c", "with space", "it's", '$HOME `x` "q" \\', ""];
  const line = commandLine(["printf", "%s\\n", ...words], false);
  const { stdout } = await new Deno.Command("sh", { args: ["-c", line] })
    .output();
  assert.equal(new TextDecoder().decode(stdout), `${words.join("\n")}\n`);
  assert.equal(
    commandLine(["C:\\a b\\s.exe", "C:\\x"], true),
    '"C:\\a b\\s.exe" C:\\x',
  );
});

Deno.test("readBody: a file reached through a link, a pipe or a directory is not read", async () => {
  await using tree = await makeTree({
    "skill/SKILL.md": "---\nname: x\n---\nBody.\n",
    "linked": { link: "skill" },
    "link.md": { link: "skill/SKILL.md" },
  });
  const pipe = tree.path("pipe.md");
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  const read = async (path: string) => (await readBody(tree.path(path)))?.body;
  assert.equal(await read("skill/SKILL.md"), "Body.\n");
  for (const path of ["linked/SKILL.md", "link.md", "pipe.md", "skill", "no"]) {
    assert.equal(await read(path), undefined, path);
  }
});

Deno.test("standing: another stamp is a changed skill, a missing file or another directory moves all", async () => {
  await using tree = await makeTree({ "a.md": "a", "b.md": "b", "d/x": "" });
  const at = (path: string) => tree.path(path);
  const { stampAt } = await import("../../src/context/index/standing.ts");
  const fs = { stat: Deno.statSync };
  const entry = (path: string) =>
    [at(path), stampAt(at(path), fs), ["n"], "{}"] as const;
  const index = {
    key: "k",
    madeMs: Date.now(),
    skills: [entry("a.md"), entry("b.md")],
    watched: [[at("d"), stampAt(at("d"), fs)], [at("later"), ""]] as const,
    unsure: false,
  };
  const look = () => standing(index, fs, () => false)!;
  assert.deepEqual(look(), {
    same: index.skills,
    changed: [],
    moved: false,
    old: false,
  });
  assert.equal(standing({ ...index, madeMs: 0 }, fs, () => false)?.old, true);
  assert.equal(
    standing({ ...index, unsure: true }, fs, () => false)?.moved,
    true,
  );
  await tree.write({ "b.md": "longer" });
  assert.deepEqual(look().changed, [index.skills[1]]);
  assert.equal(look().moved, false);
  await tree.write({ "later/x": "" });
  assert.equal(look().moved, true);
  await Deno.remove(at("later"), { recursive: true });
  await Deno.remove(at("a.md"));
  assert.equal(look().moved, true);
});

Deno.test("patchPaths: blanks within a long line take no longer than letters", () => {
  const time = (text: string) => {
    const before = performance.now();
    assert.equal(patchPaths(text).length, 1);
    return performance.now() - before;
  };
  const line = (filling: string) =>
    `*** Add File: a${filling.repeat(100_000)}b  \n`;
  time(line("c"));
  assert.ok(time(line(" ")) < 100 + 20 * time(line("c")));
  assert.deepEqual(patchPaths("*** Add File:    \n*** Add File: a b \r\n"), [
    "a b",
  ]);
});
