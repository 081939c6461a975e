/** The command that starts a script's process under Landlock. */

import { fileURLToPath } from "node:url";
import { isWithin } from "../base/place.ts";
import { CONFINE, launchArgs, type PathRule } from "./launcher_spec.ts";
import { AUDIT_FILE, RESOLVER } from "./mounts.ts";
import type { Account, LandlockLayer, View } from "./types.ts";

/** Below the run's directory: what the launcher says of the start. */
export const STATUS_FILE = "status";

/**
 * Our own program as the launcher: the executable, or the Deno that runs the
 * source. That one is kept from writing into the run's cache and audit file,
 * and keeps its own cache in `cacheDir`, so that it need not be compiled anew.
 */
export function ownLauncher(cacheDir: string | undefined): string[] {
  if (Deno.build.standalone) return [Deno.execPath(), CONFINE];
  const cache = cacheDir === undefined ? "/dev/null" : `${cacheDir}/launcher`;
  return [
    ...["/usr/bin/env", "-u", "DENO_AUDIT_PERMISSIONS", `DENO_DIR=${cache}`],
    ...[Deno.execPath(), "run", "-A", "--quiet", "--no-prompt"],
    ...["--no-config", "--no-lock", "--no-remote", "--no-npm"],
    fileURLToPath(new URL("../../main.ts", import.meta.url)),
    CONFINE,
  ];
}

/**
 * The command line from our own program, as the launcher, up to the runtime,
 * whose own arguments follow. The launcher itself takes on `account`, and it
 * starts with the environment that the script is to have. Nothing is allowed
 * below `/proc`: Deno reads one link there, which Landlock leaves alone.
 */
export function landlockCommand(
  layer: LandlockLayer,
  view: View,
  account: Account | undefined,
): string[] {
  const { run, scratch, denodir, network, cwd } = view;
  const audit = `${run}/${AUDIT_FILE}`;
  return [
    ...layer.launcher,
    ...launchArgs({
      account,
      status: `${run}/${STATUS_FILE}`,
      cwd,
      network,
      set: [`DENO_DIR=${denodir}`, `DENO_AUDIT_PERMISSIONS=${audit}`],
      rules: [
        ...rules("exec", [
          view.runtime,
          // The kernel executes the loader, and the loader reads the rest.
          ...new Set(layer.libraries.map(({ from }) => from)),
        ]),
        ...rules("ro", [view.skillDir, ...view.readable, "/dev/urandom"]),
        ...rules("wo", [audit]),
        ...rules("rw", [scratch, denodir, ...view.writable, "/dev/null"]),
      ],
      system: network === "open" ? RESOLVER : [],
      command: [view.runtime],
    }),
  ];
}

/**
 * Which places of a view Landlock cannot keep apart: in words, without paths;
 * undefined when there are none. What is allowed on a directory is allowed
 * beneath it, whatever another rule says there. Placeholders are compared with
 * nothing: ask again with real paths.
 */
export function overridden(view: View): string | undefined {
  const readOnly = [view.runtime, view.skillDir, ...view.readable];
  const lost = readOnly.some((path) =>
    view.writable.some((open) => isWithin(path, open))
  );
  return lost
    ? "a directory that is only read lies inside one that is written"
    : undefined;
}

function rules(
  right: PathRule["right"],
  paths: readonly string[],
): PathRule[] {
  return paths.map((path) => ({ right, path }));
}
