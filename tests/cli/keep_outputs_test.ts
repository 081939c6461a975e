import assert from "node:assert/strict";
import { ok } from "../../src/base/refusal.ts";
import { keepOutputs, makeKeptDir } from "../../src/cli/keep_outputs.ts";
import { makeTree } from "../support/tree.ts";

const output = (id: string, path: string) => ({
  id,
  path,
  size: 1,
  mediaType: "text/plain",
  sha256: "sha256:0",
});

Deno.test("keepOutputs: copies out/ files, leaves data/ ones, overwrites nothing", async () => {
  await using tree = await makeTree({ "store/1": "one", "store/2": "two" });
  const store = {
    open: (id: string) => Promise.resolve(ok({ file: tree.path("store", id) })),
  };
  const outputs = [output("1", "out/deep/a.txt"), output("2", "data/b.txt")];
  const kept = await keepOutputs(outputs, store, tree.path("kept"));
  assert.equal(kept.refusal, undefined);
  assert.deepEqual(kept.paths, [tree.path("kept/deep/a.txt")]);
  assert.equal(await Deno.readTextFile(kept.paths[0]!), "one");

  await Deno.writeTextFile(tree.path("kept/deep/a.txt"), "mine");
  const more = [...outputs, output("2", "out/new.txt"), output("3", "out/x")];
  const again = await keepOutputs(more, store, tree.path("kept"));
  assert.match(
    again.refusal?.message ?? "",
    /^not kept: out\/deep\/a\.txt \(there is one already\), out\/x \(/,
  );
  // One that is in the way does not cost the others.
  assert.deepEqual(again.paths, [tree.path("kept/new.txt")]);
  assert.equal(await Deno.readTextFile(tree.path("kept/deep/a.txt")), "mine");
});

Deno.test("makeKeptDir: makes the directory, or refuses before anything ran", async () => {
  await using tree = await makeTree({ file: "x" });
  assert.ok((await makeKeptDir(tree.path("a/b"))).ok);
  assert.ok((await Deno.stat(tree.path("a/b"))).isDirectory);
  const made = await makeKeptDir(tree.path("file/below"));
  assert.match(made.ok ? "" : made.message, /^--out .* cannot be used: /);
});
