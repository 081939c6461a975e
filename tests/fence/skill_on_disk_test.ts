import assert from "node:assert/strict";
import type { Skill } from "../../src/catalog/types.ts";
import { SkillsOnDisk } from "../../src/fence/plan/skill_on_disk.ts";
import { makeTree } from "../support/tree.ts";

/** A text that declares one script; all such texts are of one length. */
function text(script: string): string {
  return `---
name: a
description: d
mcp-host:
  version: 1
  run:
    - script: ${script}
      interpreter: deno
---
`;
}

Deno.test("SkillsOnDisk: declares what the text says now, though its size and times stay", async () => {
  await using tree = await makeTree({ "SKILL.md": text("one.js") });
  const path = tree.path("SKILL.md");
  const skill = { name: "a", skillFile: path } as Skill;
  const skills = new SkillsOnDisk();
  const then = new Date(1_000_000_000_000);
  const digests = new Set<string | undefined>();
  for (const script of ["one.js", "two.js", "one.js", "six.js"]) {
    await Deno.writeTextFile(path, text(script));
    await Deno.utime(path, then, then);
    for (let call = 0; call < 2; call++) {
      const read = skills.read(skill);
      assert.ok(read.ok);
      const { declaration, instructionsOnly } = read.value.skill;
      assert.deepEqual(
        declaration.scripts.map((each) => each.script),
        [script],
      );
      assert.equal(instructionsOnly, false);
      digests.add(read.value.sha256);
    }
  }
  assert.equal(digests.size, 3);
  await Deno.writeTextFile(path, "no frontmatter");
  const bare = skills.read(skill);
  assert.ok(bare.ok && bare.value.skill.instructionsOnly);
  await Deno.remove(path);
  const gone = skills.read(skill);
  assert.equal(gone.ok ? "read" : gone.code, "NOT_FOUND");
});

Deno.test("SkillsOnDisk: texts beyond what is kept are made out again", async () => {
  await using tree = await makeTree({ "SKILL.md": "" });
  const path = tree.path("SKILL.md");
  const skills = new SkillsOnDisk();
  for (let turn = 0; turn < 2; turn++) {
    for (let i = 100; i < 200; i++) {
      await Deno.writeTextFile(path, text(`${i}.js`));
      const read = skills.read({ name: "a", skillFile: path } as Skill);
      assert.ok(read.ok);
      assert.equal(read.value.skill.declaration.scripts[0]?.script, `${i}.js`);
    }
  }
});
