import assert from "node:assert/strict";
import { structuredLength } from "../../src/server/fit.ts";
import { movedRow, watchNotes, watchRows } from "../../src/server/moved.ts";
import type { Changes, WatchState } from "../../src/watch/types.ts";

const names = (count: number, length = 8): string[] =>
  Array.from({ length: count }, (_, n) => `${n}`.padStart(length, "n"));

Deno.test("movedRow tells all of a small change, and how much it leaves out of a large one", () => {
  const small: Changes = {
    added: ["a"],
    removed: ["b"],
    changed: [{
      name: "c",
      skillFile: true,
      added: [],
      removed: [],
      changed: ["x"],
    }],
    references: ["1:r.md"],
    prompts: ["p"],
  };
  assert.deepEqual(movedRow(small), small);
  const large: Changes = {
    ...small,
    added: names(5_000, 200),
    changed: names(300, 64).map((name) => ({
      name,
      skillFile: false,
      added: names(200, 200),
      removed: [],
      changed: [],
    })),
  };
  const row = movedRow(large);
  assert.ok(structuredLength(row) <= 12_000);
  assert.ok(row.added.length > 0 && row.changed.length > 0);
  assert.ok(row.more! > 5_000);
});

Deno.test("watchRows and watchNotes number roots and prompt directories, and name no path", () => {
  const states: WatchState[] = [
    { path: "/secret/a", root: 1, state: "watching" },
    { path: "/secret/b", root: 2, state: "degraded", reason: "no watches" },
    {
      path: "/secret/w/.agents/skills",
      root: undefined,
      folder: ".agents/skills",
      state: "degraded",
      reason: "no watches",
    },
    { path: "/secret/p", root: undefined, state: "off" },
  ];
  assert.deepEqual(watchRows(states), [
    { root: 1, state: "watching" },
    { root: 2, state: "degraded", reason: "no watches" },
    { folder: ".agents/skills", state: "degraded", reason: "no watches" },
    { prompts: 1, state: "off" },
  ]);
  assert.deepEqual(watchNotes(states, false), [
    "Not watching root 2 (no watches), .agents/skills of a workspace (no watches), prompt directory 1 (off): pass reload: true after a change there.",
  ]);
  assert.deepEqual(watchNotes(states, true), []);
  assert.deepEqual(watchNotes(states.slice(0, 1), false), []);
});
