/** The folders of a workspace that hold skills, as roots of a scan. */

import type { Directory } from "../config/types.ts";
import { isWithin, joined, SEPARATOR } from "../base/place.ts";
import type { Draft } from "./problem_log.ts";
import { type ScanFs, whyFailed } from "./scan_fs.ts";
import type { RootState } from "./types.ts";

/** Where skills lie in a workspace, the first wins. */
export const WORKSPACE_FOLDERS: readonly string[] = [
  ".agents/skills",
  ".openhands/skills",
  ".openhands/microagents",
];

/** What every skill of a workspace is named below. */
export const WORKSPACE_PREFIX = "workspace/";

/** Whether a folded name is kept for skills of workspaces. */
export function isWorkspaceName(folded: string): boolean {
  return folded.startsWith(WORKSPACE_PREFIX);
}

/** A root of a scan. */
export interface ScanRoot extends Directory {
  /** Its `*.md` files outside skills are skills too. */
  readonly flat: boolean;
}

/** One more root, opened, or what is wrong with it. */
export interface WorkspaceRoot {
  readonly root: ScanRoot;
  readonly state: RootState;
  readonly problem: Omit<Draft, "root"> | undefined;
}

/**
 * The folders of these workspaces (absolute), each workspace once, that are
 * there. A folder that a link leads out of its workspace is refused: what lies
 * elsewhere is not the workspace's. One that is absent is no problem.
 */
export function workspaceRoots(
  workspaces: readonly string[],
  fs: ScanFs,
): WorkspaceRoot[] {
  const seen = new Set<string>();
  return workspaces.flatMap((path) => {
    try {
      const real = fs.realPath(path);
      if (!fs.stat(real).isDirectory) {
        return [
          refused(path, path, "root-unreadable", "it is not a directory"),
        ];
      }
      if (seen.has(real)) return [];
      seen.add(real);
      return WORKSPACE_FOLDERS.flatMap((folder) => open(real, folder, fs));
    } catch (error) {
      return [refused(path, path, "root-unreadable", whyFailed(error))];
    }
  });
}

function open(
  workspace: string,
  folder: string,
  fs: ScanFs,
): WorkspaceRoot[] {
  const path = joined(workspace, folder.split("/").join(SEPARATOR));
  try {
    const realPath = fs.realPath(path);
    if (!isWithin(realPath, workspace)) {
      const why = "a link leads it out of the workspace, and it is not read";
      return [refused(path, workspace, "symlink-escape", why)];
    }
    if (!fs.stat(realPath).isDirectory) {
      return [
        refused(path, workspace, "root-unreadable", "it is not a directory"),
      ];
    }
    return [{
      root: rootAt(path),
      state: { path, realPath, workspace },
      problem: undefined,
    }];
  } catch (error) {
    const absent = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (absent && !isThere(path, fs)) return [];
    const why = absent ? "it is a broken link" : whyFailed(error);
    return [refused(path, workspace, "root-unreadable", why)];
  }
}

function isThere(path: string, fs: ScanFs): boolean {
  try {
    fs.lstat(path);
    return true;
  } catch {
    return false;
  }
}

function refused(
  path: string,
  workspace: string,
  reason: string,
  why: string,
): WorkspaceRoot {
  return {
    root: rootAt(path),
    state: { path, realPath: undefined, workspace },
    problem: {
      path: "",
      severity: "error",
      reason,
      detail: path === workspace
        ? `the workspace cannot be read: ${why}`
        : `the workspace's skills here are not served: ${why}`,
      hint: reason === "symlink-escape"
        ? "Put the skills into the workspace, or give their folder by --skills."
        : "Check the path and its permissions.",
    },
  };
}

function rootAt(path: string): ScanRoot {
  return { path, include: [], ignore: [], watch: true, flat: true };
}
