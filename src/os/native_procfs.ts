/** Whether native programs can have a `/proc` of their own behind bubblewrap. */

import { boundedRun } from "./bounded_run.ts";
import { nativeFiles, type NativePlaces } from "./native_places.ts";
import type { Account, BwrapLayer } from "./types.ts";

const TIMEOUT_MS = 5_000;
/** It is there, and its settings cannot be written. */
const TRIAL = [
  "/usr/bin/test",
  ...["-r", "/proc/self/stat", "-a"],
  ...["!", "-w", "/proc/sys/kernel/hostname"],
];

/**
 * Tries it once. Containers that mask parts of theirs refuse another one; and
 * with the kernel's uid 0 it is not tried, since that account can write there
 * as soon as anything goes wrong.
 */
export async function procfsWorks(
  layer: BwrapLayer,
  places: NativePlaces,
  account: Account | undefined,
): Promise<boolean> {
  if (account === undefined && Deno.uid() === 0) return false;
  try {
    const { code } = await boundedRun({
      command: [
        layer.path,
        ...["--unshare-user", "--unshare-all", "--die-with-parent"],
        ...["--cap-drop", "ALL"],
        ...places.directories.flatMap((path) => ["--ro-bind", path, path]),
        ...places.links.flatMap(([at, to]) => ["--symlink", to, at]),
        ...nativeFiles("none").flatMap((path) => ["--ro-bind-try", path, path]),
        ...["--dev-bind", "/dev/null", "/dev/null"],
        ...["--proc", "/proc", "--remount-ro", "/proc", "--remount-ro", "/"],
        "--",
        ...TRIAL,
      ],
      env: { PATH: "/usr/bin:/bin" },
      account,
      timeoutMs: TIMEOUT_MS,
    });
    return code === 0;
  } catch {
    return false;
  }
}
