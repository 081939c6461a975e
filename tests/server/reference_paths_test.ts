/** Shared references by the paths that links in SKILL.md have. */

import assert from "node:assert/strict";
import { openServer } from "../support/server_calls.ts";

const FILES = {
  "shared/deep/style.md": "Style.\n",
  "shared/tone.md": "Be kind.\n",
  "secret.md": "never",
  "one/SKILL.md":
    "---\nname: one\ndescription: One.\nreferences: [../shared/tone.md, ../gone.md]\n---\nOne.\n",
  "one/shared/own.md": "own",
  "two/SKILL.md":
    "---\nname: two\ndescription: Two.\nreferences: [../shared/tone.md]\n---\nTwo.\n",
};

for (
  const [name, path, came] of [
    ["one", "shared/tone.md", "Be kind.\n"],
    ["one", "../shared/tone.md", "Be kind.\n"],
    ["one", "shared/own.md", "own"],
    ["one", "../shared/own.md", "PATH_REFUSED"],
    ["one", "../secret.md", "PATH_REFUSED"],
    ["one", "../gone.md", "PATH_REFUSED"],
    ["one", "../two/SKILL.md", "PATH_REFUSED"],
    ["one", "shared/../../secret.md", "PATH_REFUSED"],
    ["two", "../shared/deep/style.md", "PATH_REFUSED"],
    ["two", "shared/deep/style.md", "NOT_FOUND"],
  ] as const
) {
  Deno.test(`skill_file: of ${name}, ${path} is ${JSON.stringify(came)}`, async () => {
    await using server = await openServer({ files: FILES });
    const { text } = await server.call("skill_file", { name, path });
    const [file] = JSON.parse(text[0]!).files;
    assert.equal(file.error?.code ?? text[1], came);
  });
}

Deno.test("skill_file: a file of the skill goes before a reference at its place", async () => {
  await using server = await openServer({
    files: { ...FILES, "two/shared/tone.md": "own" },
  });
  const { text } = await server.call("skill_file", {
    name: "two",
    path: "shared/tone.md",
  });
  assert.equal(text[1], "own");
});
