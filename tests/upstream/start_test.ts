/** Servers that do as they are asked, started and called behind each layer. */

import assert from "node:assert/strict";
import { HELD, makeUpstream } from "./scene.ts";

for (const { mode, row, need } of HELD) {
  Deno.test({
    name:
      `UpstreamDoor (${mode}): pinned, started on first use, called, gone at the end`,
    ...need(),
    async fn() {
      await using scene = await makeUpstream({ mode, row });
      const door = await scene.pin();
      const skill = await scene.skill();
      const [state] = await door.states(skill);
      assert.equal(state?.state, "ready", state?.why);
      assert.match(
        state.fence ?? "",
        mode === "off"
          ? /^unfenced/
          : mode === "bwrap"
          ? /^bubblewrap/
          : /^Landlock/,
      );
      // Nothing runs yet.
      assert.deepEqual([...Deno.readDirSync(scene.tree.path("tmp"))], []);
      assert.equal(await scene.call("echo", { a: 1 }), '{"a":1}');
      const where = JSON.parse(await scene.call("where"));
      assert.deepEqual(where.files, []);
      assert.equal(where.cwd, where.env.HOME);
      assert.deepEqual(
        Object.keys(where.env).filter((name) =>
          !/^(?:PWD|OLDPWD|SHLVL|_)$/.test(name)
        ).sort(),
        [
          "HOME",
          "LANG",
          "MCP_DATA_DIR",
          "PATH",
          "SKILLFENCE_UPSTREAM",
          "TMPDIR",
        ]
          .concat(mode === "landlock" ? ["DENO_DIR"] : []).sort(),
      );
      assert.equal(where.uid, Deno.uid() === 0 ? 65534 : Deno.uid());
      assert.equal(await scene.call("keep", { name: "x", words: "w" }), "kept");
      const data = where.env.MCP_DATA_DIR;
      assert.ok(data.startsWith(scene.tree.path("data")));
      assert.equal(await Deno.readTextFile(`${data}/x`), "w");
      await door.close();
      assert.deepEqual([...Deno.readDirSync(scene.tree.path("tmp"))], []);
    },
  });
}
