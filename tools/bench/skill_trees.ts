/** Skill folders of the sizes that are measured. */

import { join } from "node:path";

const FILLER = "Some words that a reader may look for. ".repeat(25);

/** Makes `count` skills of `files` files each (their SKILL.md among them). */
export async function makeSkills(
  root: string,
  count: number,
  files: number,
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const name = `skill-${String(i).padStart(5, "0")}`;
    const dir = join(root, name);
    await Deno.mkdir(join(dir, "references"), { recursive: true });
    await Deno.writeTextFile(
      join(dir, "SKILL.md"),
      `---\nname: ${name}\ndescription: Does thing number ${i}, and says so.\n---\n\n# ${name}\n\n${FILLER}\n`,
    );
    for (let j = 1; j < files; j++) {
      await Deno.writeTextFile(
        join(dir, "references", `part-${j}.md`),
        `${name} ${j}\n${FILLER}`,
      );
    }
  }
}

/** Makes every file below `references` this long; SKILL.md stays as it is. */
export async function growFiles(root: string, size: number): Promise<void> {
  const text = FILLER.repeat(Math.ceil(size / FILLER.length)).slice(0, size);
  for await (const { name } of Deno.readDir(root)) {
    const dir = join(root, name, "references");
    for await (const file of Deno.readDir(dir)) {
      await Deno.writeTextFile(join(dir, file.name), text);
    }
  }
}

/** Files that the script `reads.js` reads: so often its permissions are asked. */
export const READS = 1000;

/** Makes one skill `empty` whose scripts do nothing, and read much. */
export async function makeScripts(root: string): Promise<void> {
  const dir = join(root, "empty");
  await Deno.mkdir(dir, { recursive: true });
  await Deno.writeTextFile(
    join(dir, "SKILL.md"),
    `---
name: empty
description: Does nothing.
mcp-host:
  version: 1
  run:
    - script: empty.js
      interpreter: deno
    - script: reads.js
      interpreter: deno
---

Nothing.
`,
  );
  await Deno.writeTextFile(join(dir, "empty.js"), "");
  await Deno.writeTextFile(
    join(dir, "reads.js"),
    `for (let i = 0; i < ${READS}; i++) Deno.readTextFileSync("SKILL.md");\n`,
  );
}
