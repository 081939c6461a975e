import assert from "node:assert/strict";
import fc from "fast-check";
import {
  bindInputs,
  missingInputs,
  openInputsNote,
} from "../../src/context/inputs.ts";
import type { TaskInput } from "../../src/skill/types.ts";

function input(name: string, more: Partial<TaskInput> = {}): TaskInput {
  return {
    name,
    description: undefined,
    required: false,
    choices: [],
    ...more,
  };
}

function bound(
  body: string,
  inputs: readonly TaskInput[],
  given: Record<string, string>,
) {
  const result = bindInputs(body, inputs, given);
  assert.ok(result.ok, result.ok ? "" : result.message);
  return result.value;
}

Deno.test("bindInputs: each declared name is filled everywhere, other names stay", () => {
  const text = "${a} and ${b}, ${a}; ${c} $a {a} ${ a } $${a}";
  assert.equal(
    bound(text, [input("a"), input("b")], { a: "1", b: "2" }).fill(text),
    "1 and 2, 1; ${c} $a {a} ${ a } $1",
  );
});

Deno.test("bindInputs: no value is looked at again, whatever it holds", () => {
  const values = fc.string({ unit: "binary" }).map((text) =>
    // deno-lint-ignore no-control-regex
    text.replace(/[\u0000-\u001f\u007f-\u009f]|\p{Cs}/gu, "")
  ).map((text) => `\${b}$&$1$$\${a}${text}`);
  fc.assert(fc.property(values, values, (a, b) => {
    const text = "<${a}|${b}|${a}>";
    const inputs = [input("a"), input("b")];
    assert.equal(bound(text, inputs, { a, b }).fill(text), `<${a}|${b}|${a}>`);
  }));
});

Deno.test("bindInputs: names of objects' own properties are names like others", () => {
  const given = JSON.parse('{"constructor":"c","toString":"t"}');
  const inputs = [input("constructor"), input("toString")];
  const text = "${constructor} ${toString} ${__proto__} ${hasOwnProperty}";
  assert.equal(
    bound(text, inputs, given).fill(text),
    "c t ${__proto__} ${hasOwnProperty}",
  );
});

Deno.test("bindInputs: an unknown input is refused by name, the nearest is named", () => {
  const refused = bindInputs("", [input("branch"), input("title")], {
    brnch: "x",
  });
  assert.ok(!refused.ok);
  assert.equal(refused.code, "INVALID_ARGUMENTS");
  assert.match(refused.message, /unknown input "brnch".*"branch"/);
  assert.equal(refused.hint, "Inputs: branch, title.");
  const none = bindInputs("", [], { x: "1" });
  assert.ok(!none.ok);
  assert.match(none.hint, /asks for no inputs/);
});

Deno.test("bindInputs: without a value, required ones are missing and others stay open", () => {
  const inputs = [
    input("a", { required: true, description: "What is broken" }),
    input("b", { description: "Where" }),
    input("c", { required: true }),
  ];
  const { missing, open, fill } = bound("", inputs, { a: " \n", c: "1" });
  assert.deepEqual(missing.map(({ name }) => name), ["a"]);
  assert.deepEqual(open.map(({ name }) => name), ["b"]);
  assert.equal(fill("${a} ${b} ${c}"), "${a} ${b} 1");
  const refused = missingInputs(missing, "inputs");
  assert.equal(refused.code, "INPUT_MISSING");
  assert.match(refused.message, /a \(What is broken\)/);
  assert.match(openInputsNote(open), /b \(Where\).*ask the user/);
  assert.equal(openInputsNote([]), "");
});

Deno.test("bindInputs: long values, control characters and half characters are refused by name", () => {
  const inputs = Array.from({ length: 9 }, (_, i) => input(`i${i}`));
  const refusedFor = (given: Record<string, string>) => {
    const result = bindInputs("", inputs, given);
    assert.ok(!result.ok);
    return result.message;
  };
  assert.ok(bindInputs("", inputs, { i0: "é".repeat(4096) }).ok);
  assert.match(refusedFor({ i0: "é".repeat(4097) }), /"i0" is too long/);
  const many = Object.fromEntries(
    inputs.map(({ name }) => [name, "x".repeat(8192)]),
  );
  assert.match(refusedFor(many), /"i8" is too long.*64 KiB together/);
  for (const bad of ["a\u0000b", "\u001b[31m", "\u009b", "\ud800"]) {
    assert.match(refusedFor({ i1: bad }), /"i1" holds control/);
  }
  assert.ok(bindInputs("", inputs, { i1: "two\r\n\tlines \u{1f600}" }).ok);
});

Deno.test("bindInputs: a text that would grow by more than a MiB is refused", () => {
  const body = "${a}".repeat(130);
  const at = (length: number) =>
    bindInputs(body, [input("a")], { a: "x".repeat(length) });
  assert.ok(at(8000).ok);
  const refused = at(8192);
  assert.equal(refused.ok ? "" : refused.code, "TOO_LARGE");
});

Deno.test("missingInputs: descriptions of strangers are shown in one line", () => {
  const refused = missingInputs([
    input("a", { description: "line\nline\u202e" }),
  ], "inputs");
  assert.doesNotMatch(refused.message, /[\n\u202e]/);
});
