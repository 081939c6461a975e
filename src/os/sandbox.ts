/** The bubblewrap command that a script's process starts in. Pure. */

import {
  PRLIMIT_AT,
  runMounts,
  RUNTIME_AT,
  strangerMounts,
  systemMounts,
} from "./mounts.ts";
import type { BwrapLayer, View } from "./types.ts";

/** As `wrapCommand` opens them. */
const FILTER_FD = "3";
const STATUS_FD = "4";

/** A path that cannot be taken for an option. */
const PATH = /^(?:\/|<(?:run|scratch|denodir)>(?:\/|$))/;

/**
 * The command line from bubblewrap's path up to the runtime, whose own
 * arguments follow. It expects a system call filter open as descriptor 3 and a
 * status file as descriptor 4. `crossing` has nothing against the view: throws
 * a TypeError for paths that are neither absolute nor a placeholder, which is a
 * bug.
 */
export function sandboxCommand(layer: BwrapLayer, view: View): string[] {
  for (const path of pathsOf(view)) {
    if (!PATH.test(path) || path.split("/").includes("..")) {
      throw new TypeError("a view holds a path that is not absolute");
    }
  }
  const command = [
    layer.path,
    ...["--seccomp", FILTER_FD, "--json-status-fd", STATUS_FD],
    // `--unshare-all` alone goes on without a user namespace (bwrap(1)).
    ...["--unshare-user", "--unshare-all"],
    ...layer.disableUserns ? ["--disable-userns"] : [],
    ...view.network === "open" ? ["--share-net"] : [],
    // A session of its own, so that no terminal can be written to (TIOCSTI).
    ...["--die-with-parent", "--new-session", "--as-pid-1"],
    ...["--cap-drop", "ALL", "--hostname", "fence"],
    ...systemMounts(layer, view).flatMap(({ args }) => args),
    ...runMounts(view).flatMap(({ args }) => args),
    ...strangerMounts(view).flatMap(({ args }) => args),
    ...["--chdir", view.cwd],
    // After this one nothing can be mounted any more.
    ...["--remount-ro", "/"],
    "--",
  ];
  // Processes are counted per user namespace, so they are bounded inside.
  return layer.prlimit === undefined
    ? [...command, RUNTIME_AT]
    : [...command, PRLIMIT_AT, `--nproc=${view.processes}`, "--", RUNTIME_AT];
}

function pathsOf(view: View): string[] {
  const { runtime, skillDir, run, scratch, denodir, cwd } = view;
  return [
    ...[runtime, skillDir, run, scratch, denodir, cwd],
    ...view.readable,
    ...view.writable,
  ];
}
