import assert from "node:assert/strict";
import { readRunCall } from "../../src/server/run_call.ts";

const CALL = { name: "s", script: "go.mjs" };

Deno.test("readRunCall: half a character is refused, not replaced, in stdin and files", () => {
  for (
    const [more, place] of [
      [{ stdin: "a\ud800" }, "stdin"],
      [{ files: [{ name: "f", text: "\udc00" }] }, "files[0].text"],
    ] as const
  ) {
    const read = readRunCall({ ...CALL, ...more } as typeof CALL);
    assert.ok(!read.ok);
    assert.equal(read.code, "INVALID_ARGUMENTS");
    assert.ok(read.message.includes(`"${place}"`), read.message);
  }
  assert.ok(readRunCall({ ...CALL, stdin: "\u{1f600}" }).ok);
});
