import assert from "node:assert/strict";
import fc from "fast-check";
import { HeadTail } from "../../src/fence/capture.ts";
import type { CapturedStream } from "../../src/fence/types.ts";
import { structuredLength } from "../../src/server/fit.ts";
import { shownStream, shownStreams } from "../../src/server/shown_streams.ts";

const MIB = 1_048_576;

function captured(data: string | Uint8Array, limit = MIB): CapturedStream {
  const bytes = typeof data === "string"
    ? new TextEncoder().encode(data)
    : data;
  const capture = new HeadTail(limit);
  capture.push(bytes);
  return capture.result();
}

const empty = captured("");
const free = { together: 12_000, each: MIB, encoded: Infinity };

Deno.test("shownStream: what fits comes whole", () => {
  assert.deepEqual(shownStream(captured("héllo\u0000"), 100), {
    text: "héllo\u0000",
    encoding: "utf-8",
    omitted: 0,
  });
});

Deno.test("shownStream: head and tail stand around a stated gap", () => {
  const shown = shownStream(captured(`start${"x".repeat(1000)}end`), 10);
  assert.equal(shown.text, "start\n… 998 bytes left out …\nxxend");
  assert.equal(shown.omitted, 998);
});

Deno.test("shownStream: cuts fall between characters, and omitted counts every byte", () => {
  fc.assert(fc.property(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }),
    fc.integer({ min: 0, max: 200 }),
    fc.integer({ min: 8, max: 400 }),
    (text, limit, capture) => {
      const bytes = new TextEncoder().encode(text);
      const shown = shownStream(captured(text, capture), limit);
      assert.equal(shown.encoding, "utf-8");
      assert.ok(!shown.text.includes("\ufffd") || text.includes("\ufffd"));
      const [head, tail] = shown.omitted === 0
        ? [shown.text, ""]
        : shown.text.split(`\n… ${shown.omitted} bytes left out …\n`);
      assert.ok(text.startsWith(head!) && text.endsWith(tail!));
      const kept = new TextEncoder().encode(head! + tail!).length;
      assert.equal(kept + shown.omitted, bytes.length);
      assert.ok(kept <= Math.min(limit, capture));
    },
  ));
});

Deno.test("shownStream: bytes that are not UTF-8 come as base64, the gap inside", () => {
  const bytes = new Uint8Array(1000).fill(0xff);
  const whole = shownStream(captured(bytes), 1000);
  assert.equal(whole.encoding, "base64");
  assert.equal(atob(whole.text).length, 1000);
  const cut = shownStream(captured(bytes), 10);
  assert.equal(cut.omitted, 990);
  assert.match(atob(cut.text), /^\xff{5}\n.* 990 bytes left out .*\n\xff{5}$/s);
});

Deno.test("shownStreams: what one stream does not need the other gets", () => {
  const long = captured("x".repeat(50_000));
  const both = shownStreams({ stdout: long, stderr: long }, free);
  assert.deepEqual([both.stdout.omitted, both.stderr.omitted], [
    44_000,
    44_000,
  ]);
  const out = shownStreams({ stdout: long, stderr: captured("e") }, free);
  assert.deepEqual([out.stdout.omitted, out.stderr.text], [38_001, "e"]);
  const err = shownStreams({ stdout: empty, stderr: long }, free);
  assert.equal(err.stderr.omitted, 38_000);
});

Deno.test("shownStreams: never more than the limit of one stream", () => {
  const huge = captured("x".repeat(3 * MIB));
  const shown = shownStreams(
    { stdout: huge, stderr: empty },
    { together: 2 * MIB, each: MIB, encoded: Infinity },
  );
  assert.equal(shown.stdout.omitted, 2 * MIB);
});

Deno.test("shownStreams: output that grows as JSON is cut until it fits", () => {
  const controls = captured("\u0001".repeat(12_000));
  const shown = shownStreams(
    { stdout: controls, stderr: controls },
    { ...free, encoded: 30_000 },
  );
  const length = structuredLength(shown.stdout.text) +
    structuredLength(shown.stderr.text);
  assert.ok(length <= 30_000 && length > 10_000, String(length));
});

Deno.test("shownStreams: a limit of 0 returns nothing but the counts", () => {
  const shown = shownStreams(
    { stdout: captured("abc"), stderr: empty },
    { ...free, together: 0 },
  );
  assert.deepEqual([shown.stdout.omitted, shown.stderr.omitted], [3, 0]);
});
