/** Flags that lead another start of this program to the same skills. Pure. */

import { directoryJson, isPlain } from "../config/directory.ts";
import type { Config } from "../config/types.ts";

/** Flags for the roots and workspaces in force, whoever said them: all absolute. */
export function whereToLook(
  { roots, rootsFrom, workspaces }: Pick<
    Config,
    "roots" | "rootsFrom" | "workspaces"
  >,
): string[] {
  return [
    ...(rootsFrom === "bundled"
      ? []
      : roots.flatMap((root) =>
        isPlain(root)
          ? ["--skills", root.path]
          : ["--skill-dir", directoryJson(root)]
      )),
    ...workspaces.flatMap((path) => ["--workspace", path]),
  ];
}
