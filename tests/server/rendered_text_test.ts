/** Texts whose commands run as they are loaded, by tool and by prompt. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { promptMessage } from "../../src/server/prompts/prompt_message.ts";
import type { Json } from "../support/clients.ts";
import { needs } from "../support/kernel.ts";
import { openServer, type TestServer } from "../support/server_calls.ts";
import { makeTree } from "../support/tree.ts";

const SAY = "scripts/say.mjs";
const FILES = {
  [`demo/${SAY}`]:
    'console.log(`said ${process.argv.slice(2).join("+")} ${"$"}{what} !\\`x\\``);\n',
};

function task(body: string): string {
  return `---\ndescription: d\ntriggers: [demo]\ninputs: [{ name: what }]\n---\n${body}\n`;
}

async function serve(
  body: string,
  commands: readonly (readonly string[])[],
  flags: Json = {},
): Promise<TestServer> {
  return await openServer({
    files: { ...FILES, "demo/SKILL.md": task(body) },
    env: {
      SKILLFENCE_OS_FENCE: "off",
      MCP_SKILL_RENDER: JSON.stringify(
        commands.map((command) => ({ skill: "demo", command })),
      ),
    },
    flags,
  });
}

async function loaded(
  server: TestServer,
  args: Json = {},
): Promise<{ text: string; manifest: Json }> {
  const { text } = await server.call("skill_load", { name: "demo", ...args });
  return { text: text[0]!, manifest: JSON.parse(text.at(-1)!) };
}

Deno.test("skill_load: a listed command's output stands in its place, and is not looked at again", async () => {
  await using server = await serve("Now: !`scripts/say.mjs a`.", [[SAY, "a"]]);
  const { text, manifest } = await loaded(server, { inputs: { what: "X" } });
  // Neither the place of an input nor a command in an output counts.
  assert.match(text, /^Now: [^]*said a \$\{what\} !`x`[^]*\.\n/);
  assert.deepEqual(manifest.commands, [
    { command: "scripts/say.mjs a", outcome: "ran" },
  ]);
});

Deno.test("skill_load: no input can make a command", async () => {
  await using server = await serve("${what} and !${what} then", [[SAY]]);
  const { text, manifest } = await loaded(server, {
    inputs: { what: "!`scripts/say.mjs`" },
  });
  assert.equal(
    text,
    "!`scripts/say.mjs` and !!`scripts/say.mjs` then\n",
  );
  assert.equal(manifest.commands, undefined);
});

Deno.test("skill_load: no input can complete or change a command", async () => {
  await using server = await serve(
    "!`scripts/say.mjs ${what}` !`${what}` !${what}scripts/say.mjs`",
    [[SAY, "x"], [SAY]],
  );
  const { text, manifest } = await loaded(server, {
    inputs: { what: "x" },
  });
  assert.doesNotMatch(text, /said/);
  for (const { command, outcome, why } of manifest.commands) {
    assert.match(command, /\$\{what\}/);
    assert.equal(outcome, "refused");
    assert.match(why, /substitution/);
  }
  assert.equal(manifest.commands.length, 2);
});

Deno.test("skill_load: whatever inputs hold, the commands are those of the text as it is written (property)", async () => {
  await using server = await serve(
    "${what}!`a` ${what}\n\n!${what}`b` `${what}` \\${what}!`c`\n\n<!--${what} !`d`\n\n```${what}\n!`e`\n```\n${what}!`scripts/say.mjs ${what}`",
    [],
  );
  const raw = await loaded(server, { render: false });
  const expected = raw.manifest.commands
    .map(({ command }: Json) => command);
  assert.deepEqual(expected, ["a", "c"]);
  const part = fc.constantFrom(
    ...["`", "!", "!`x`", "\\", "```", "\n", "-->", "<!--", "$", "{what}"],
    ...["${what}", "scripts/say.mjs", " ", "a", "~~~", "    "],
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 8 }),
      async (parts) => {
        const what = parts.join("");
        const { text, manifest } = await loaded(server, { inputs: { what } });
        assert.deepEqual(
          manifest.commands.map(({ command }: Json) => command),
          expected,
        );
        assert.equal(text.match(/\[Error: /g)?.length, expected.length);
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("skill_load: without a row nothing runs, and it is said; render: false and body: false run nothing", async () => {
  await using server = await serve("Now: !`scripts/say.mjs`.", []);
  const { text, manifest } = await loaded(server, { inputs: { what: "X" } });
  assert.match(text, /^Now: .*\[Error: /);
  assert.equal(manifest.commands[0].outcome, "not-granted");
  await using granted = await serve("Now: !`scripts/say.mjs`.", [[SAY]]);
  const raw = await loaded(granted, { render: false });
  assert.equal(raw.text, "Now: !`scripts/say.mjs`.\n");
  assert.equal(raw.manifest.commands[0].outcome, "not-run");
  const alone = await loaded(granted, { body: false });
  assert.equal(alone.manifest.commands[0].outcome, "not-run");
});

Deno.test("skill_load: with --no-run not even a listed command runs", async () => {
  await using server = await serve("Now: !`scripts/say.mjs`.", [[SAY]], {
    noRun: true,
  });
  const { manifest } = await loaded(server, { inputs: { what: "X" } });
  assert.equal(manifest.commands[0].outcome, "not-granted");
  const { structured } = await server.call("skill_list");
  assert.match(structured.notes.join("\n"), /MCP_SKILL_RENDER \(render-off\)/);
});

Deno.test("promptMessage: a prompt is rendered as skill_load is", async () => {
  await using server = await serve("Now: !`scripts/say.mjs a` ${what}", [
    [SAY, "a"],
  ]);
  const { byName } = await server.engine.prompts.offered();
  const message = await promptMessage(server.engine, byName.get("demo")!, {
    what: "!`scripts/say.mjs a`",
  });
  assert.ok(message.ok);
  const { content } = message.value.messages[0]!;
  const { text } = content as { text: string };
  assert.equal(text.match(/said a/g)?.length, 1);
  assert.match(text, /!`scripts\/say\.mjs a`\n/);
});

Deno.test("skill_match, skill_file and resources: texts come unrendered, with the number of commands", async () => {
  await using server = await serve("Now: !`scripts/say.mjs a`", [[SAY, "a"]]);
  const { text } = await server.call("skill_match", { message: "demo" });
  const report = JSON.parse(text[0]!);
  assert.equal(report.hits[0].commands, 1);
  assert.match(text[1]!, /Now: !`scripts\/say\.mjs a`/);
  const file = await server.call("skill_file", {
    name: "demo",
    path: "SKILL.md",
  });
  assert.match(file.text[1]!, /Now: !`scripts\/say\.mjs a`/);
});

Deno.test({
  name:
    "skill_load: the row that is printed for a single file of a workspace lets its command run, until the file changes",
  ...needs("bwrap", "userns", "seccomp"),
  async fn() {
    await using tree = await makeTree({
      "w/.agents/skills/one.md": "---\ntriggers: [one]\n---\nIt !`echo ran`.\n",
    });
    const flags = { workspaces: [tree.path("w")] };
    await using before = await openServer({ files: {}, flags });
    const skill = (await before.engine.catalog.snapshot()).skills
      .get("workspace/one")!;
    const [command] = await before.engine.context.offered(skill, skill.body);
    const { bundle } = JSON.parse(command!.row!);
    assert.match(bundle, /^sha256:[0-9a-f]{64}$/);

    const env = { MCP_SKILL_RENDER: `[${command!.row}]` };
    await using server = await openServer({ files: {}, flags, env });
    const load = async () =>
      (await server.call("skill_load", { name: "workspace/one" })).text[0];
    assert.equal(await load(), "It `ran`.\n");
    await tree.write({ "w/.agents/skills/one.md": "It !`echo ran` again.\n" });
    assert.match((await load())!, /not those that the row .* pins/);
  },
});
