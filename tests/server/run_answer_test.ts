import assert from "node:assert/strict";
import type { RunResult } from "../../src/fence/types.ts";
import { runAnswer } from "../../src/server/run_answer.ts";

const NOTHING = {
  head: new Uint8Array(0),
  tail: new Uint8Array(0),
  total: 0,
};

function ended(stdout: number, stderr: number): RunResult {
  const stream = (total: number, letter: string) => ({
    ...NOTHING,
    head: new TextEncoder().encode(letter.repeat(total)),
    total,
  });
  return {
    skill: "s",
    script: "a.mjs",
    interpreter: "node",
    exitCode: 0,
    signal: null,
    timedOut: false,
    cancelled: false,
    stdout: stream(stdout, "o"),
    stderr: stream(stderr, "e"),
    outputs: [],
    durationMs: 1,
    env: [],
    planDigest: "sha256:0",
    overLimit: null,
    evidence: {
      read: [],
      write: [],
      net: [],
      env: [],
      sys: [],
      run: [],
      ffi: [],
      import: [],
      more: 0,
      blind: [],
    },
    limits: { enforced: [], notEnforced: [] },
    hints: [],
  };
}

const letters = (text: string | undefined, letter: string): number =>
  (text ?? "").split("\n").filter((line) => !line.startsWith("…"))
    .join("").split(letter).length - 1;

Deno.test("skill_run: without outputLimit 12,000 bytes of both streams come back", () => {
  for (
    const [stdout, stderr, shown] of [
      [12_000, 0, [12_000, 0]],
      [6_000, 6_000, [6_000, 6_000]],
      [20_000, 20_000, [6_000, 6_000]],
      [20_000, 100, [11_900, 100]],
    ] as const
  ) {
    const answer = runAnswer(ended(stdout, stderr), undefined);
    assert.deepEqual(
      [letters(answer.stdout, "o"), letters(answer.stderr, "e")],
      shown,
    );
    assert.deepEqual(answer.omittedBytes, {
      stdout: stdout - shown[0],
      stderr: stderr - shown[1],
    });
  }
});
