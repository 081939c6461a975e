import assert from "node:assert/strict";
import { setup } from "../support/config.ts";
import { INSTRUCTIONS } from "../../src/server/instructions.ts";
import type { JsonSchema } from "../../src/server/schemas/publish.ts";
import {
  offeredTools,
  publishTool,
  TOOLS,
} from "../../src/server/tool_table.ts";

const { config } = setup();

function everyNode(schema: JsonSchema): JsonSchema[] {
  const children = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items === undefined ? [] : [schema.items]),
  ];
  return [schema, ...children.flatMap(everyNode)];
}

const published = TOOLS.map((tool) => publishTool(tool, config));
const schemas = published.flatMap(({ name, inputSchema, outputSchema }) => [
  { of: `${name} input`, schema: inputSchema },
  ...(outputSchema ? [{ of: `${name} output`, schema: outputSchema }] : []),
]);

Deno.test("TOOLS: the eight tools, in order", () => {
  assert.deepEqual(published.map(({ name }) => name), [
    "skill_list",
    "skill_match",
    "skill_load",
    "skill_file",
    "skill_preview",
    "skill_run",
    "skill_tools",
    "skill_call",
  ]);
});

Deno.test("TOOLS: names are short and plain, descriptions under 2 KB with the rule first", () => {
  for (const { name, description } of published) {
    assert.match(name, /^[a-z_]{1,20}$/);
    assert.ok(new TextEncoder().encode(description).length < 2048, name);
  }
  const of = (name: string) =>
    published.find((tool) => tool.name === name)!.description;
  assert.match(of("skill_run").slice(0, 150), /First call skill_preview/);
  assert.match(of("skill_run").slice(0, 600), /do NOT call it again/);
  assert.match(
    of("skill_run"),
    /models are known to set confirm by themselves/,
  );
  assert.match(of("skill_run"), /SKILLFENCE_CONFIRM=plan/);
  assert.match(of("skill_preview").slice(0, 100), /before skill_run/);
});

Deno.test("TOOLS: every title and all four hints are explicit", () => {
  for (const { name, title, annotations } of published) {
    assert.ok(title.length > 0 && annotations.title === title, name);
    for (
      const hint of [
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
      ] as const
    ) assert.equal(typeof annotations[hint], "boolean", `${name} ${hint}`);
  }
  const readOnly = published.filter((tool) => tool.annotations.readOnlyHint);
  assert.deepEqual(readOnly.map(({ name }) => name), [
    "skill_list",
    "skill_match",
    "skill_load",
    "skill_file",
    "skill_preview",
  ]);
  for (const { annotations, name } of published.slice(-3)) {
    assert.deepEqual(
      [annotations.destructiveHint, annotations.openWorldHint],
      [true, true],
      name,
    );
  }
});

Deno.test("TOOLS: schemas are flat 2020-12 objects without references, unions or nulls", () => {
  for (const { of, schema } of schemas) {
    assert.equal(schema.type, "object", of);
    assert.equal(
      schema.$schema,
      "https://json-schema.org/draft/2020-12/schema",
      of,
    );
    for (const node of everyNode(schema)) {
      for (const key of ["anyOf", "oneOf", "allOf", "$ref", "$defs", "not"]) {
        assert.ok(!(key in node), `${of}: ${key}`);
      }
      assert.equal(typeof node.type, "string", of);
      assert.notEqual(node.type, "null", of);
    }
  }
});

Deno.test("TOOLS: inputs refuse unknown properties and describe each one", () => {
  for (const { name, inputSchema } of published) {
    for (const node of everyNode(inputSchema)) {
      if (node.type === "object") {
        // Values by names that a skill or a server chose.
        if (node.properties === undefined) continue;
        assert.equal(node.additionalProperties, false, name);
        for (const [key, child] of Object.entries(node.properties ?? {})) {
          assert.ok((child.description ?? "").length > 0, `${name}.${key}`);
        }
      }
      assert.ok(!("default" in node), "the server applies the defaults");
    }
  }
});

Deno.test("TOOLS: outputs stay open, so that later fields break nobody", () => {
  for (const { name, outputSchema } of published) {
    for (const node of outputSchema ? everyNode(outputSchema) : []) {
      assert.ok(!("additionalProperties" in node), name);
    }
  }
});

Deno.test("TOOLS: text tools declare no output schema", () => {
  const structured = published.filter((tool) => tool.outputSchema)
    .map(({ name }) => name);
  assert.deepEqual(structured, [
    "skill_list",
    "skill_preview",
    "skill_run",
    "skill_tools",
  ]);
});

Deno.test("TOOLS: _meta as decided, requiresUserInteraction gone with SKILLFENCE_REQUIRE_USER=0", () => {
  const meta = (name: string) =>
    published.find((tool) => tool.name === name)!._meta;
  for (
    const name of ["skill_list", "skill_match", "skill_load", "skill_file"]
  ) {
    assert.deepEqual(meta(name), { "anthropic/maxResultSizeChars": 500_000 });
  }
  assert.equal(meta("skill_preview"), undefined);
  assert.deepEqual(meta("skill_run"), {
    "anthropic/requiresUserInteraction": true,
  });
  for (const name of ["skill_tools", "skill_call"]) {
    assert.deepEqual(meta(name), {
      "anthropic/maxResultSizeChars": 500_000,
      "anthropic/requiresUserInteraction": true,
    });
  }
  const unattended = setup({ env: { SKILLFENCE_REQUIRE_USER: "0" } }).config;
  for (const tool of TOOLS) {
    assert.ok(
      !("anthropic/requiresUserInteraction" in
        (publishTool(tool, unattended)._meta ?? {})),
      tool.name,
    );
  }
});

Deno.test("offeredTools: --no-run leaves out what starts something", () => {
  const names = offeredTools(setup({ flags: { noRun: true } }).config)
    .map(({ name }) => name);
  assert.deepEqual(names, [
    "skill_list",
    "skill_match",
    "skill_load",
    "skill_file",
  ]);
});

Deno.test("INSTRUCTIONS: under 1,900 characters, with the rule of confirming", () => {
  assert.ok(INSTRUCTIONS.length < 1900);
  assert.match(INSTRUCTIONS, /First call skill_preview/);
  assert.match(INSTRUCTIONS, /declines, do not call it again/);
  assert.match(INSTRUCTIONS, /skill_match.*before a task/s);
});
