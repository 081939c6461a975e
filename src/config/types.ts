/** What the environment and the flags said, as one immutable value. */

/** Where the roots came from. */
export type RootsFrom =
  | "MCP_SKILLS_PATH"
  | "--skills"
  | "SKILLS_DIR"
  | "bundled";

/** Verbosity on stderr. */
export type LogLevel = "error" | "warn" | "info" | "debug";

/** Which operating-system layer is wanted. */
export type OsFence =
  | "auto"
  | "bwrap"
  | "bwrap+worker"
  | "landlock"
  | "off"
  | "require";

/** Bounds on one run, by the words of a declaration's `limits`. */
export interface Limits {
  /** MiB. */
  readonly memory: number;
  /** Seconds. */
  readonly cpu: number;
  /** MiB of one file. */
  readonly file: number;
  readonly procs: number;
  /** Open descriptors. */
  readonly open: number;
  /** MiB in scratch, outputs and data together. */
  readonly disk: number;
  /** How many files there. */
  readonly files: number;
}

/** Everything the rest of the server may know about how it was started. */
export interface Config {
  /** Absolute directories to look for skills in, in order of precedence. */
  readonly roots: readonly string[];
  readonly rootsFrom: RootsFrom;
  /** A host started us (seed: any injected marker): no grant means no runs. */
  readonly hosted: boolean;
  /** The text of `MCP_SKILL_RUN`; undefined when unset or blank. */
  readonly grantText: string | undefined;
  /** `SKILLFENCE_DENO`: absolute path of the runtime to use. */
  readonly denoPath: string | undefined;
  /** `SKILLFENCE_CACHE_DIR`: absolute. */
  readonly cacheDir: string | undefined;
  /** `MCP_DATA_DIR` or `SKILLFENCE_DATA_DIR`: absolute parent of the per-skill data directories. */
  readonly dataDir: string | undefined;
  readonly maxSkills: number;
  readonly maxRuns: number;
  readonly confirm: "argument" | "plan";
  readonly requireUser: boolean;
  readonly log: LogLevel;
  /** False with `--no-run`: `skill_run` and `skill_preview` are not offered. */
  readonly runTools: boolean;
  /** `SKILLFENCE_OS_FENCE`. */
  readonly osFence: OsFence;
  /** `SKILLFENCE_UID`; undefined: 65534 for a root server, if it can. */
  readonly uid: number | undefined;
  /** `SKILLFENCE_LIMITS`: the most that any script gets. */
  readonly ceiling: Limits;
  /** `SKILLFENCE_REDACT`: secrets' values are replaced in output. */
  readonly redact: boolean;
  /** `SKILLFENCE_AUDIT_LOG`: absolute path of the file. */
  readonly auditLog: string | undefined;
  /** True when any of `HTTP_PROXY`, `HTTPS_PROXY` (either case) is set. */
  readonly behindProxy: boolean;
  /**
   * Reads one variable of the server's own environment; blank is undefined.
   * The only door through which a granted variable's value is read.
   */
  readonly env: (name: string) => string | undefined;
  /** What was wrong, already worded; hosted mode serves on with these as notes. */
  readonly complaints: readonly string[];
  /** Settings that had no effect, in words; not mistakes. */
  readonly notes?: readonly string[];
}
