/** A server keeps the index that hooks match against. */

import assert from "node:assert/strict";
import { connect, processTest } from "../support/clients.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { until } from "../support/until.ts";
import { startHttp } from "../http/server.ts";
import { skillfence } from "./command.ts";

const FILES = {
  "skills/deploy/SKILL.md":
    "---\ndescription: d\ntriggers: [deploy]\n---\nDeploy with care.\n",
  "work/.agents/skills/ship.md": "---\ntriggers: [ship]\n---\nShip it.\n",
};

/** A tree whose cache directory is fit to be used. */
async function tree(): Promise<Tree> {
  const made = await makeTree(FILES);
  await Deno.mkdir(made.path("cache"), { mode: 0o700 });
  return made;
}

/** Indexes that stand as they are, by file, with what tells a rewritten one. */
function indexes(tree: Tree): Map<string, string> {
  const found = new Map<string, string>();
  try {
    for (const { name } of Deno.readDirSync(tree.path("cache/match"))) {
      const path = tree.path(`cache/match/${name}`);
      const { ino, mtime } = Deno.lstatSync(path);
      const unsure = !name.endsWith(".json") ||
        JSON.parse(Deno.readTextFileSync(path)).unsure;
      found.set(name, `${ino} ${mtime?.getTime()} ${unsure ? "unsure" : ""}`);
    }
  } catch (error) {
    // Not there yet, or just renamed.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found;
}

/** Asks as a client's hook does; it may make no index meanwhile. */
async function hit(tree: Tree, prompt: string): Promise<string> {
  const index = await until(() => {
    const all = indexes(tree);
    return all.size === 1 && ![...all.values()].join().includes("unsure") &&
      all;
  });
  const { code, stdout, stderr } = await skillfence([
    ...["match", "--stdin", "--client", "text", "--within", "30000"],
    ...["--skills", tree.path("skills"), "--workspace", tree.path("work")],
  ], {
    stdin: JSON.stringify({ prompt, cwd: "/" }),
    env: { SKILLFENCE_CACHE_DIR: tree.path("cache") },
  });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(indexes(tree), index);
  return stdout;
}

Deno.test({
  name:
    "serve: a hook finds the index that the server made, and made again after an edit (stdio)",
  ...processTest,
  async fn() {
    await using files = await tree();
    await using client = await connect("v2", {
      args: [
        "--skills",
        files.path("skills"),
        "--workspace",
        files.path("work"),
      ],
      env: { SKILLFENCE_CACHE_DIR: files.path("cache") },
    });
    await client.call("skill_list");
    assert.match(await hit(files, "deploy it"), /Deploy with care\./);
    assert.match(await hit(files, "ship it"), /Ship it\./);
    const before = [...indexes(files).values()].join();
    await files.write({
      "skills/new/SKILL.md":
        "---\ndescription: d\ntriggers: [fresh]\n---\nFresh.\n",
    });
    await until(() => [...indexes(files).values()].join() !== before);
    assert.match(await hit(files, "something fresh"), /Fresh\./);
  },
});

Deno.test({
  name: "serve: a hook finds the index that the server made (HTTP)",
  ...processTest,
  async fn() {
    await using files = await tree();
    await using _server = await startHttp({
      skills: files.path("skills"),
      args: ["--workspace", files.path("work")],
      cacheDir: files.path("cache"),
    });
    assert.match(await hit(files, "ship it"), /Ship it\./);
  },
});

Deno.test({
  name:
    "serve: where no index can be kept the server serves as before, and says so at debug",
  ...processTest,
  async fn() {
    await using files = await tree();
    await files.write({ "cache/match": "in the way" });
    await using client = await connect("v2", {
      args: ["--skills", files.path("skills")],
      env: {
        SKILLFENCE_CACHE_DIR: files.path("cache"),
        SKILLFENCE_LOG: "debug",
      },
    });
    await client.call("skill_list");
    await until(() => client.stderr().includes("no index for hooks"));
    const { structured } = await client.call("skill_list");
    assert.equal(structured.skills.length, 1);
  },
});
