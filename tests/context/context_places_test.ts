import assert from "node:assert/strict";
import { findContextFiles } from "../../src/context/context_files.ts";
import { contextPlaces } from "../../src/context/context_places.ts";
import { makeTree } from "../support/tree.ts";

Deno.test("contextPlaces: only the workspace and directories in which known files really lie", async () => {
  await using tree = await makeTree({
    "w/AGENTS.md": { link: "doc/agents.txt" },
    "w/doc/agents.txt": "Said elsewhere.\n",
    "w/api/CLAUDE.md": "Nested.\n",
    "w/bad/GEMINI.md": "\0\u{fffd}",
    "w/src/a/b/c.ts": "",
    "w/node_modules/x/AGENTS.md": "Not read.\n",
  });
  await Deno.writeFile(tree.path("w/bad/GEMINI.md"), new Uint8Array([0xff]));
  const workspaces = [tree.path("w")];
  const found = await findContextFiles(workspaces, { client: undefined });
  const { directories, matters } = contextPlaces({
    workspaces,
    dialects: [],
    found,
  });
  assert.deepEqual(
    [...directories].sort(),
    ["w", "w/api", "w/bad", "w/doc"].map((path) => tree.path(path)),
  );
  const counts = [
    "w/AGENTS.md",
    "w/doc/agents.txt",
    "w/api/CLAUDE.md",
    "w/bad/GEMINI.md",
    // New ones beside what is known, in any spelling.
    "w/Agents.md",
    "w/.cursorrules",
    "w/api/AGENTS.md",
  ];
  for (const path of counts) assert.ok(matters(tree.path(path)), path);
  const not = ["w/a.ts", "w/src/AGENTS.md", "w/doc/b.txt", "AGENTS.md", "w"];
  for (const path of not) assert.ok(!matters(tree.path(path)), path);
});

Deno.test("contextPlaces: the places of further dialects count when those are read", () => {
  const places = (dialects: string[]) =>
    contextPlaces({ workspaces: ["/w"], dialects, found: undefined });
  const { directories, matters } = places(["cursor-rules", "copilot"]);
  assert.deepEqual([...directories], ["/w", "/w/.cursor/rules", "/w/.github"]);
  assert.ok(matters("/w/.cursor/rules/a.mdc"));
  assert.ok(matters("/w/.github/copilot-instructions.md"));
  assert.ok(!matters("/w/.cursor/rules/a.txt"));
  assert.ok(!matters("/w/.github/other.md"));
  assert.ok(!places([]).matters("/w/.github/copilot-instructions.md"));
});
