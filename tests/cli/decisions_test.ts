/** What docs/decisions.md owes its readers. */

import assert from "node:assert/strict";
import { join } from "node:path";

const TEXT = Deno.readTextFileSync(
  join(import.meta.dirname!, "..", "..", "docs", "decisions.md"),
).replace(/\s+/g, " ");

Deno.test("decisions.md: says why bundle files are not listed, with what listing them costs", () => {
  const at = TEXT.indexOf("**Bundle files are not listed as resources**");
  assert.ok(at >= 0);
  const said = TEXT.slice(at, TEXT.indexOf("- **", at + 1));
  for (const word of ["127 skills", "105 KB", "500 KB", "120,000 tokens"]) {
    assert.ok(said.includes(word), word);
  }
  assert.match(said, /adapter listed them all/);
});

Deno.test("decisions.md: has a line for each setting of the sidecar's launcher", () => {
  const at = TEXT.indexOf("Settings of its launcher that a server does not");
  assert.ok(at >= 0);
  const said = TEXT.slice(at, TEXT.indexOf("## ", at));
  for (
    const name of [
      "mcp.enabled",
      "mcp.skills.enabled",
      "mcp.skills.name",
      "autoAcceptTools",
      "autoRejectTools",
      "mcp.skills.system_prompts",
      "[[patches]]",
      "--transport",
      "--listen",
      "--token-file",
      "--allow-remote",
    ]
  ) assert.ok(said.includes(`\`${name}\``), name);
});
