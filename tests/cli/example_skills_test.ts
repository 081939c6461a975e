/** The bundled skills, read the way the server reads them. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { readSkillDocument } from "../../src/skill/document.ts";

const SKILLS = join(import.meta.dirname!, "..", "..", "skills");
const NAMES = ["fence-probe", "http-fetch-demo", "skill-author", "text-stats"];

for (const name of NAMES) {
  Deno.test(`${name}: its document has no finding and declares scripts that exist`, async () => {
    const bytes = await Deno.readFile(join(SKILLS, name, "SKILL.md"));
    const document = readSkillDocument(bytes);
    assert.deepEqual(document.findings, []);
    assert.equal(document.claimedName, name);
    assert.ok((document.description ?? "").length > 40);
    assert.ok(document.declaration.scripts.length > 0);
    for (const { script } of document.declaration.scripts) {
      assert.ok((await Deno.lstat(join(SKILLS, name, script))).isFile, script);
    }
  });
}

Deno.test("skills: the directory holds the four examples and nothing else", () => {
  const names = [...Deno.readDirSync(SKILLS)].map((entry) => entry.name).sort();
  assert.deepEqual(names, NAMES);
});

Deno.test("skill-author: its checker knows the variables that are never handed over", async () => {
  const { UNGRANTABLE } = await import("../../src/skill/env_names.ts");
  const { checkBlock } = await import(
    "../../skills/skill-author/lib/check_block.mjs"
  );
  for (const rule of UNGRANTABLE) {
    const name = rule.replace("*", rule.startsWith("*") ? "X" : "_X")
      .replace("__", "_");
    const env = [rule.includes("*") ? name : rule];
    const block = {
      version: 1,
      run: [{ script: "a.mjs", interpreter: "node", env }],
    };
    const findings: unknown[] = checkBlock(block, () => 1);
    assert.equal(findings.length, 1, `${rule} as ${env}`);
  }
});
