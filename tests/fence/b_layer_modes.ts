/** The modes of SKILLFENCE_OS_FENCE, and what of a machine each needs. */

import { needs } from "../support/kernel.ts";

/** One mode. */
export interface Mode {
  readonly mode: "off" | "bwrap" | "bwrap+worker" | "landlock";
  readonly by: "none" | "bwrap" | "landlock";
  /** Options of its tests. */
  need(): { ignore: boolean };
}

const bwrap = () => needs("bwrap", "userns", "seccomp");

/** Weakest first. */
export const MODES: readonly Mode[] = [
  { mode: "off", by: "none", need: () => ({ ignore: false }) },
  {
    mode: "landlock",
    by: "landlock",
    need: () => needs("landlock", "seccomp"),
  },
  { mode: "bwrap+worker", by: "bwrap", need: bwrap },
  { mode: "bwrap", by: "bwrap", need: bwrap },
];
