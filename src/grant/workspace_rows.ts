/** Rows for skills of a workspace: a stranger's, until the owner says both. */

import { foldName } from "../skill/names.ts";
import { isWorkspaceName } from "../catalog/workspace_roots.ts";

/** Whose rows are asked for. */
export interface RowOwner {
  /** Name as served. */
  readonly skill: string;
  /** Real path of the workspace the skill comes from; undefined: a root's. */
  readonly workspace?: string | undefined;
}

/** What of a row binds it to one state of one workspace. */
export interface BoundRow {
  readonly bundle: string | undefined;
  readonly workspace: string | undefined;
}

/** The real path of a path; throws when it leads nowhere. */
export type RealPath = (path: string) => string;

/**
 * Whether a skill is under the rule of workspaces. Its name alone is enough, so
 * that nobody who leaves the workspace out looses the rule.
 */
export function isOfWorkspace({ skill, workspace }: RowOwner): boolean {
  return workspace !== undefined || isWorkspaceName(foldName(skill));
}

/**
 * What a row lacks to count for a skill, in words; undefined: it counts. For a
 * root's skill nothing; for a workspace's it has to name that very workspace,
 * by real path, and to pin a bundle.
 */
export function whyNotBound(
  row: BoundRow,
  owner: RowOwner,
  realPath: RealPath = Deno.realPathSync,
): string | undefined {
  if (!isOfWorkspace(owner)) return undefined;
  const { workspace } = owner;
  if (workspace === undefined) return "its workspace is not known";
  if (row.workspace === undefined) {
    return row.bundle === undefined
      ? "the row has neither workspace nor bundle"
      : "the row has no workspace";
  }
  if (!leadsTo(row.workspace, workspace, realPath)) {
    return "the row names another workspace";
  }
  return row.bundle === undefined ? "the row pins no bundle" : undefined;
}

function leadsTo(path: string, real: string, realPath: RealPath): boolean {
  try {
    return realPath(path) === real;
  } catch {
    // Not there, so it is no workspace that anything comes from.
    return false;
  }
}
