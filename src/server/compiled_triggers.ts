/** The triggers of the newest snapshot, compiled once. */

import type { Snapshot } from "../catalog/types.ts";
import type { Triggers } from "../context/types.ts";

/** Keeps the newest, with what it was compiled of. */
export class CompiledTriggers {
  #newest:
    | {
      readonly snapshot: Snapshot;
      readonly workspaces: string;
      readonly triggers: Promise<Triggers>;
    }
    | undefined;

  /** Those of a snapshot over absolute real workspaces. */
  async of(
    snapshot: Snapshot,
    workspaces: readonly string[],
  ): Promise<Triggers> {
    const key = JSON.stringify(workspaces);
    const known = this.#newest;
    if (known?.snapshot === snapshot && known.workspaces === key) {
      return await known.triggers;
    }
    const triggers = compile(snapshot, workspaces);
    this.#newest = { snapshot, workspaces: key, triggers };
    return await triggers;
  }
}

async function compile(
  { skills }: Snapshot,
  workspaces: readonly string[],
): Promise<Triggers> {
  const { compileTriggers } = await import("../context/triggers.ts");
  const { os } = Deno.build;
  return await compileTriggers(skills.values(), {
    workspaces,
    caseInsensitivePaths: os === "darwin" || os === "windows",
    realPath,
  });
}

/** The real path of an absolute one; undefined: there is no such file. */
export async function realPath(path: string): Promise<string | undefined> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (
      error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory
    ) return undefined;
    throw error;
  }
}
