/** What is to be watched, from the configuration. */

import { dirname, join } from "node:path";
import { WORKSPACE_FOLDERS } from "../catalog/workspace_roots.ts";
import type { Config, PromptSource } from "../config/types.ts";

/** One directory to watch. */
export interface WatchTarget {
  /** As configured, absolute; of a prompt file, the directory it lies in. */
  readonly path: string;
  /** Number of the root from 1; undefined where prompts or workspaces lie. */
  readonly root: number | undefined;
  /** It is a folder of skills of this workspace (absolute), there or not. */
  readonly workspace?: string;
  /** Which of them: its path below the workspace. */
  readonly folder?: string;
  readonly watch: boolean;
  /** Names of files directly in it that count; undefined: every `*.md`. */
  readonly files?: ReadonlySet<string>;
}

/** Roots in their order, then directories of prompts, each once. */
export function watchTargets(
  { roots, prompts }: Pick<Config, "roots" | "prompts">,
): WatchTarget[] {
  return [
    ...roots.map(({ path, watch }, index) => ({
      path,
      root: index + 1,
      watch,
    })),
    ...promptTargets(prompts),
  ];
}

/** The folders of skills of workspaces (absolute), whether they are there or not. */
export function workspaceTargets(
  workspaces: readonly string[],
): WatchTarget[] {
  return workspaces.flatMap((workspace) =>
    WORKSPACE_FOLDERS.map((folder) => ({
      path: join(workspace, folder),
      root: undefined,
      workspace,
      folder,
      watch: true,
    }))
  );
}

function promptTargets(prompts: readonly PromptSource[]): WatchTarget[] {
  const targets = new Map<string, WatchTarget>();
  for (const source of prompts) {
    if (source.kind !== "directory") continue;
    const { path, watch } = source.directory;
    const before = targets.get(path);
    targets.set(path, {
      path,
      root: undefined,
      watch: watch || before?.watch === true,
    });
  }
  const parents = new Map<string, Set<string>>();
  for (const source of prompts) {
    if (source.kind !== "file") continue;
    const parent = dirname(source.file);
    const names = parents.get(parent) ?? new Set();
    parents.set(parent, names.add(source.file));
  }
  for (const [path, files] of parents) {
    // A watched directory of prompts hears of every file in it already.
    if (targets.get(path)?.watch === true) continue;
    targets.set(path, { path, root: undefined, watch: true, files });
  }
  return [...targets.values()];
}
