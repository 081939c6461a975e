import assert from "node:assert/strict";
import type { Engine } from "../../src/server/engine_types.ts";
import { candidatesOf } from "../../src/server/match_candidates.ts";
import { keywords, skillOf } from "../context/trigger_skills.ts";

Deno.test("candidatesOf: strangers' texts that take long to read share one short time", async () => {
  const read: string[] = [];
  const context = {
    digest: () => Promise.resolve("sha256:0"),
    // As the reader does with a text made for it: nothing else runs meanwhile.
    commands: (text: string) => {
      read.push(text);
      const end = performance.now() + 600;
      while (performance.now() < end);
      return Promise.resolve([]);
    },
  } as unknown as Engine["context"];
  const hits = Array.from({ length: 50 }, (_, n) => ({
    skill: skillOf(`s${n}`, keywords("git"), {
      body: n === 49 ? "none" : "!`a` and !`b`",
    }),
    kind: "keyword" as const,
    matched: "git",
    at: { in: "message" as const, offset: 0, text: "git" },
  }));
  const rows = await candidatesOf({ context }, hits, [], 20);
  assert.equal(rows.length, 50);
  // The first used it up: of the others it is told how many there are at most.
  assert.equal(read.length, 1);
  assert.equal(rows[0]!.row.commands, 2);
  assert.equal(rows[19]!.row.commands, 2);
  assert.equal(rows[49]!.row.commands, 0);
});

Deno.test("candidatesOf: of what no answer can show, no text is read", async () => {
  const read: string[] = [];
  const context = {
    digest: () => Promise.resolve("sha256:0"),
    commands: (text: string) => Promise.resolve((read.push(text), [])),
  } as unknown as Engine["context"];
  const hits = ["!`a`", "!`b`", "!`c`"].map((body) => ({
    skill: skillOf(body, keywords("git"), { body }),
    kind: "keyword" as const,
    matched: "git",
    at: { in: "message" as const, offset: 0, text: "git" },
  }));
  await candidatesOf({ context }, hits, [], 2);
  assert.deepEqual(read, ["!`a`", "!`b`"]);
});
