import assert from "node:assert/strict";
import { ok } from "../../src/base/refusal.ts";
import { keepOutputs } from "../../src/cli/keep_outputs.ts";
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
  assert.ok(kept.ok);
  assert.deepEqual(kept.value, [tree.path("kept/deep/a.txt")]);
  assert.equal(await Deno.readTextFile(kept.value[0]!), "one");

  await Deno.writeTextFile(tree.path("kept/deep/a.txt"), "mine");
  const again = await keepOutputs(outputs, store, tree.path("kept"));
  assert.ok(!again.ok);
  assert.equal(await Deno.readTextFile(tree.path("kept/deep/a.txt")), "mine");
});
