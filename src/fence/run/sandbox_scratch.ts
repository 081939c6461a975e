/** Looking at the scratch of a running sandbox, which no path of ours leads to. */

import { statfsSync } from "node:fs";

/** `TMPFS_MAGIC` of linux/magic.h. */
const TMPFS = 0x01021994;

/** A sized tmpfs inside a sandbox. */
export interface SandboxScratch {
  /** Absolute path inside. */
  readonly path: string;
  /** The size it was made with. */
  readonly sizeMiB: number;
}

/** What it holds; `"not yet"` before it is mounted, `"closed"` to this server. */
export type ScratchUse =
  | { readonly bytes: number; readonly files: number }
  | "not yet"
  | "closed";

/**
 * What the scratch holds now, seen by the sandbox's process `pid`. To look takes being the same account as the
 * sandbox or, for root, CAP_SYS_PTRACE (proc_pid_root(5)).
 */
export function scratchUse(
  { path, sizeMiB }: SandboxScratch,
  pid: number,
): ScratchUse {
  try {
    const { type, bsize, blocks, bfree, files, ffree } = statfsSync(
      `/proc/${pid}/root${path}`,
    );
    // Before the sandbox has its root, the path leads to what lies below it.
    const ours = type === TMPFS && bsize * blocks === sizeMiB * 1024 * 1024;
    if (!ours) return "not yet";
    return { bytes: (blocks - bfree) * bsize, files: files - ffree };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    return code === "EACCES" || code === "EPERM" ? "closed" : "not yet";
  }
}
