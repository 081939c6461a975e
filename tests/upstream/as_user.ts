/** A copy of the project where an ordinary user can run programs of its tests. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { NOBODY } from "../support/as_root.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const ROOT = join(import.meta.dirname!, "..", "..");
const NEEDED: readonly string[] = [
  ...["deno.json", "deno.lock", "main.ts", "src", "skills"],
  ...["tests/support", "tests/upstream"],
];

/** The copy, and a way to run something of it. Needs root. */
export interface UsersProject extends AsyncDisposable {
  /** Runs `tests/upstream/<program>` as nobody; its output. */
  run(
    program: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<string>;
}

/** Copies it, with the packages and the runtime. */
export async function usersProject(): Promise<UsersProject> {
  const tree = await makeTree({ home: { dir: true }, dd: { dir: true } });
  for (const path of NEEDED) await copy(join(ROOT, path), tree, path);
  await copy(await cacheDir(), tree, "../dd/npm");
  await copy(Deno.execPath(), tree, "../deno");
  for (const own of ["home", "dd"]) {
    await Deno.chown(tree.path(own), NOBODY.uid, NOBODY.gid);
  }
  return {
    async run(program, args, env = {}) {
      const { stdout, stderr } = await new Deno.Command(tree.path("deno"), {
        args: [
          ...["run", "-A", "--no-prompt", "--no-check", "--cached-only"],
          ...[`tests/upstream/${program}`, ...args],
        ],
        cwd: tree.path("project"),
        ...NOBODY,
        clearEnv: true,
        env: {
          PATH: Deno.env.get("PATH") ?? "",
          HOME: tree.path("home"),
          DENO_DIR: tree.path("dd"),
          ...env,
        },
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(stdout);
      assert.notEqual(text, "", new TextDecoder().decode(stderr));
      return text;
    },
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

async function copy(from: string, tree: Tree, to: string): Promise<void> {
  const at = join(tree.path("project"), to);
  await Deno.mkdir(join(at, ".."), { recursive: true });
  const { success, stderr } = await new Deno.Command("cp", {
    args: ["-rL", from, at],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

async function cacheDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).npmCache;
}
