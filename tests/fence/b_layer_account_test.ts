/** In every mode: scripts of a root server run as another account. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { asRoot } from "../support/as_root.ts";
import { type Fence, openFence } from "../support/fenced.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { MODES } from "./b_layer_modes.ts";

/** Reads what its data holds, changes it, and leaves files of its own. */
const SCRIPT = `
const data = Deno.env.get("MCP_DATA_DIR");
const kept = [];
try { kept.push(Deno.readTextFileSync(data + "/old/kept.txt")); } catch (error) { kept.push(error.name); }
try { Deno.writeTextFileSync(data + "/old/kept.txt", "changed"); } catch (error) { kept.push(error.name); }
Deno.writeTextFileSync(data + "/made.txt", "made");
console.log(JSON.stringify(kept));
`;

function skill(): Promise<Tree> {
  return makeTree({
    "root/hostile/SKILL.md":
      "---\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - { script: a.mjs, interpreter: deno }\n---\n",
    "root/hostile/a.mjs": SCRIPT,
  });
}

function fenceOver(
  tree: Tree,
  mode: string,
  env: Readonly<Record<string, string>> = {},
): Fence {
  return openFence({
    root: tree.path("root"),
    dataDir: tree.path("data"),
    env: { SKILLFENCE_OS_FENCE: mode, ...env },
  });
}

for (const { mode, need } of MODES) {
  for (const uid of [65_534, 4242]) {
    const explicit: Record<string, string> = uid === 65_534
      ? {}
      : { SKILLFENCE_UID: String(uid) };
    Deno.test({
      name: `a root server (${mode}): scripts run as uid ${uid}, ${
        uid === 65_534 ? "unless told" : "as told"
      }, and data is that account's`,
      ignore: need().ignore || asRoot.ignore,
      async fn() {
        await using tree = await skill();
        using fence = fenceOver(tree, mode, explicit);
        const { result, stderr } = await fence.run("a.mjs");
        assert.equal(result.exitCode, 0, stderr);
        const prepared = await fence.prepare("a.mjs");
        assert.ok(prepared.ok);
        const { plan } = prepared.value;
        assert.equal(plan.confinement.uid, uid);
        assert.ok(
          plan.permissions.includes(
            `runs as the account with the number ${uid}`,
          ),
        );
        for (const path of [plan.dataDir!, join(plan.dataDir!, "made.txt")]) {
          const { uid: owner, gid } = await Deno.lstat(path);
          assert.deepEqual([owner, gid], [uid, uid], path);
        }
      },
    });
  }

  Deno.test({
    name:
      `a root server (${mode}): what its data directory held before is the scripts' account's`,
    ignore: need().ignore || asRoot.ignore,
    async fn() {
      await using tree = await skill();
      using fence = fenceOver(tree, mode);
      const prepared = await fence.prepare("a.mjs");
      assert.ok(prepared.ok);
      // As an earlier server left it, which ran scripts as itself.
      const dataDir = prepared.value.plan.dataDir!;
      await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
      await Deno.chmod(tree.path("data"), 0o711);
      await Deno.mkdir(join(dataDir, "old"), { mode: 0o700 });
      await Deno.writeTextFile(join(dataDir, "old", "kept.txt"), "kept", {
        mode: 0o600,
      });
      const { stdout, stderr } = await fence.run("a.mjs");
      assert.equal(stdout, '["kept"]\n', stderr);
      const kept = join(dataDir, "old", "kept.txt");
      assert.equal(await Deno.readTextFile(kept), "changed");
      assert.equal((await Deno.lstat(kept)).uid, 65_534);
    },
  });

  Deno.test({
    name:
      `a root server (${mode}): a skill that the account cannot read is refused by its path`,
    ignore: need().ignore || asRoot.ignore,
    async fn() {
      await using tree = await skill();
      using fence = fenceOver(tree, mode);
      const refused = async (path: string, mode: number) => {
        const before = (await Deno.stat(path)).mode!;
        await Deno.chmod(path, mode);
        const prepared = await fence.prepare("a.mjs");
        await Deno.chmod(path, before & 0o7777);
        assert.ok(!prepared.ok);
        assert.equal(prepared.code, "PREFLIGHT");
        assert.match(prepared.message, /uid 65534, as which scripts run/);
        return prepared;
      };
      const file = await refused(tree.path("root/hostile/a.mjs"), 0o600);
      assert.match(file.message, /^a\.mjs cannot be read by/);
      assert.match(file.hint, /SKILLFENCE_UID/);
      const dir = await refused(tree.path("root"), 0o700);
      assert.ok(dir.message.includes(`${tree.path("root")} keeps it out`));
      assert.ok((await fence.prepare("a.mjs")).ok);
    },
  });
}
