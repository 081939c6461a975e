/** The Plan and what surrounds it. Preview, confirmation and run read one value. */

import type { Evidence } from "../evidence/types.ts";
import type { Account, Network } from "../os/types.ts";
import type { HeldSecret } from "../proxy/types.ts";
import type { HostPattern } from "../skill/types.ts";
import type { CheckedDir } from "./preflight/checked_dir.ts";
import type { RunLimits } from "./plan/run_limits.ts";

/** A file handed in: content is never part of the Plan, its digest is. */
export interface InputFile {
  /** Plain file name, one segment. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** One call, validated for shape, not yet for permission. */
export interface RunCall {
  readonly skill: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly stdin: string | undefined;
  readonly files: readonly InputFile[];
}

/** Bytes by size and digest (`sha256:<hex>`). */
export interface Sized {
  readonly bytes: number;
  readonly sha256: string;
}

/** An owner's directory that a run is let into. */
export interface Workspace {
  /** Absolute real path. */
  readonly dir: string;
  readonly mode: "read" | "write";
}

/** A layer of the fence and whether it is in force. */
export interface Layer {
  readonly name: "decision" | "permissions" | "os";
  readonly on: boolean;
  /** In words: what it does, or why it is off. */
  readonly note: string;
}

/** How the operating system confines a run. */
export interface Confinement {
  /** `none`: the permission flags stand alone. */
  readonly by: "bwrap" | "landlock" | "none";
  /**
   * Whether the script is the process's main module, whose own module graph the
   * flags do not cover, or a worker's, where they do.
   */
  readonly realm: "main" | "worker";
  readonly network: Network;
  /** The account the script runs as; null: the server's own. */
  readonly uid: number | null;
  /** The literal command before `flags`; empty: the runtime alone. */
  readonly command: readonly string[];
}

/**
 * Everything that will happen, computed before anything does. JSON-safe. What a
 * person needs first comes first, the literal command last.
 */
export interface Plan {
  readonly skill: string;
  readonly script: string;
  readonly interpreter: string;
  /** e.g. `{ name: "deno", version: "2.9.6", from: "carried" }`. */
  readonly runtime: {
    readonly name: "deno";
    readonly version: string;
    readonly from: RuntimeFrom;
  };
  /** What the script sees as its argv after its own name. */
  readonly argv: readonly string[];
  /** One sentence each: reads, writes, reaches, is handed. Made visible. */
  readonly permissions: readonly string[];
  readonly notes: readonly string[];
  /** Variables nobody but the skill itself granted: runs only with this digest. */
  readonly selfGranted: readonly string[];
  readonly layers: readonly Layer[];
  /** Names only, never values. */
  readonly env: {
    /** Every variable of the child, sorted. */
    readonly handed: readonly string[];
    /** Granted ones among them. */
    readonly granted: readonly string[];
    /** Granted but not set in the server's environment. */
    readonly notSet: readonly string[];
    /** Asked for by the script and not granted. */
    readonly notGranted: readonly string[];
    /** Granted ones whose values stay at the run's proxy. */
    readonly held: readonly HeldName[];
  };
  /** The directory scripts see as MCP_DATA_DIR, or null. */
  readonly dataDir: string | null;
  readonly workspace: Workspace | null;
  readonly timeoutMs: number;
  readonly limits: RunLimits & {
    readonly outputBytesPerStream: number;
    readonly inputBytes: number;
  };
  readonly stdin: Sized | null;
  readonly files: readonly (Sized & { readonly name: string })[];
  /** Absolute working directory. */
  readonly cwd: string;
  readonly scriptSha256: string;
  /** Every readable file below the skill's real directory. */
  readonly bundle: {
    readonly digest: string;
    readonly files: number;
    readonly bytes: number;
  };
  /** `sha256:<hex>` over the canonical JSON of everything else. */
  readonly digest: string;
  readonly confinement: Confinement;
  /**
   * The literal command line after the runtime's own path. Per-run paths stand
   * as `<run>`, `<scratch>` and `<denodir>`, here and in `confinement`, and the
   * server's number as `<server>`; the runner substitutes those and nothing else.
   */
  readonly flags: readonly string[];
}

/** A variable that the script gets a placeholder for. */
export interface HeldName {
  readonly name: string;
  /** Hosts with their ports where the proxy puts the value in. */
  readonly hosts: readonly string[];
  readonly chosenBy: "author" | "owner";
}

/** Where the runtime was found. */
export type RuntimeFrom = "SKILLFENCE_DENO" | "carried" | "running" | "PATH";

/** A usable runtime. */
export interface Runtime {
  /** Absolute path of the deno executable. */
  readonly path: string;
  readonly version: string;
  readonly from: RuntimeFrom;
}

/** The Plan with what the runner needs and nobody else may see. */
export interface PreparedRun {
  readonly plan: Plan;
  readonly runtimePath: string;
  readonly stdin: Uint8Array<ArrayBuffer>;
  readonly files: readonly InputFile[];
  /** Values for the names of `plan.env.handed` that do not depend on the run. */
  readonly values: Readonly<Record<string, string>>;
  /** For the run's proxy. */
  readonly proxy: {
    readonly hosts: readonly HostPattern[];
    readonly openAddresses: readonly string[];
    readonly closedPorts: readonly string[];
    readonly secrets: readonly HeldSecret[];
  };
  /** Secrets' values that are replaced in the script's output, by name. */
  readonly redact: ReadonlyMap<string, string>;
  /** Values of everything granted, which no record may show, by name. */
  readonly hidden: ReadonlyMap<string, string>;
  /** Absolute real path of the script. */
  readonly script: string;
  /** Absolute real path of the skill's directory. */
  readonly skillDir: string;
  /** Every directory that the script is let into and that was there. */
  readonly checked: readonly CheckedDir[];
  readonly account: Account | undefined;
}

/** A file a run left behind, kept for a while. */
export interface Output {
  /** Opaque; read with `skill_file { paths: ["out:<id>"] }`. */
  readonly id: string;
  /** `out/<path>`, `data/<path>` or `workspace/<path>`. */
  readonly path: string;
  readonly size: number;
  readonly mediaType: string;
  readonly sha256: string;
}

/** How a started run ended. */
export interface RunResult {
  readonly skill: string;
  readonly script: string;
  readonly interpreter: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Why it was stopped, in words, when it went over a limit. */
  readonly overLimit: string | null;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  readonly outputs: readonly Output[];
  readonly durationMs: number;
  /** Sorted names the script was handed. */
  readonly env: readonly string[];
  readonly planDigest: string;
  /** What the run tried, allowed or denied. */
  readonly evidence: Evidence;
  /** In words: which limits were enforced, and which could not be. */
  readonly limits: {
    readonly enforced: readonly string[];
    readonly notEnforced: readonly string[];
  };
  readonly hints: readonly string[];
}

/** One captured stream: at most 1 MiB kept, head and tail. */
export interface CapturedStream {
  /** Kept bytes: the head, then (after a gap) the tail. */
  readonly head: Uint8Array<ArrayBuffer>;
  readonly tail: Uint8Array<ArrayBuffer>;
  /** Bytes written by the script in all. */
  readonly total: number;
}
