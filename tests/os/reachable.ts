/** A runtime, and a place, that the account of scripts can get to. */

import { unreachable } from "../../src/os/account.ts";
import type { Account } from "../../src/os/types.ts";
import { type Entry, makeTree, type Tree } from "../support/tree.ts";

/** Whom scripts run as here: nobody under root, else as we do. */
export const ACCOUNT: Account | undefined = Deno.uid() === 0
  ? { uid: 65_534, gid: 65_534 }
  : undefined;

/** A tree that the account may go through, with the runtime in it if need be. */
export interface Reachable extends AsyncDisposable {
  readonly tree: Tree;
  /** Absolute and real. */
  readonly runtime: string;
}

/** Makes one. Root's files in it are not the account's to change. */
export async function makeReachable(
  entries: Record<string, Entry> = {},
): Promise<Reachable> {
  const tree = await makeTree(entries);
  if (ACCOUNT !== undefined) await Deno.chmod(tree.root, 0o755);
  return {
    tree,
    runtime: await reachableRuntime(tree),
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

async function reachableRuntime(tree: Tree): Promise<string> {
  const own = await Deno.realPath(Deno.execPath());
  if (
    ACCOUNT === undefined || unreachable(own, ACCOUNT, "execute") === undefined
  ) return own;
  const copy = tree.path("deno");
  try {
    await Deno.link(own, copy);
  } catch {
    await Deno.copyFile(own, copy);
  }
  return copy;
}
