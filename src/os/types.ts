/** The operating-system layer of the fence, as the other rooms see it. */

/** The account that scripts run as, where it is not the server's own. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * What a script's process has of the network: nothing; nothing but the socket
 * of its run's proxy (and a loopback of its own); or what the host has, with
 * the permission flags alone before it.
 */
export type Network = "none" | "proxy" | "open";

/**
 * What a layer lets a script's process see. Paths are absolute and real, or
 * start with one of a Plan's placeholders.
 */
export interface View {
  /** The script runtime's executable. */
  readonly runtime: string;
  /** Seen read-only at its own path, as are `readable`. */
  readonly skillDir: string;
  readonly readable: readonly string[];
  /** Seen writable: the data directory, a workspace. */
  readonly writable: readonly string[];
  /** The run's directories; see `Scratch`. */
  readonly run: string;
  readonly scratch: string;
  readonly denodir: string;
  readonly network: Network;
  readonly cwd: string;
  /** Bounds on the scratch: MiB, and processes inside. */
  readonly scratchMiB: number;
  readonly processes: number;
}

/** A file that a program needs, and where it is looked for. */
export interface Library {
  /** Absolute real path on the host. */
  readonly from: string;
  /** Absolute path by which the program asks for it. */
  readonly to: string;
}

/** bubblewrap, proved to hold on this machine. */
export interface BwrapLayer {
  readonly by: "bwrap";
  /** Absolute real path. */
  readonly path: string;
  readonly version: string;
  /** `--disable-userns` is known (0.8.0 and later). */
  readonly disableUserns: boolean;
  /** What the runtime is linked with, its loader included. */
  readonly libraries: readonly Library[];
  /** The program that bounds processes inside; undefined when there is none. */
  readonly prlimit:
    | { readonly path: string; readonly libraries: readonly Library[] }
    | undefined;
  /** In words: what is worth knowing, e.g. an advisory about this version. */
  readonly warnings: readonly string[];
}

/** Landlock and seccomp, proved to hold on this machine. */
export interface LandlockLayer {
  readonly by: "landlock";
  /** The kernel's Landlock ABI, 3 or more. */
  readonly abi: number;
  /** Our own program and the arguments that make it the launcher. */
  readonly launcher: readonly string[];
  readonly libraries: readonly Library[];
}

/** A layer that holds here. */
export type OsLayer = BwrapLayer | LandlockLayer;

/** Why a layer does not hold here, for its owner. */
export interface OsOff {
  /** A stable kebab-case word, e.g. `not-installed`, `apparmor-userns`. */
  readonly cause: string;
  readonly message: string;
  /** What would turn it on. */
  readonly advice: string;
}

/** One layer, asked for: usable, or why not. */
export type OsProbed<L extends OsLayer> =
  | { readonly ok: true; readonly layer: L }
  | { readonly ok: false; readonly off: OsOff };
