import assert from "node:assert/strict";
import { type CauseContext, causeOf } from "../../src/os/bwrap_causes.ts";
import { BWRAP_TEXTS } from "./bwrap_texts.ts";

const USER: CauseContext = { root: false, libraries: ["/lib/libc.so.6"] };
const ROOT: CauseContext = { ...USER, root: true };

for (const [text, cause] of BWRAP_TEXTS) {
  Deno.test(`causeOf: ${cause}: ${text.slice(0, 70)}`, () => {
    for (const context of [USER, ROOT]) {
      const off = causeOf(`${text}\n`, context);
      assert.equal(off.cause, cause);
      assert.ok(off.message.includes(text.slice(0, 60)), off.message);
      assert.ok(off.advice.length > 20);
    }
  });
}

Deno.test("causeOf: a uid map refused to root and to a user are two causes", () => {
  const text = "bwrap: setting up uid map: Operation not permitted";
  assert.equal(causeOf(text, ROOT).cause, "no-setfcap");
  assert.equal(causeOf(text, USER).cause, "uid-map-refused");
});

Deno.test("causeOf: bubblewrap's own line counts, whatever stands around it", () => {
  const text = [
    "/bin/sh: warning: pivot_root",
    "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
    "Unknown option",
  ].join("\n");
  assert.equal(causeOf(text, USER).cause, "apparmor-userns");
});

Deno.test("causeOf: an unknown text is shown, made visible and bounded", () => {
  const off = causeOf(`bwrap: \u202eodd\u0007 ${"x".repeat(5000)}`, USER);
  assert.equal(off.cause, "unknown");
  assert.match(off.message, /\\u\{202e\}odd\\u\{7\}/);
  assert.ok(off.message.length < 500);
  assert.match(causeOf("", USER).message, /said nothing/);
});

Deno.test("causeOf: a runtime that does not start names what it was shown", () => {
  const text = "bwrap: execvp /usr/bin/deno: No such file or directory";
  assert.match(causeOf(text, USER).message, /\/lib\/libc\.so\.6/);
});
