/** Context files of the directories that a touched file lies in. */

import { dirname, join } from "node:path";
import { visible } from "../../base/text.ts";
import { diskFs, type ScanFs } from "../../catalog/scan_fs.ts";
import type { ContextFile } from "../../context/types.ts";
import type { HitText } from "./compose.ts";

/** Whom the rules are for, and where files lie. */
export interface RulesGround {
  /** Real paths; relative paths are relative to the first. */
  readonly workspaces: readonly string[];
  /** What it loads by itself is left out. */
  readonly client: string;
}

/**
 * The nested context files that speak of `paths`, outer ones first, each once.
 * Only the directories between a workspace and the files are looked into.
 */
export async function nestedRules(
  paths: readonly string[],
  { workspaces, client }: RulesGround,
): Promise<readonly HitText[]> {
  if (paths.length === 0 || workspaces.length === 0) return [];
  const { placePath, ruleInfo } = await import("../../context/triggers.ts");
  const ground = {
    workspaces,
    windows: Deno.build.os === "windows",
    realPath: (path: string) => Deno.realPath(path).catch(() => undefined),
  };
  const placed =
    (await Promise.all(paths.map((path) => placePath(path, ground)))).flatMap((
      places,
    ) => typeof places === "string" ? [] : places);
  if (!placed.some(({ path }) => path.includes("/"))) return [];
  const { findContextFiles, rulesFor } = await import(
    "../../context/context_files.ts"
  );
  const { files } = await findContextFiles(workspaces, {
    client,
    fs: onlyOnTheWay(
      placed.map(({ workspace, path }) => join(workspace, path)),
    ),
  });
  const rules = new Map<string, ContextFile>();
  for (const { workspace, path } of placed) {
    for (const file of rulesFor(files, workspace, path)) {
      rules.set(file.realPath, file);
    }
  }
  return [...rules.values()].map((file) => ({
    block: ruleInfo(file),
    line: `The file ${
      JSON.stringify(visible(file.path, 200))
    } of the workspace speaks of what you touched. Read it before you go on.`,
  }));
}

/** The disk, without the directories that lead to none of these files. */
function onlyOnTheWay(files: readonly string[]): ScanFs {
  const way = new Set<string>();
  for (const file of files) {
    let at = dirname(file);
    while (!way.has(at)) {
      way.add(at);
      at = dirname(at);
    }
  }
  const fs = diskFs();
  return {
    ...fs,
    *readDir(path) {
      for (const entry of fs.readDir(path)) {
        if (!entry.isDirectory || way.has(join(path, entry.name))) yield entry;
      }
    },
  };
}
