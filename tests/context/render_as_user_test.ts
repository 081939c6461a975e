/** The same texts rendered by a server that is no root. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { makeTree } from "../support/tree.ts";
import { asRoot } from "../support/as_root.ts";

const ROOT = join(import.meta.dirname!, "..", "..");
const USER = 6001;
const NEEDED: readonly string[] = [
  ...["deno.json", "deno.lock", "main.ts", "src", "skills"],
  ...["tests/support", "tests/context", "tests/fence"],
];

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(join(to, ".."), { recursive: true });
  const { success, stderr } = await new Deno.Command("cp", {
    args: ["-rL", from, to],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

Deno.test({
  name: "render: an ordinary user's server holds the same, in each mode",
  // Another account than root is what every other test is run by.
  ...asRoot,
  async fn() {
    await using tree = await makeTree({
      home: { dir: true },
      dd: { dir: true },
    });
    for (const path of NEEDED) {
      await copy(join(ROOT, path), tree.path("project", path));
    }
    const { stdout: info } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json"],
    }).output();
    const { npmCache } = JSON.parse(new TextDecoder().decode(info));
    await copy(npmCache, tree.path("dd", "npm"));
    await copy(Deno.execPath(), tree.path("deno"));
    const { success: given } = await new Deno.Command("chown", {
      args: ["-R", `${USER}:${USER}`, tree.path("home"), tree.path("dd")],
    }).output();
    assert.ok(given);
    const { code, stdout, stderr } = await new Deno.Command(tree.path("deno"), {
      args: [
        ...["test", "-A", "--no-prompt", "--cached-only", "--no-check"],
        "tests/context/render_runs_test.ts",
      ],
      cwd: tree.path("project"),
      uid: USER,
      gid: USER,
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: tree.path("home"),
        DENO_DIR: tree.path("dd"),
        NO_COLOR: "1",
        SKILLFENCE_TEST_WITHOUT: Deno.env.get("SKILLFENCE_TEST_WITHOUT") ?? "",
      },
    }).output();
    const decoder = new TextDecoder();
    const told = decoder.decode(stdout);
    assert.equal(code, 0, told + decoder.decode(stderr));
    assert.match(told, /render, bwrap: a program of the host is pure .* ok/);
    assert.match(told, /render, landlock: a script is pure .* ok/);
  },
});
