import assert from "node:assert/strict";
import { paintFor } from "../../src/cli/screen.ts";
import { withProgress } from "../../src/cli/progress.ts";

Deno.test("paintFor: off leaves every text alone, on closes what it opens", () => {
  for (const paint of Object.values(paintFor(false))) {
    assert.equal(paint("x"), "x");
  }
  for (const paint of Object.values(paintFor(true))) {
    // deno-lint-ignore no-control-regex
    assert.match(paint("x"), /^\x1b\[\d+mx\x1b\[\d+m$/);
  }
});

Deno.test("withProgress: work of more than a second is named on a terminal, and wiped", async () => {
  const written: string[] = [];
  const screen = {
    errIsTerminal: true,
    err: (text: string | Uint8Array) => void written.push(String(text)),
  };
  const shown = Promise.withResolvers<void>();
  const guard = setTimeout(
    () => shown.reject(new Error("never shown")),
    10_000,
  );
  const answer = await withProgress(screen, "Reading", async (report) => {
    report("Reading\u202e b");
    const poll = setInterval(() => written.length > 0 && shown.resolve(), 10);
    await shown.promise.finally(() => clearInterval(poll));
    return 7;
  });
  clearTimeout(guard);
  assert.equal(answer, 7);
  assert.match(written[0]!, /Reading\\u\{202e\} b \(1 s\)$/);
  assert.equal(written.at(-1), "\r\x1b[K");
});

Deno.test("withProgress: says nothing for quick work or without a terminal", async () => {
  for (const errIsTerminal of [true, false]) {
    const written: string[] = [];
    const screen = {
      errIsTerminal,
      err: (text: string | Uint8Array) => void written.push(String(text)),
    };
    await withProgress(screen, "Reading", () => Promise.resolve());
    assert.deepEqual(written, []);
  }
});

Deno.test("withProgress: a pipe on stderr gets nothing however long it takes", async () => {
  const written: string[] = [];
  const screen = {
    errIsTerminal: false,
    err: (text: string | Uint8Array) => void written.push(String(text)),
  };
  await withProgress(
    screen,
    "Reading",
    () => new Promise((done) => setTimeout(done, 1300)),
  );
  assert.deepEqual(written, []);
});
