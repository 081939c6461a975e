import assert from "node:assert/strict";
import { clearSetIds } from "../../src/fence/outputs/set_ids.ts";
import { OUTPUT_LIMITS, OutputStore } from "../../src/fence/outputs.ts";
import { ScratchKeeper } from "../../src/fence/disk/scratch.ts";
import { asRoot, NOBODY } from "../support/as_root.ts";
import { openFence } from "../support/fenced.ts";
import { makeTree } from "../support/tree.ts";
import { FakeClock } from "./fake_clock.ts";

const onLinux = { ignore: Deno.build.os !== "linux" }; // holds files by /proc
const SKILL = `---
description: d
mcp-host:
  version: 1
  run:
    - { script: a.mjs, interpreter: deno, workspace: write }
---
`;
/** Leaves set-id files wherever it may write. */
const SCRIPT = `
const data = Deno.env.get("MCP_DATA_DIR");
const leave = (path, mode) => {
  Deno.writeTextFileSync(path, "#!/bin/sh\\n");
  Deno.chmodSync(path, mode);
  console.log((Deno.statSync(path).mode & 0o7777).toString(8));
};
Deno.mkdirSync("deep/er", { recursive: true });
leave(data + "/user", 0o4755);
leave("deep/er/both", 0o7711);
leave("known", 0o4700);
leave(Deno.env.get("SKILL_OUT") + "/group", 0o2755);
Deno.chmodSync(data + "/user", 0o4111);
`;

function modeOf(path: string): string {
  return (Deno.lstatSync(path).mode! & 0o7777).toString(8);
}

Deno.test({
  name:
    "fence (off): no set-id bit stays on what a script left, an owner's own stays",
  ...onLinux,
  async fn() {
    await using tree = await makeTree({
      "root/hostile/SKILL.md": SKILL,
      "root/hostile/a.mjs": SCRIPT,
      "work/own": "",
      "work/known": "",
      data: { dir: true },
    });
    for (const dir of ["", "root", "root/hostile", "work", "data"]) {
      await Deno.chmod(tree.path(dir), 0o755);
    }
    for (const file of ["SKILL.md", "a.mjs"]) {
      await Deno.chmod(tree.path("root", "hostile", file), 0o644);
    }
    if (Deno.uid() === 0) {
      for (const path of ["work", "work/own", "work/known"]) {
        await Deno.chown(tree.path(path), NOBODY.uid, NOBODY.gid);
      }
    }
    const [own, known] = [tree.path("work", "own"), tree.path("work", "known")];
    for (const path of [own, known]) await Deno.chmod(path, 0o4755);
    using fence = openFence({
      root: tree.path("root"),
      dataDir: tree.path("data"),
      grant: [{
        skill: "hostile",
        script: "a.mjs",
        workspace: tree.path("work"),
      }],
      env: { SKILLFENCE_OS_FENCE: "off" },
    });
    const { stdout, stderr, result } = await fence.run("a.mjs");
    assert.equal(stdout, "4755\n7711\n4700\n2755\n", stderr);
    const [data] = [...Deno.readDirSync(tree.path("data"))];
    assert.equal(modeOf(tree.path("data", data!.name, "user")), "111");
    assert.equal(modeOf(tree.path("work", "deep", "er", "both")), "1711");
    assert.equal(modeOf(known), "700");
    assert.equal(modeOf(own), "4755");
    assert.match(
      result.hints.join("\n"),
      /^4 files were left with a set-user-id or set-group-id bit, which was taken off\.$/m,
    );
  },
});

Deno.test({
  name:
    "OutputStore: set-id bits go also where a run left more than is told, and from earlier runs' data",
  ...onLinux,
  async fn() {
    await using tree = await makeTree({
      tmp: { dir: true },
      "data/1/a": "",
      "data/2/b": "",
      "data/3/c": "",
    });
    const store = new OutputStore(
      new ScratchKeeper(tree.path("tmp")),
      new FakeClock(),
      { ...OUTPUT_LIMITS, entries: 2 },
    );
    const dir = tree.path("data");
    const files = ["1/a", "2/b", "3/c"].map((path) => tree.path("data", path));
    for (const file of files) await Deno.chmod(file, 0o4755);
    const before = await store.look(dir, true);
    assert.deepEqual([before.complete, before.setIds.size], [false, 3]);
    const source = { dir, before, setIds: true };
    const workspace = await store.collect([{ ...source, label: "workspace" }]);
    assert.doesNotMatch(workspace.hints.join(), /set-user-id/);
    assert.deepEqual(files.map(modeOf), ["4755", "4755", "4755"]);
    const { hints } = await store.collect([{ ...source, label: "data" }]);
    assert.match(hints.join(), /3 files were left with a set-user-id/);
    assert.deepEqual(files.map(modeOf), ["755", "755", "755"]);
    store.closeSync();
  },
});

Deno.test({
  name: "clearSetIds: follows no link and touches no special file",
  ...onLinux,
  async fn() {
    await using tree = await makeTree({
      "elsewhere/x": "",
      "dir/link": { link: "../elsewhere" },
      "dir/name": { link: "../elsewhere/x" },
      instead: { link: "elsewhere" },
    });
    await Deno.chmod(tree.path("elsewhere", "x"), 0o4755);
    const hints = clearSetIds([
      { dir: tree.path("dir"), path: "link/x" },
      { dir: tree.path("dir"), path: "name" },
      { dir: tree.path("instead"), path: "x" },
      { dir: tree.path("dir"), path: "gone" },
    ], Deno.uid());
    assert.deepEqual(hints, [
      "4 files were left with a set-user-id or set-group-id bit, which could not be taken off.",
    ]);
    assert.equal(modeOf(tree.path("elsewhere", "x")), "4755");
    const file = { dir: tree.path("elsewhere"), path: "x" };
    assert.equal(clearSetIds([file], Deno.uid()).length, 1);
    assert.equal(modeOf(tree.path("elsewhere", "x")), "755");
  },
});

Deno.test({
  name: "clearSetIds: what another account owns stays as it is",
  ...asRoot,
  async fn() {
    await using tree = await makeTree({ "dir/x": "" });
    await Deno.chmod(tree.path("dir", "x"), 0o4755);
    const file = { dir: tree.path("dir"), path: "x" };
    const [hint] = clearSetIds([file], NOBODY.uid);
    assert.match(hint ?? "", /^1 file was left .* could not be taken off/);
    assert.equal(modeOf(tree.path("dir", "x")), "4755");
  },
});
