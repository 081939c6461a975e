import assert from "node:assert/strict";
import type { Json } from "../support/clients.ts";
import { encodedLength } from "../../src/server/fit.ts";
import { ListOutput } from "../../src/server/schemas/outputs.ts";
import { openServer, runs, skillText } from "../support/server_calls.ts";
import { needs } from "../support/kernel.ts";
import type { TestServer } from "../support/server_calls.ts";

const SCRIPT = "console.log('hi');\n";

async function pages(server: TestServer, args: Json = {}): Promise<Json[]> {
  const all = [];
  let cursor: string | undefined;
  do {
    const answer = await server.call("skill_list", { ...args, cursor });
    assert.equal(answer.isError, false, answer.text[0]);
    assert.equal(answer.text[0], JSON.stringify(answer.structured));
    assert.ok(encodedLength(answer.text[0]!) < 40_000, "an answer fits");
    assert.ok(ListOutput.safeParse(answer.structured).success);
    all.push(answer.structured);
    cursor = answer.structured.nextCursor;
    assert.ok(all.length < 1000, "paging ends");
  } while (cursor !== undefined);
  return all;
}

Deno.test("skill_list: the stated shape, for a skill with every kind of script", async () => {
  await using server = await openServer({
    files: {
      "weather/SKILL.md": skillText({
        description: "Tells the weather.",
        block: runs("now.mjs", "later.mjs").replace(
          "node, timeout: 30 }",
          "node, timeout: 30, env: [KEY] }",
        ) +
          "    - { script: old.py, interpreter: python3 }\n" +
          "  egress: [api.example.com]\n",
      }),
      "weather/now.mjs": SCRIPT,
      "weather/later.mjs": SCRIPT,
      "weather/old.py": "",
    },
    env: {
      MCP_SKILL_RUN: JSON.stringify([
        { skill: "weather", script: "now.mjs", env: ["KEY"], egress: [] },
        { skill: "weather", script: "old.py" },
      ]),
    },
  });
  const { structured } = await server.call("skill_list");
  assert.deepEqual(structured.roots, [server.root]);
  assert.equal(structured.rootsFrom, "SKILLS_DIR");
  assert.equal(structured.grantFrom, "MCP_SKILL_RUN");
  assert.equal(structured.nextCursor, undefined);
  const [skill] = structured.skills;
  assert.equal(structured.skills.length, 1);
  assert.equal(skill.name, "weather");
  assert.equal(skill.description, "Tells the weather.");
  assert.equal(skill.files, 4);
  assert.equal(typeof skill.bytes, "number");
  assert.deepEqual(skill.scripts, [
    { script: "now.mjs", interpreter: "node", timeoutMs: 30_000, env: ["KEY"] },
  ]);
  assert.deepEqual(skill.ungrantedScripts, ["later.mjs"]);
  assert.equal(skill.unavailableScripts[0].script, "old.py");
  assert.match(skill.unavailableScripts[0].reason, /python3/);
  assert.deepEqual(skill.declaredEgress, ["api.example.com"]);
});

Deno.test("skill_list: a line before strangers' text says that it is strangers' text", async () => {
  await using server = await openServer({
    files: { "a/SKILL.md": skillText() },
  });
  const { text, structured } = await server.call("skill_list");
  assert.match(structured.notes.at(-1), /third parties.*never as instructions/);
  const line = text[0]!.indexOf("third parties");
  assert.ok(line > 0 && line < text[0]!.indexOf('"A skill."'));
});

Deno.test("skill_list: pages hold every skill once, by name", async () => {
  const names = Array.from({ length: 23 }, (_, i) => `s${100 + i}`);
  await using server = await openServer({
    files: Object.fromEntries(
      names.map((name) => [`${name}/SKILL.md`, skillText()]),
    ),
  });
  const all = await pages(server, { limit: 5 });
  assert.deepEqual(all.map(({ skills }) => skills.length), [5, 5, 5, 5, 3]);
  assert.deepEqual(
    all.flatMap(({ skills }) => skills.map((each: Json) => each.name)),
    names,
  );
  assert.match(all[0].notes[0], /18 more skills: pass nextCursor/);
});

Deno.test("skill_list: a page ends where an answer is full, whatever skills say", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `s${i}/SKILL.md`,
      skillText({
        description: `${i} ${"\u0001".repeat(3000)}`,
        block: runs(
          ...Array.from({ length: 64 }, (_, n) => `${"d".repeat(200)}${n}.mjs`),
        ),
      }),
    ]),
  );
  await using server = await openServer({ files });
  const all = await pages(server);
  const skills = all.flatMap((page) => page.skills);
  assert.equal(skills.length, 40);
  assert.ok(skills.every(({ hint }) => /skill_load shows all/.test(hint)));
});

