import assert from "node:assert/strict";
import { type ProbeKey, probeRecord } from "../../src/os/probe_record.ts";
import { makeTree } from "../support/tree.ts";

const KEY: ProbeKey = { by: "landlock", uid: 1000, mtime: 5 };
const linux = { ignore: Deno.build.os !== "linux" };

Deno.test({
  name: "probeRecord: what was kept holds for the same key, however ordered",
  ...linux,
  async fn() {
    await using tree = await makeTree();
    assert.equal(await probeRecord(tree.root, KEY).holds(), false);
    await probeRecord(tree.root, KEY).keep();
    const again: ProbeKey = { mtime: 5, uid: 1000, by: "landlock" };
    assert.equal(await probeRecord(tree.root, again).holds(), true);
    const [file, ...more] = [...Deno.readDirSync(tree.root)];
    assert.deepEqual(more, []);
    const info = await Deno.lstat(tree.path(file!.name));
    assert.equal((info.mode ?? 0) & 0o777, 0o600);
  },
});

Deno.test({
  name: "probeRecord: another key, layer, boot or content does not hold",
  ...linux,
  async fn() {
    await using tree = await makeTree();
    await probeRecord(tree.root, KEY).keep();
    for (
      const other of [{ ...KEY, uid: 0 }, { ...KEY, by: "bwrap" as const }]
    ) {
      assert.equal(await probeRecord(tree.root, other).holds(), false);
    }
    const path = tree.path("os-probe-landlock.json");
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace(/"boot":"\w/, '"boot":"x'));
    assert.equal(await probeRecord(tree.root, KEY).holds(), false);
    await Deno.writeTextFile(path, text.slice(0, -2));
    assert.equal(await probeRecord(tree.root, KEY).holds(), false);
  },
});

Deno.test("probeRecord: without a usable directory nothing is kept, nothing fails", async () => {
  await using tree = await makeTree({ file: "" });
  for (const dir of [undefined, tree.path("file"), tree.path("missing")]) {
    await probeRecord(dir, KEY).keep();
    assert.equal(await probeRecord(dir, KEY).holds(), false);
  }
  assert.deepEqual([...Deno.readDirSync(tree.root)].length, 1);
});
