/** Which context files speak of a path. Pure. */

import type { ContextFile } from "../types.ts";

/**
 * The nested files (rules for what lies in their directory) that speak of
 * `path`, which is below `workspace` and `/`-separated: outer ones first. Files
 * in the workspace's root speak of everything and are not rules.
 */
export function rulesFor(
  files: readonly ContextFile[],
  workspace: string,
  path: string,
): ContextFile[] {
  return files
    .filter((file) =>
      file.workspace === workspace && file.scope !== "" &&
      path.startsWith(`${file.scope}/`)
    )
    .sort((a, b) => a.scope.length - b.scope.length);
}
