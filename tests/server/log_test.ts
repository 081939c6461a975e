import assert from "node:assert/strict";
import { internalRefusal } from "../../src/server/errors.ts";
import { createLogger } from "../../src/server/log.ts";

Deno.test("createLogger: passes what is grave enough, one visible line each", () => {
  const lines: string[] = [];
  const log = createLogger("warn", (line) => lines.push(line));
  log.error("a\nb");
  log.warn("c\u{202e}\u001b[0m");
  log.info("no");
  log.debug("no");
  assert.deepEqual(lines, [
    "skillfence: error: a\n",
    "skillfence: error: b\n",
    "skillfence: warn: c\\u{202e}\\u{1b}[0m\n",
  ]);
});

Deno.test("internalRefusal: the caller gets an id, the log the id and the error", () => {
  const lines: string[] = [];
  const log = createLogger("error", (line) => lines.push(line));
  const refusal = internalRefusal(new Error("secret /home/place"), log);
  assert.equal(refusal.code, "INTERNAL");
  const id = /\(id ([0-9a-f]{8})\)/.exec(refusal.message)?.[1];
  assert.ok(id);
  assert.ok(!JSON.stringify(refusal).includes("secret"));
  assert.ok(lines[0]!.includes(id) && lines.join("").includes("secret"));
});
