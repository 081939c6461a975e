/**
 * Native programs behind the operating system's layer: no runtime of ours with
 * permission flags stands between them and the kernel, so the layer is all.
 */

import { isWithin } from "../base/place.ts";
import { STATUS_FILE } from "./landlock.ts";
import { launchArgs, type PathRule } from "./launcher_spec.ts";
import { isOfSystem, nativeFiles, type NativePlaces } from "./native_places.ts";
import type { Account, BwrapLayer, LandlockLayer, OsLayer } from "./types.ts";

/** What a native program sees beside the system. Absolute real paths. */
export interface NativeView {
  /** Seen read-only, each at its own path: the skill, a workspace, programs. */
  readonly readable: readonly string[];
  /** Those that programs may be started from. */
  readonly executable: readonly string[];
  /** Seen writable: a data directory. */
  readonly writable: readonly string[];
  /** The server's own directory of this start; see `STATUS_FILE`. */
  readonly run: string;
  /** Below `run`, empty: HOME and TMPDIR, of a bounded size under bubblewrap. */
  readonly home: string;
  readonly homeMiB: number;
  readonly cwd: string;
  /** `open`: the host's own. */
  readonly network: "none" | "open";
  /** Processes inside, under bubblewrap; Landlock lets it start none. */
  readonly processes: number;
  /** A `/proc` of its own, read-only: see `procfsWorks`. */
  readonly procfs: boolean;
}

/** Below the run's directory: what is shown as `/etc/passwd`. */
export const PASSWD_FILE = "passwd";

const BYTES_PER_MIB = 1024 * 1024;
/** `/tmp` and `/dev/shm`, each. */
const TMP_MIB = 64;
const DEVICES: readonly string[] = [
  "/dev/null",
  "/dev/zero",
  "/dev/full",
  "/dev/random",
  "/dev/urandom",
];
/** `LANDLOCK_SCOPE_*`: before, signals reach the account's other processes. */
const ABI_SCOPES = 6;

/** Why a layer that holds for scripts does not hold a native program. */
export function nativeObstacle(layer: OsLayer): string | undefined {
  return layer.by === "landlock" && layer.abi < ABI_SCOPES
    ? `Landlock ABI ${layer.abi} leaves signals to this account's other processes to a native program; ABI ${ABI_SCOPES} does not`
    : undefined;
}

/**
 * Which places lie inside each other so that the layer cannot keep them apart:
 * in words, without paths; undefined when there are none.
 */
export function nativeCrossing(
  { readable, writable, run }: NativeView,
  places: NativePlaces,
): string | undefined {
  const crosses = (one: string, two: string) =>
    isWithin(one, two) || isWithin(two, one);
  if (readable.some((one) => writable.some((two) => crosses(one, two)))) {
    return "a directory that is only read and one that is written lie inside each other";
  }
  if ([...readable, ...writable].some((one) => crosses(one, run))) {
    return "a directory that is opened holds what every start needs for itself";
  }
  // Mounting over the system's own, or all of it writable, is never meant.
  return writable.some((path) =>
      isOfSystem(path, places) ||
      places.directories.some((system) => isWithin(system, path))
    )
    ? "a directory that is written lies within the system's own"
    : undefined;
}

/**
 * bubblewrap's command line up to the program, which follows with its
 * arguments. Descriptors 3 and 4 as for `sandboxCommand`. A process of
 * bubblewrap's stays the first one inside and takes in what the program leaves.
 */
export function nativeSandbox(
  layer: BwrapLayer,
  places: NativePlaces,
  view: NativeView,
): string[] {
  const { run, home, network, procfs } = view;
  const shown = outermost(
    view.readable.filter((path) => !isOfSystem(path, places)),
  );
  const command = [
    layer.path,
    ...["--seccomp", "3", "--json-status-fd", "4"],
    ...["--unshare-user", "--unshare-all"],
    ...layer.disableUserns ? ["--disable-userns"] : [],
    ...network === "open" ? ["--share-net"] : [],
    ...["--die-with-parent", "--new-session"],
    ...["--cap-drop", "ALL", "--hostname", "fence"],
    ...tmpfs("/tmp", TMP_MIB, "1777"),
    ...places.directories.flatMap((path) => ["--ro-bind", path, path]),
    ...places.links.flatMap(([at, to]) => ["--symlink", to, at]),
    ...nativeFiles(network).flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--ro-bind", `${run}/${PASSWD_FILE}`, "/etc/passwd"],
    // Writable for root otherwise, in spite of every namespace (proc(5)).
    ...procfs ? ["--proc", "/proc", "--remount-ro", "/proc"] : [],
    ...DEVICES.flatMap((path) => ["--dev-bind", path, path]),
    ...procfs ? ["--symlink", "/proc/self/fd", "/dev/fd"] : [],
    ...tmpfs("/dev/shm", TMP_MIB, "1777"),
    ...tmpfs(home, view.homeMiB, "0700"),
    ...shown.flatMap((path) => ["--ro-bind", path, path]),
    ...outermost(view.writable).flatMap((path) => ["--bind", path, path]),
    ...["--chdir", view.cwd],
    // After this one nothing can be mounted any more.
    ...["--remount-ro", "/"],
    "--",
  ];
  const { prlimit } = layer;
  return prlimit === undefined || !isOfSystem(prlimit.path, places)
    ? command
    : [...command, prlimit.path, `--nproc=${view.processes}`, "--"];
}

/**
 * The command line from our own program, as the launcher, with the program and
 * its arguments. It takes on `account` itself. The program starts no others:
 * without a process namespace nothing would end those.
 */
export function nativeLaunch(
  layer: LandlockLayer,
  places: NativePlaces,
  { view, account, command }: {
    readonly view: NativeView;
    readonly account: Account | undefined;
    readonly command: readonly string[];
  },
): string[] {
  const { readable, executable, writable, run, home, network } = view;
  const rules = (
    right: PathRule["right"],
    paths: readonly string[],
  ): PathRule[] => [...new Set(paths)].map((path) => ({ right, path }));
  const inSystem = (path: string) => isOfSystem(path, places);
  return [
    ...layer.launcher,
    ...launchArgs({
      account,
      status: `${run}/${STATUS_FILE}`,
      cwd: view.cwd,
      network,
      unix: false,
      set: [`DENO_DIR=${home}/.cache/deno`],
      rules: [
        ...rules("exec", places.directories),
        ...rules("exec", executable.filter((path) => !inSystem(path))),
        ...rules("ro", readable.filter((path) => !inSystem(path))),
        ...rules("ro", ["/dev/zero", "/dev/random", "/dev/urandom"]),
        ...rules("rw", [home, ...writable, "/dev/null"]),
      ],
      system: [...nativeFiles(network)],
      command,
    }),
  ];
}

/** The one line that is shown as `/etc/passwd`. */
export function passwdLine(
  account: Account | undefined,
  home: string,
): string {
  const uid = account?.uid ?? Deno.uid() ?? 0;
  const gid = account?.gid ?? Deno.gid() ?? 0;
  return `skill:x:${uid}:${gid}::${home}:/bin/sh\n`;
}

function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) =>
    !unique.some((other) => other !== path && isWithin(path, other))
  );
}

function tmpfs(at: string, mib: number, perms: string): string[] {
  const bytes = String(mib * BYTES_PER_MIB);
  return ["--perms", perms, "--size", bytes, "--tmpfs", at];
}
