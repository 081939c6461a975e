import assert from "node:assert/strict";
import { ProbeGround } from "../../src/os/probe_ground.ts";
import { makeTree } from "../support/tree.ts";

Deno.test({
  name: "ProbeGround: what could not be laid leaves nothing behind",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using tree = await makeTree();
    const { mkdirSync } = Deno;
    Deno.mkdirSync = () => {
      throw new Deno.errors.PermissionDenied("no");
    };
    try {
      assert.throws(() =>
        new ProbeGround({
          tmpDir: tree.root,
          prefix: "probe-",
          runtime: Deno.execPath(),
          account: undefined,
          filter: new Uint8Array(),
        }), Deno.errors.PermissionDenied);
    } finally {
      Deno.mkdirSync = mkdirSync;
    }
    assert.deepEqual([...Deno.readDirSync(tree.root)], []);
  },
});
