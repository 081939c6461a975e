/** `skillfence list` names prompt files. */

import assert from "node:assert/strict";
import { makeTree } from "../support/tree.ts";
import { skillfence } from "./command.ts";

const TREE = {
  "s/alpha/SKILL.md": "---\nname: alpha\ndescription: First.\n---\nBody.\n",
  "p/review.md": "Review.\n",
  "p/style.md": "Style.\n",
};

Deno.test("list: prompt files are named, prompts of skills counted, and the note for models is left out", async () => {
  await using tree = await makeTree(TREE);
  const { stdout } = await skillfence([
    ...["list", "--skills", tree.path("s"), "--prompt-dir", tree.path("p")],
  ]);
  assert.match(stdout, /^Prompts: review, style, and 1 made from skills$/m);
  assert.doesNotMatch(stdout, /There are prompt files/);
});

Deno.test("list: prompt files without skills, and skills without prompt files", async () => {
  await using tree = await makeTree({ ...TREE, "none": { dir: true } });
  const files = await skillfence([
    ...["list", "--skills", tree.path("none"), "--prompt-dir", tree.path("p")],
  ]);
  assert.match(files.stdout, /^Prompts: review, style$/m);
  const skills = await skillfence(["list", "--skills", tree.path("s")]);
  assert.doesNotMatch(skills.stdout, /Prompts/);
});
