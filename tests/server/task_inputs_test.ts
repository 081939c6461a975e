import assert from "node:assert/strict";
import type { Json } from "../support/clients.ts";
import type { FormAnswer, FormDoor } from "../../src/server/forms.ts";
import { openServer, type TestServer } from "../support/server_calls.ts";

const BUG = `---
description: Fixes bugs.
triggers: [/bug, fix bug]
inputs:
  - name: what
    description: What is broken
    required: true
  - name: where
    description: Where it is
    choices: [api, app]
---
Fix \${what} in \${where}, not \${other}.
`;

async function taskServer(): Promise<TestServer> {
  return await openServer({
    files: {
      "bug/SKILL.md": BUG,
      "plain/SKILL.md": "---\ndescription: d\n---\nKeep ${what}.\n",
    },
  });
}

function refusalOf({ text, isError }: Json): Json {
  assert.equal(isError, true);
  return JSON.parse(text[0]);
}

function door(answer?: FormAnswer): FormDoor {
  return { possible: true, answer };
}

Deno.test("skill_load: inputs are put into the text once, other names stay", async () => {
  await using server = await taskServer();
  const { text } = await server.call("skill_load", {
    name: "bug",
    inputs: { what: "${where} $& ${what}", where: "app" },
  });
  assert.equal(text[0], "Fix ${where} $& ${what} in app, not ${other}.\n");
});

Deno.test("skill_load: an optional input without a value stays, with a line that asks for it", async () => {
  await using server = await taskServer();
  const { text } = await server.call("skill_load", {
    name: "bug",
    inputs: { what: "it" },
  });
  assert.match(
    text[0]!,
    /^Fix it in \$\{where\}, not \$\{other\}\.\n\n\n---\n/,
  );
  assert.match(text[0]!, /Not given: where \(Where it is\).*ask the user/);
});

Deno.test("skill_load: a missing required input is refused by name and description", async () => {
  await using server = await taskServer();
  for (const inputs of [undefined, {}, { where: "app" }, { what: "  " }]) {
    const { code, message, hint } = refusalOf(
      await server.call("skill_load", {
        name: "bug",
        ...(inputs === undefined ? {} : { inputs }),
      }),
    );
    assert.equal(code, "INPUT_MISSING");
    assert.match(message, /what \(What is broken\)/);
    assert.match(hint, /Ask the user/);
  }
});

Deno.test("skill_load: an unknown input is refused by name, on any skill", async () => {
  await using server = await taskServer();
  const misspelt = refusalOf(
    await server.call("skill_load", { name: "bug", inputs: { waht: "x" } }),
  );
  assert.equal(misspelt.code, "INVALID_ARGUMENTS");
  assert.match(misspelt.message, /unknown input "waht".*did you mean "what"/);
  const plain = refusalOf(
    await server.call("skill_load", { name: "plain", inputs: { what: "x" } }),
  );
  assert.match(plain.message, /unknown input "what"/);
  const wrong = refusalOf(
    await server.call("skill_load", { name: "bug", inputs: { what: 3 } }),
  );
  assert.match(wrong.message, /inputs\.what/);
});

Deno.test("skill_load: render: false gives the text as written, and takes no inputs", async () => {
  await using server = await taskServer();
  const { text } = await server.call("skill_load", {
    name: "bug",
    render: false,
  });
  assert.equal(text[0], "Fix ${what} in ${where}, not ${other}.\n");
  for (const more of [{ render: false }, { body: false }]) {
    const { message } = refusalOf(
      await server.call("skill_load", {
        name: "bug",
        inputs: { what: "x" },
        ...more,
      }),
    );
    assert.match(message, /inputs with (?:render|body): false/);
  }
});

Deno.test("skill_load: the manifest says what a task asks for, without a value of any", async () => {
  await using server = await taskServer();
  const { text } = await server.call("skill_load", {
    name: "bug",
    body: false,
  });
  const manifest = JSON.parse(text[0]!);
  assert.deepEqual(manifest.inputs, [
    { name: "what", description: "What is broken", required: true },
    {
      name: "where",
      description: "Where it is",
      required: false,
      choices: ["api", "app"],
    },
  ]);
  assert.equal(manifest.activation.kind, "task");
  assert.deepEqual(manifest.activation.keywords.slice(0, 2), [
    "/bug",
    "fix bug",
  ]);
  assert.match(manifest.digest, /^sha256:[0-9a-f]{64}$/);
});

Deno.test("skill_load: a client with forms is asked for what is missing, and what it says is put in", async () => {
  await using server = await taskServer();
  const call = (forms: FormDoor, inputs: Record<string, string> = {}) =>
    server.call("skill_load", { name: "bug", inputs }, { forms });
  const { raw } = await call(door(), { where: "api" });
  const { form } = (raw as Json).inputRequests;
  const { message, requestedSchema } = form.params;
  assert.match(message, /"bug" asks for an input/);
  assert.deepEqual(requestedSchema.required, ["what"]);
  assert.deepEqual(Object.keys(requestedSchema.properties), ["what"]);
  assert.equal(requestedSchema.properties.what.description, "What is broken");

  const filled = await call(
    door({ action: "accept", texts: { what: "the ${where}" } }),
    { where: "api" },
  );
  assert.equal(filled.text[0], "Fix the ${where} in api, not ${other}.\n");
});

Deno.test("skill_load: a declined form, a closed one and one without the answer are told apart", async () => {
  await using server = await taskServer();
  const said = async (answer: FormAnswer) =>
    refusalOf(
      await server.call("skill_load", { name: "bug" }, { forms: door(answer) }),
    );
  assert.match((await said({ action: "decline" })).message, /declined/);
  assert.match((await said({ action: "cancel" })).message, /closed the form/);
  const empty = await said({ action: "accept", texts: { what: "" } });
  assert.match(empty.message, /required and not given: what/);
});

Deno.test("skill_load: a field of the form has its description, then the choices as examples", async () => {
  const choose = "---\ndescription: d\ninputs:\n" +
    "  - { name: one, description: Which one, required: true, choices: [a, b] }\n" +
    "  - { name: two, choices: [c] }\n---\n${one}\n";
  await using server = await openServer({ files: { "ask/SKILL.md": choose } });
  const { raw } = await server.call("skill_load", { name: "ask" }, {
    forms: door(),
  });
  const { form } = (raw as Json).inputRequests;
  const { one, two } = form.params.requestedSchema.properties;
  assert.deepEqual([one.description, two.description], [
    "Which one (for example: a, b)",
    "For example: c",
  ]);
});