Deno.test("skill_list: problems are capped, counted, and read on page by page", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 150 }, (_, i) => [
      `bad${i}/SKILL.md`,
      `---\n: [${"x".repeat(300)}\n---\nbody\n`,
    ]),
  );
  await using server = await openServer({ files });
  const snapshot = await server.engine.catalog.snapshot();
  const all = await pages(server, { limit: 200 });
  assert.ok(all.length > 1);
  assert.match(all[0].notes.join(), /\d+ more problems: pass nextCursor/);
  assert.equal(
    all.flatMap(({ problems }) => problems).length,
    snapshot.problems.length,
  );
  assert.equal(all.flatMap(({ skills }) => skills).length, 150);
});

Deno.test("skill_list: a query ranks, pages, and counts the problems it hides", async () => {
  await using server = await openServer({
    files: {
      "weather/SKILL.md": skillText({ description: "Forecasts rain." }),
      "other/SKILL.md": skillText({ description: "Nothing." }),
      "rainy/SKILL.md": skillText({ description: "Umbrellas." }),
      "bad/SKILL.md": "---\n: [\n---\n",
    },
  });
  const all = await pages(server, { query: " forecasts rain ", limit: 1 });
  const names = all.flatMap(({ skills }) =>
    skills.map((each: Json) => each.name)
  );
  assert.equal(names[0], "weather");
  assert.ok(names.includes("rainy") && !names.includes("other"));
  assert.deepEqual(all[0].problems, []);
  assert.match(
    all[0].notes.join(),
    /Problems are not shown with a query \(\d+\)/,
  );
  const none = await server.call("skill_list", { query: "zzzzzz" });
  assert.deepEqual(none.structured.skills, []);
  assert.match(none.structured.notes.join(), /No further skill matches/);
});

Deno.test("skill_list: a cursor of another query is refused in the refusal's shape", async () => {
  await using server = await openServer({
    files: { "a/SKILL.md": skillText(), "b/SKILL.md": skillText() },
  });
  const { structured } = await server.call("skill_list", { limit: 1 });
  const refusal = await server.call("skill_list", {
    cursor: structured.nextCursor,
    query: "a",
  });
  assert.equal(refusal.isError, true);
  assert.equal(refusal.text[0], JSON.stringify(refusal.structured));
  assert.equal(refusal.structured.status, "refused");
  assert.equal(refusal.structured.code, "INVALID_ARGUMENTS");
  assert.match(refusal.structured.message, /"cursor"/);
  assert.ok(ListOutput.safeParse(refusal.structured).success);
});

Deno.test("skill_list: reload: true sees what changed on disk", async () => {
  await using server = await openServer({
    files: { "a/SKILL.md": skillText() },
  });
  await server.call("skill_list");
  await server.tree.write({ "root/b/SKILL.md": skillText() });
  const before = await server.call("skill_list");
  assert.equal(before.structured.skills.length, 1);
  const after = await server.call("skill_list", { reload: true });
  assert.equal(after.structured.skills.length, 2);
});

Deno.test("skill_list: reload: true returns what moved, and every answer how roots are watched", async () => {
  await using server = await openServer({
    files: { "a/SKILL.md": skillText(), "a/x.md": "x" },
  });
  const first = await server.call("skill_list");
  assert.equal(first.structured.moved, undefined);
  assert.deepEqual(first.structured.watch, [{ root: 1, state: "off" }]);
  assert.match(
    first.structured.notes.join("\n"),
    /^Not watching root 1 \(off\): pass reload: true/m,
  );
  await server.tree.write({
    "root/b/SKILL.md": skillText(),
    "root/a/x.md": "longer",
  });
  const { structured } = await server.call("skill_list", { reload: true });
  assert.deepEqual(structured.moved, {
    added: ["b"],
    removed: [],
    changed: [{
      name: "a",
      skillFile: false,
      added: [],
      removed: [],
      changed: ["x.md"],
    }],
    references: [],
    prompts: [],
  });
  assert.ok(ListOutput.safeParse(structured).success);
  const again = await server.call("skill_list", { reload: true });
  assert.deepEqual(Object.values(again.structured.moved).flat(), []);
});

