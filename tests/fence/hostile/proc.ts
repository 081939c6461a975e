/** Other processes as files, and what root could change through them. */

import { type Attack, attempt, deep } from "./attack.ts";

const PROC_SYS: Attack = {
  id: "proc-sys",
  linux: true,
  kind: "proc-sys",
  title: "kernel settings opened for writing",
  file: "a.mjs",
  source: attempt(
    ...[
      ...["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"],
      ...["/proc/sys/vm/drop_caches", "/proc/sys/fs/protected_symlinks"],
      ...["/sys/kernel/uevent_helper", "/proc/sys/kernel/modprobe"],
    ].map((path) =>
      `(Deno.openSync("${path}", { write: true }).close(), "${path}")`
    ),
  ),
  target: "none",
  control: "bare as root",
};

/** Other processes as files, and what root could change through them. */
export const PROC_ATTACKS: readonly Attack[] = [
  { ...deep("h13"), kind: "proc-environ", control: "bare", linux: true },
  { ...deep("h14"), kind: "proc-others", control: "bare", linux: true },
  {
    ...deep("h01"),
    id: "h01-root",
    kind: "as-root-files",
    title: "as root: read files outside",
    control: "inside",
    linux: true,
    asRoot: true,
    // Its launcher changes the account by itself.
    notIn: ["landlock", "landlock alone"],
  },
  PROC_SYS,
  ...[deep("h13"), deep("h14"), PROC_SYS, deep("h54")].map((one): Attack => ({
    ...one,
    id: `${one.id}-root`,
    title: `as root: ${one.title}`,
    kind: one.id === "h54" ? "as-root-files" : "as-root-proc",
    control: "bare as root",
    linux: true,
    asRoot: true,
    // Its launcher changes the account by itself.
    notIn: ["landlock", "landlock alone"],
  })),
];
