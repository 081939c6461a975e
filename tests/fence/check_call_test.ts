import assert from "node:assert/strict";
import { checkCall, MAX_INPUT_BYTES } from "../../src/fence/check_call.ts";
import type { RunCall } from "../../src/fence/types.ts";
import { callOf } from "./plan_fixture.ts";

function refusal(more: Partial<RunCall>): string {
  const checked = checkCall(callOf(more));
  return checked.ok ? "accepted" : `${checked.code}: ${checked.message}`;
}

function file(name: string, size = 1) {
  return { name, bytes: new Uint8Array(size) };
}

Deno.test("checkCall: 64 arguments and 8 KiB of UTF-8 pass, one more does not", () => {
  assert.equal(refusal({ args: new Array(64).fill("a") }), "accepted");
  assert.match(refusal({ args: new Array(65).fill("") }), /65 arguments/);
  assert.equal(refusal({ args: ["ü".repeat(4096)] }), "accepted");
  assert.match(refusal({ args: ["ü".repeat(4096), "a"] }), /8193 bytes/);
});

Deno.test("checkCall: no NUL and no half character in an argument", () => {
  assert.match(refusal({ args: ["a", "b\0"] }), /INVALID_ARGUMENTS: args\[1\]/);
  assert.match(refusal({ args: ["\ud800"] }), /INVALID_ARGUMENTS: args\[0\]/);
});

Deno.test("checkCall: stdin and files are bounded together", () => {
  const half = MAX_INPUT_BYTES / 2;
  const stdin = "a".repeat(half);
  assert.equal(refusal({ stdin, files: [file("f", half)] }), "accepted");
  assert.match(
    refusal({ stdin, files: [file("f", half), file("g")] }),
    /^TOO_LARGE: stdin and files hold 8388609 bytes/,
  );
});

Deno.test("checkCall: file names are single plain segments, each once", () => {
  assert.equal(
    refusal({ files: [file("a.txt"), file("…b, c.txt")] }),
    "accepted",
  );
  for (
    const name of [
      "",
      " ",
      ".",
      "..",
      "a/b",
      "a\\b",
      "a\0",
      "a\n",
      "\ud800",
      "ü".repeat(128),
    ]
  ) {
    assert.match(refusal({ files: [file(name)] }), /^INVALID_ARGUMENTS/, name);
  }
  assert.match(refusal({ files: [file("a"), file("A")] }), /two files/);
});

Deno.test("checkCall: stdin becomes UTF-8 bytes, none when absent", () => {
  const some = checkCall(callOf({ stdin: "é" }));
  assert.ok(some.ok);
  assert.deepEqual([...some.value.stdin], [0xc3, 0xa9]);
  const none = checkCall(callOf());
  assert.ok(none.ok);
  assert.equal(none.value.stdin.length, 0);
});
