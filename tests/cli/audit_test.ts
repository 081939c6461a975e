import assert from "node:assert/strict";
import { auditLineText as line } from "../audit/lines.ts";
import { makeTree } from "../support/tree.ts";
import { skillfence } from "./command.ts";

const LOG = line() +
  line({
    event: "refusal",
    skill: "evil\u202e\u001b[31m",
    outcome: { code: "NOT_GRANTED" },
    evidence: null,
  }) +
  "garbage\n" +
  line({
    time: "2026-02-01T00:00:00.000Z",
    outcome: {
      exitCode: null,
      signal: "SIGKILL",
      timedOut: true,
      cancelled: false,
      durationMs: 30_000,
    },
    evidence: {
      allowed: {},
      denied: { net: 3, env: 1 },
      deniedNames: ["net evil.example:443", "env API_KEY"],
      more: 0,
    },
  });

Deno.test("audit: a table with what was denied, bad lines counted, strangers' text visible", async () => {
  await using tree = await makeTree({ "audit.log": LOG });
  const { code, stdout, stderr } = await skillfence(["audit", "audit.log"], {
    cwd: tree.root,
  });
  assert.equal(stderr, "");
  assert.equal(code, 0);
  assert.deepEqual(stdout.split("\n"), [
    "TIME                  EVENT    SKILL                   SCRIPT   OUTCOME              DENIED",
    "2026-01-31T12:00:00Z  run      weather                 get.mjs  exit 0, 12 ms",
    "2026-01-31T12:00:00Z  refusal  evil\\u{202e}\\u{1b}[31m  get.mjs  NOT_GRANTED",
    "2026-02-01T00:00:00Z  run      weather                 get.mjs  timed out, 30000 ms  net evil.example:443, env API_KEY and 2 more",
    "",
    "3 entries; 1 line could not be read",
    "",
  ]);
});

Deno.test("audit: filters, and JSON that is one document", async () => {
  await using tree = await makeTree({ "audit.log": LOG });
  const file = tree.path("audit.log");
  const events = async (...options: string[]) => {
    const { stdout } = await skillfence(["audit", file, "--json", ...options]);
    const { entries, unreadable } = JSON.parse(stdout);
    assert.equal(unreadable, 1);
    return entries.map(({ event }: { event: string }) => event);
  };
  assert.deepEqual(await events(), ["run", "refusal", "run"]);
  assert.deepEqual(await events("--skill", "weather"), ["run", "run"]);
  assert.deepEqual(await events("--event", "refusal"), ["refusal"]);
  assert.deepEqual(await events("--since", "2026-02-01"), ["run"]);
  assert.deepEqual(await events("--denied"), ["refusal", "run"]);
  assert.deepEqual(await events("--since", "1m"), []);
});

Deno.test("audit: more rows than are laid out together", async () => {
  await using tree = await makeTree({ "audit.log": line().repeat(1_201) });
  const { stdout } = await skillfence(["audit", tree.path("audit.log")]);
  const lines = stdout.split("\n");
  assert.equal(lines.filter((text) => text.startsWith("TIME")).length, 3);
  assert.equal(lines.filter((text) => text.includes("weather")).length, 1_201);
  assert.ok(stdout.endsWith("\n1201 entries\n"));
});

Deno.test("audit: mistakes end with 2 and say what is accepted", async () => {
  await using tree = await makeTree({ "audit.log": LOG });
  const file = tree.path("audit.log");
  for (
    const [args, word] of [
      [[], "missing required argument 'file'"],
      [["none.log"], "none.log does not exist"],
      [[tree.root], "is not a regular file"],
      [
        [file, "--event", "runs"],
        "one of preview, run, call, refusal, cancellation, render",
      ],
      [[file, "--since", "yesterday\u0007"], '"yesterday\\u{7}"; accepted'],
      [[file, "--since", "2026-13-45"], "accepted: a time"],
    ] as const
  ) {
    const { code, stdout, stderr } = await skillfence(["audit", ...args]);
    assert.equal(code, 2, args.join(" "));
    assert.equal(stdout, "");
    assert.ok(stderr.includes(word), stderr);
  }
});
