import assert from "node:assert/strict";
import type { Json } from "../support/clients.ts";
import { encodedLength } from "../../src/server/fit.ts";
import { LoadManifestShape } from "../../src/server/schemas/text_shapes.ts";
import { openServer, runs, skillText } from "../support/server_calls.ts";

function manifestOf(text: string | undefined): Json {
  const manifest = JSON.parse(text!);
  assert.ok(LoadManifestShape.strict().safeParse(manifest).success, text);
  return manifest;
}

Deno.test("skill_load: the body verbatim, then the manifest, and no structured half", async () => {
  const body = "\r\n# Té\u{1f600}\r\n\r\n\ttrailing  \n\n";
  await using server = await openServer({
    files: {
      "a/b/SKILL.md": `---\ndescription: D\nwhen-to-use: W\n---\n${body}`,
      "a/b/ref/x.md": "12345",
    },
  });
  const { text, structured, isError } = await server.call("skill_load", {
    name: "a/b",
  });
  assert.deepEqual([structured, isError, text.length], [undefined, false, 2]);
  assert.equal(text[0], body);
  const manifest = manifestOf(text[1]);
  assert.equal(manifest.name, "a/b");
  assert.equal(manifest.description, "D");
  assert.equal(manifest.whenToUse, "W");
  assert.equal(manifest.source, server.root);
  assert.equal(manifest.truncated, false);
  assert.deepEqual(manifest.files.at(-1), { path: "ref/x.md", size: 5 });
  assert.deepEqual(manifest.scripts, []);
  // It has no name of its own, which the Skills extension asks for.
  assert.deepEqual(
    manifest.problems.map(({ reason }: { reason: string }) => reason),
    ["left-out"],
  );
});

Deno.test("skill_load: body: false gives the manifest alone", async () => {
  await using server = await openServer({
    files: { "a/SKILL.md": skillText() },
  });
  const { text } = await server.call("skill_load", { name: "a", body: false });
  assert.equal(text.length, 1);
  assert.equal(manifestOf(text[0]).name, "a");
});

Deno.test("skill_load: scripts say whether they run here, or why not", async () => {
  await using server = await openServer({
    files: {
      "a/SKILL.md": skillText({
        block: runs("yes.mjs", "ungranted.mjs") +
          "    - { script: x.rb, interpreter: ruby }\n  egress: [example.com]\n",
      }),
      "a/yes.mjs": "",
      "a/ungranted.mjs": "",
      "a/x.rb": "",
    },
    env: {
      MCP_SKILL_RUN: JSON.stringify([
        { skill: "a", script: "yes.mjs" },
        { skill: "a", script: "x.rb" },
      ]),
    },
  });
  const { text } = await server.call("skill_load", { name: "a", body: false });
  const [yes, ungranted, ruby] = manifestOf(text[0]).scripts;
  assert.deepEqual(yes, {
    script: "yes.mjs",
    interpreter: "node",
    runnableHere: true,
    timeoutMs: 30_000,
    env: [],
    egress: ["example.com"],
  });
  assert.equal(ungranted.runnableHere, false);
  assert.match(ungranted.reason, /no row of MCP_SKILL_RUN/);
  assert.equal(ruby.runnableHere, false);
  assert.match(ruby.reason, /ruby.*deno and node/);
});

Deno.test("skill_load: a link's name is accepted, and the real name is told", async () => {
  await using server = await openServer({
    files: { "real/SKILL.md": skillText(), "alias": { link: "real" } },
  });
  const { text } = await server.call("skill_load", { name: "alias" });
  assert.equal(manifestOf(text[1]).name, "real");
});

Deno.test("skill_load: a long body is never cut below 256 KiB", async () => {
  const body = "é\n".repeat(80_000);
  await using server = await openServer({
    files: { "a/SKILL.md": skillText({ body }) },
  });
  const { text } = await server.call("skill_load", { name: "a" });
  assert.equal(text[0], body);
  assert.equal(manifestOf(text[1]).truncated, false);
});

Deno.test("skill_load: beyond 256 KiB the body is cut, and it is told how to read on", async () => {
  await using server = await openServer({
    files: { "a/SKILL.md": skillText({ body: "x".repeat(300_000) }) },
  });
  const { text } = await server.call("skill_load", { name: "a" });
  assert.ok(text[0]!.length > 261_000 && text[0]!.length < 262_144);
  const manifest = manifestOf(text[1]);
  assert.equal(manifest.truncated, true);
  assert.match(
    manifest.hints.join(),
    /read the rest of SKILL.md with skill_file/,
  );
});

Deno.test("skill_load: a long list of files is cut to what fits and read on", async () => {
  const names = Array.from(
    { length: 900 },
    (_, i) => `${"n".repeat(90)}${1000 + i}.md`,
  );
  await using server = await openServer({
    files: {
      "a/SKILL.md": skillText(),
      ...Object.fromEntries(names.map((name) => [`a/${name}`, ""])),
    },
  });
  const found: string[] = [];
  let filesOffset: number | undefined = 0;
  while (filesOffset !== undefined) {
    const { text } = await server.call("skill_load", {
      name: "a",
      filesOffset,
    });
    assert.ok(encodedLength(text[0]!) + encodedLength(text[1]!) < 40_000);
    const manifest = manifestOf(text[1]);
    found.push(...manifest.files.map(({ path }: { path: string }) => path));
    if (manifest.nextFilesOffset !== undefined) {
      assert.match(
        manifest.hints.join(),
        /pass nextFilesOffset as filesOffset/,
      );
    }
    filesOffset = manifest.nextFilesOffset;
  }
  assert.deepEqual(found, ["SKILL.md", ...names]);
});

Deno.test("skill_load: problems of the skill stand in its manifest", async () => {
  await using server = await openServer({
    files: { "a/SKILL.md": "---\ndescription: [\n---\nbody\n" },
  });
  const { text } = await server.call("skill_load", { name: "a" });
  const problem = manifestOf(text[1]).problems.find((
    { reason }: { reason: string },
  ) => reason === "malformed-frontmatter");
  assert.equal(problem.severity, "error");
  assert.equal(typeof problem.line, "number");
});

Deno.test("skill_load: an unknown skill is a text refusal that names the nearest", async () => {
  await using server = await openServer({
    files: { "weather/SKILL.md": skillText() },
  });
  const answer = await server.call("skill_load", { name: "wether" });
  assert.equal(answer.isError, true);
  assert.equal(answer.structured, undefined);
  const refusal = JSON.parse(answer.text[0]!);
  assert.deepEqual(Object.keys(refusal), ["status", "code", "message", "hint"]);
  assert.deepEqual([refusal.status, refusal.code], [
    "refused",
    "UNKNOWN_SKILL",
  ]);
  assert.match(refusal.hint, /weather/);
});
