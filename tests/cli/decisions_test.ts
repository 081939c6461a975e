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
      "mcp.skills.dirs",
      "mcp.skills.prompts",
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

Deno.test("decisions.md: the claims hold every behaviour of the sidecar, and what is decided otherwise has a line there", () => {
  const claims = Deno.readTextFileSync(
    join(import.meta.dirname!, "..", "..", "docs", "claims", "C.md"),
  );
  const all = /\n## Sidecar behaviours\n([\s\S]*?)(?:\n## |$)/.exec(
    claims,
  )![1]!;
  const [ours, decided] = all.split("\nThese are decided otherwise")
    .map((text) =>
      [...text.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell]) =>
        cell!.split(",").map(Number)
      )
    );
  assert.deepEqual(
    [...ours!, ...decided!].sort((a, b) => a - b),
    Array.from({ length: 167 }, (_, i) => i + 1),
  );
  const at = TEXT.indexOf("Of the sidecar's behaviours");
  const said = TEXT.slice(at, TEXT.indexOf("Settings of its launcher", at));
  const lines = new Set(
    [...said.matchAll(/(?:- |\. )((?:\d+(?:-\d+)?, )*\d+(?:-\d+)?): /g)]
      .flatMap(([, numbers]) => numbers!.split(", "))
      .flatMap((part) => {
        const [from, to = from] = part.split("-").map(Number);
        return Array.from({ length: to! - from! + 1 }, (_, i) => from! + i);
      }),
  );
  assert.deepEqual(decided!.filter((number) => !lines.has(number)), []);
});
