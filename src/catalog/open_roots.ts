/** The roots of one scan, opened: which are there, and which are read. */

import type { Directory } from "../config/types.ts";
import type { ProblemLog } from "./problem_log.ts";
import { type ScanFs, whyFailed } from "./scan_fs.ts";
import type { RootState } from "./types.ts";
import { type ScanRoot, workspaceRoots } from "./workspace_roots.ts";

/** A directory to scan. */
export type ScannedRoot = Directory & Partial<Pick<ScanRoot, "flat">>;

/** A root as a scan finds it. */
export interface OpenedRoot {
  readonly root: ScannedRoot;
  readonly state: RootState;
  /** It cannot be read, or is an earlier root's directory. */
  readonly skipped: boolean;
}

/** The roots in their order, then those of workspaces. Reports, never throws. */
export function openRoots(
  roots: readonly ScannedRoot[],
  workspaces: readonly string[],
  { fs, log }: { readonly fs: ScanFs; readonly log: ProblemLog },
): OpenedRoot[] {
  const found = [
    ...roots.map((root) => ({ root, ...opened(root.path, fs) })),
    ...workspaceRoots(workspaces, fs),
  ];
  const first = new Map<string, number>();
  return found.map(({ root, state, problem }, index) => {
    if (problem !== undefined) log.add({ ...problem, root: index });
    const { realPath } = state;
    if (realPath === undefined) return { root, state, skipped: true };
    const before = first.get(realPath);
    if (before === undefined) first.set(realPath, index);
    else {
      log.add({
        root: index,
        path: "",
        severity: "note",
        reason: "root-overlap",
        detail: `it is the same directory as root ${
          before + 1
        } and is read once`,
        hint: "Give each folder once.",
      });
    }
    return { root, state, skipped: before !== undefined };
  });
}

/** An empty list is never a mystery: says which roots hold nothing. */
export function noteEmpty(
  roots: readonly OpenedRoot[],
  served: readonly { readonly root: number }[],
  log: ProblemLog,
): void {
  const full = new Set(served.map(({ root }) => root));
  for (const [index, { root, state }] of roots.entries()) {
    if (full.has(index) || log.any(index)) continue;
    // Nobody said that a workspace has any.
    if (state.workspace !== undefined) continue;
    log.add({
      root: index,
      path: "",
      severity: "warning",
      reason: "no-skills",
      detail: "there is no skill in this root",
      hint: root.flat === true
        ? "A skill is a directory that holds a SKILL.md, or a *.md file."
        : "A skill is a directory that holds a SKILL.md.",
    });
  }
}

function opened(path: string, fs: ScanFs) {
  const unreadable = (why: string) => ({
    state: { path, realPath: undefined, workspace: undefined },
    problem: {
      path: "",
      severity: "error" as const,
      reason: "root-unreadable",
      detail: `the root cannot be read: ${why}`,
      hint: "Check the path and its permissions.",
    },
  });
  try {
    const realPath = fs.realPath(path);
    if (!fs.stat(realPath).isDirectory) {
      return unreadable("it is not a directory");
    }
    return {
      state: { path, realPath, workspace: undefined },
      problem: undefined,
    };
  } catch (error) {
    return unreadable(whyFailed(error));
  }
}
