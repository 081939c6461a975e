import assert from "node:assert/strict";
import { terminalText, writeStream } from "../../src/cli/show_stream.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("terminalText: keeps lines, shows escapes, expands tabs, cuts long lines", () => {
  const text = terminalText(
    bytes(`a\tb\n\x1b[2Jgone\r\n${"x".repeat(250)}\nno newline`),
  );
  assert.equal(
    text,
    `a       b\n\\u{1b}[2Jgone\n${
      "x".repeat(200)
    }… (+50 characters)\nno newline\n`,
  );
});

Deno.test("writeStream: a pipe gets the bytes, the gap is told elsewhere", () => {
  const out: (string | Uint8Array)[] = [];
  const err: string[] = [];
  const head = new Uint8Array([0xff, 0x00, 0x1b]);
  writeStream(
    { head, tail: bytes("tail"), total: 107 },
    (chunk) => void out.push(chunk),
    { terminal: false, tell: (text) => void err.push(String(text)) },
  );
  assert.deepEqual(out, [head, bytes("tail")]);
  assert.deepEqual(err, ["skillfence: 100 bytes here were not kept\n"]);
});
