/** Arguments for another's tool: any JSON a client sends, at any depth. */

import assert from "node:assert/strict";
import { connect, processTest } from "../support/clients.ts";

Deno.test(
  "skill_call: arguments that nothing walks are refused, and the levels told",
  processTest,
  async () => {
    await using client = await connect("v2", { args: [] });
    const text = `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`;
    const { structured, text: said } = await client.call("skill_call", {
      name: "text-stats",
      server: "it",
      tool: "t",
      arguments: JSON.parse(text),
    });
    const answer = JSON.stringify([structured, said]);
    assert.match(answer, /INVALID_ARGUMENTS/);
    assert.match(answer, /nested more than 100 levels deep/);
  },
);
