/** Servers that do as they are asked, started and called behind each layer. */

import assert from "node:assert/strict";
import { HELD, makeUpstream, runtimeCommand } from "./scene.ts";

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

for (const { mode, row, need } of HELD) {
  Deno.test({
    name:
      `UpstreamDoor (${mode}): a program installed outside the system, with what lies beside it`,
    ...need(),
    async fn() {
      const started = runtimeCommand("${SKILL_ROOT}/usual.mjs");
      await using scene = await makeUpstream({
        mode,
        row,
        json: {
          it: { command: "own-node", args: ["${SKILL_ROOT}/usual.mjs"] },
        },
        files: {
          // Reads what is installed beside it, and becomes the real one.
          "opt/own/bin/own-node":
            `#!/bin/sh\nread -r flag <"\${0%/*}/../lib/flag" || exit 9\nexec ${started.command} ${
              started.args.slice(0, -1).join(" ")
            } "$@" "$flag"\n`,
          "opt/own/lib/flag": "beside\n",
          "opt/secret": "not beside",
        },
        path: "opt/own/bin",
      });
      const program = scene.tree.path("opt/own/bin/own-node");
      await Deno.chmod(program, 0o755);
      await scene.pin();
      const plan = await scene.door.plan(await scene.skill(), "it", "echo", {});
      assert.ok(plan.ok);
      if (mode !== "off") {
        const shown = scene.tree.path("opt/own");
        assert.ok(
          plan.value.permissions.includes(`reads ${shown}, its program's own`),
          plan.value.permissions.join(),
        );
      }
      assert.deepEqual(JSON.parse(await scene.call("where")).args, ["beside"]);
      const secret = await scene.call("read", {
        path: scene.tree.path("opt/secret"),
      });
      if (mode !== "off") assert.match(secret, /^E/);
    },
  });
}
