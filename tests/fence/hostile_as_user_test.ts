/**
 * The fence of a server that is no root: there scripts run as the server's own
 * account, so mode bits hold nothing, and namespaces are made without rights.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { makeTree } from "../support/tree.ts";
import type { Mismatch, SeenOnce } from "../../tools/fence_table.ts";
import { modesHere } from "./hostile/modes.ts";

const ROOT = join(import.meta.dirname!, "..", "..");
/** Nobody: an account without a home, a group or a file. */
const USER = 65_534;

/** Kinds that may go otherwise where account and server are one. */
const KINDS: readonly string[] = [
  ...["module-literal", "file-write-skill", "file-write-system"],
  ...["link-shipped", "link-by-script", "proc-environ", "proc-others"],
  ...["proc-sys", "signals", "native-namespaces", "native-processes"],
  ...["native-keyring", "native-signals", "unix-socket", "abstract-socket"],
  ...["run-proxy", "run-directory"],
];

/** What the tool reads, relative to the project. */
const NEEDED: readonly string[] = [
  ...["deno.json", "deno.lock", "main.ts", "src", "skills"],
  ...["tools/fence_table.ts", "tools/say.ts", "tests/support"],
  ...["tests/fence/kinds.md", "tests/fence/hostile"],
];

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(join(to, ".."), { recursive: true });
  const { success, stderr } = await new Deno.Command("cp", {
    args: ["-rL", from, to],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

async function cacheDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).npmCache;
}

Deno.test({
  name:
    "fence: an ordinary user's server holds what kinds.md says, in each mode",
  // Another account than root is what every other test is run by.
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    await using tree = await makeTree({
      "home": { dir: true },
      "dd": { dir: true },
    });
    // The tree of the one who tests may be closed to others.
    for (const path of NEEDED) {
      await copy(join(ROOT, path), tree.path("project", path));
    }
    await copy(await cacheDir(), tree.path("dd", "npm"));
    await copy(Deno.execPath(), tree.path("deno"));
    for (const own of ["home", "dd"]) {
      await Deno.chown(tree.path(own), USER, USER);
    }
    const { code, stdout, stderr } = await new Deno.Command(tree.path("deno"), {
      args: [
        ...["run", "-A", "--no-prompt", "--cached-only"],
        ...["tools/fence_table.ts", "--json", ...KINDS],
      ],
      cwd: tree.path("project"),
      uid: USER,
      gid: USER,
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: tree.path("home"),
        DENO_DIR: tree.path("dd"),
        SKILLFENCE_TEST_WITHOUT: Deno.env.get("SKILLFENCE_TEST_WITHOUT") ?? "",
      },
    }).output();
    const decoder = new TextDecoder();
    const errors = decoder.decode(stderr);
    assert.notEqual(decoder.decode(stdout), "", errors);
    const { seen, wrong }: {
      seen: readonly SeenOnce[];
      wrong: readonly Mismatch[];
    } = JSON.parse(decoder.decode(stdout));
    assert.deepEqual(wrong, []);
    assert.equal(code, 0, errors);
    for (const mode of modesHere()) {
      assert.ok(seen.some((one) => one.mode === mode), mode);
    }
    assert.deepEqual(
      KINDS.filter((kind) => !seen.some((one) => one.kind === kind)),
      [],
    );
  },
});
