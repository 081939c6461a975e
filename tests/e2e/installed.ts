/** The compiled binary as an operator has it: read-only, unprivileged, bare. */

import { join } from "node:path";
import {
  binaryPath,
  CAN_BUILD_BINARY,
  ensureBinary,
} from "../../tools/build/binary.ts";
import type { Command } from "../support/clients.ts";
import { type Entry, makeTree, type Tree } from "../support/tree.ts";

/** What hosted children get, in bytes. */
export const DATA_LIMIT = 268435456;

const PROJECT = join(import.meta.dirname!, "../..");
/** An account that owns nothing. */
const NOBODY = 65534;

/** For `ignore`: elsewhere no binary can be built without a download. */
export const NO_BINARY = !CAN_BUILD_BINARY;

/** A binary of the present sources, in a tree that nobody may write. */
export interface Installed extends AsyncDisposable {
  readonly tree: Tree;
  /** Absolute path of the executable. */
  readonly binary: string;
  /** An empty directory of the account that runs it, for `TMPDIR`. */
  readonly tmp: string;
  /**
   * The command line that runs it as another account than root, with PATH and
   * `env` for an environment, under the data limit of hosted children.
   */
  command(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Command;
  /** Runs it in `/` to its end. */
  run(args: readonly string[]): Promise<Deno.CommandOutput>;
}

/** Installs the binary, and `entries` beside it. */
export async function install(
  entries: Record<string, Entry> = {},
): Promise<Installed> {
  await ensureBinary(PROJECT);
  const tree = await makeTree(entries);
  const binary = tree.path("bin", "skillfence");
  await Deno.mkdir(tree.path("bin"));
  await Deno.copyFile(binaryPath(PROJECT), binary);
  await setWritable(tree.root, false);
  const tmp = await Deno.makeTempDir();
  if (Deno.uid() === 0) await Deno.chown(tmp, NOBODY, NOBODY);
  const command = (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Command => {
    const variables = Object.entries({ PATH: "/usr/bin:/bin", ...env })
      .map(([name, value]) => `${name}=${value}`);
    // deno-fmt-ignore
    const words = [
      ...asNobody(), "prlimit", `--data=${DATA_LIMIT}`,
      "env", "-i", ...variables, binary, ...args,
    ];
    return { command: words[0]!, args: words.slice(1) };
  };
  return {
    tree,
    binary,
    tmp,
    command,
    async run(args) {
      const { command: program, args: words } = command(args);
      return await new Deno.Command(program, {
        args: [...words],
        cwd: "/",
        stdin: "null",
      }).output();
    },
    async [Symbol.asyncDispose]() {
      await setWritable(tree.root, true);
      await tree[Symbol.asyncDispose]();
      await Deno.remove(tmp, { recursive: true });
    },
  };
}

/** Root becomes another account; any other account is none already. */
function asNobody(): string[] {
  if (Deno.uid() !== 0) return [];
  return [
    "setpriv",
    `--reuid=${NOBODY}`,
    `--regid=${NOBODY}`,
    "--clear-groups",
  ];
}

async function setWritable(dir: string, writable: boolean): Promise<void> {
  await Deno.chmod(dir, writable ? 0o755 : 0o555);
  for await (const entry of Deno.readDir(dir)) {
    const path = join(dir, entry.name);
    if (entry.isDirectory) await setWritable(path, writable);
    else if (entry.isFile) await Deno.chmod(path, 0o555);
  }
}