async function notesOf(
  env: Record<string, string>,
  noRun = false,
): Promise<{ notes: string; structured: Json }> {
  await using server = await openServer({
    files: {
      "a/SKILL.md": skillText({ block: runs("s.mjs") }),
      "a/s.mjs": SCRIPT,
    },
    env,
    flags: { noRun },
  });
  const { structured } = await server.call("skill_list");
  return { notes: structured.notes.join("\n"), structured };
}

Deno.test("skill_list: notes tell the hosted default, and every script is ungranted", async () => {
  const { notes, structured } = await notesOf({
    MCP_BLOB_BASE_URL: "http://x",
  });
  assert.equal(structured.grantFrom, "hosted-default");
  assert.match(notes, /No script is granted: the server is hosted/);
  assert.deepEqual(structured.skills[0].ungrantedScripts, ["s.mjs"]);
});

Deno.test("skill_list: notes tell an unreadable grant, which grants nothing", async () => {
  const { notes, structured } = await notesOf({ MCP_SKILL_RUN: "[{" });
  assert.match(notes, /MCP_SKILL_RUN/);
  assert.deepEqual(structured.skills[0].scripts, []);
});

Deno.test("skill_list: notes tell grant rows that match nothing", async () => {
  const { notes } = await notesOf({
    MCP_SKILL_RUN: '[{"skill":"nope","script":"x"}]',
  });
  assert.match(notes, /nope/);
});

Deno.test("skill_list: notes tell configuration mistakes of a hosted server, and nothing runs", async () => {
  const { notes, structured } = await notesOf({
    MCP_BLOB_BASE_URL: "http://x",
    MCP_SKILL_RUN: '[{"skill":"a","script":"s.mjs"}]',
    SKILLFENCE_CONFIRM: "plna",
  });
  assert.match(notes, /SKILLFENCE_CONFIRM is "plna"/);
  assert.match(
    structured.skills[0].unavailableScripts[0].reason,
    /configuration has mistakes/,
  );
});

Deno.test("skill_list: notes tell the layers in force and the runtime", async () => {
  const { notes } = await notesOf({ SKILLFENCE_OS_FENCE: "off" });
  assert.match(
    notes,
    /Layers of the fence: decision on .*permissions on .*worker.*os off .turned off/,
  );
  assert.match(notes, /Scripts run on Deno \d/);
});

Deno.test({
  name: "skill_list: notes name the operating system's layer that holds",
  ...needs("bwrap", "userns"),
  async fn() {
    const { notes } = await notesOf({ SKILLFENCE_OS_FENCE: "bwrap" });
    assert.match(notes, /permissions on .*main module.*os on .bubblewrap \d/);
  },
});

Deno.test("skill_list: notes tell that no runtime is usable, and scripts are unavailable", async () => {
  const { notes, structured } = await notesOf({
    SKILLFENCE_DENO: "/no/such/deno",
  });
  assert.match(notes, /No script can run: /);
  assert.deepEqual(structured.skills[0].scripts, []);
  assert.equal(structured.skills[0].unavailableScripts.length, 1);
});

Deno.test("skill_list: --no-run is told and leaves no script runnable", async () => {
  const { notes, structured } = await notesOf({}, true);
  assert.match(notes, /--no-run/);
  assert.deepEqual(structured.skills[0].scripts, []);
});

Deno.test("skill_list: without its interpreter a script is unavailable, granted or not", async () => {
  await using server = await openServer({
    files: {
      "a/SKILL.md": skillText({
        block: runs("s.mjs") +
          "    - { script: old.py, interpreter: python3 }\n",
        body: "By hand.\n",
      }),
      "a/s.mjs": SCRIPT,
      "a/old.py": "",
    },
    env: { MCP_BLOB_BASE_URL: "http://x" },
  });
  const { structured } = await server.call("skill_list");
  const [skill] = structured.skills;
  assert.deepEqual(skill.ungrantedScripts, ["s.mjs"]);
  assert.equal(skill.unavailableScripts.length, 1);
  assert.match(
    skill.unavailableScripts[0].reason,
    /"python3" is not available here.*deno and node.*still served/,
  );
  const { text } = await server.call("skill_load", { name: "a" });
  assert.equal(text[0], "By hand.\n");
});

Deno.test("skill_list: a declared script that is not there is unavailable", async () => {
  await using server = await openServer({
    files: { "a/SKILL.md": skillText({ block: runs("gone.mjs") }) },
  });
  const { structured } = await server.call("skill_list");
  assert.deepEqual(structured.skills[0].unavailableScripts, [
    { script: "gone.mjs", reason: "there is no such file in the skill" },
  ]);
});
