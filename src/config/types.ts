/** What the environment and the flags said, as one immutable value. */

/** Where the roots came from. */
export type RootsFrom =
  | "MCP_SKILLS_PATH"
  | "--skills"
  | "--skill-dir"
  | "SKILLS_DIR"
  | "bundled";

/** A directory to look in: a root of skills, or a directory of prompts. */
export interface Directory {
  /** Absolute. */
  readonly path: string;
  /** Globs on whole names, `*` crosses `/`; empty: everything. */
  readonly include: readonly string[];
  /** Globs on whole names that are left out, whatever `include` says. */
  readonly ignore: readonly string[];
  /** Whether changes in it are noticed without being asked for. */
  readonly watch: boolean;
}

/** A directory to look for skills in. */
export interface SkillRoot extends Directory {
  /** Its `*.md` files outside skills are skills by themselves. */
  readonly flat: boolean;
}

/** Where prompt files come from; `file` is absolute. */
export type PromptSource =
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "directory"; readonly directory: Directory };

/** Where an HTTP server listens. */
export type Listen =
  | { readonly kind: "tcp"; readonly hostname: string; readonly port: number }
  | { readonly kind: "unix"; readonly path: string };

/** `serve --http` and what belongs to it. */
export interface HttpConfig {
  readonly listen: Listen;
  /** `--host NAME`: Host names accepted on a bind beyond loopback. */
  readonly hosts: readonly string[];
  readonly behindTlsProxy: boolean;
  /** `--no-token`: loopback only, never with `allowRun`. */
  readonly tokenless: boolean;
  /** `--allow-run`: `skill_run` and `skill_preview` are offered. */
  readonly allowRun: boolean;
  /** `SKILLFENCE_TOKEN_FILE`: absolute; undefined: one is generated. */
  readonly tokenFile: string | undefined;
  /** `SKILLFENCE_PLAN_KEY_FILE`: absolute; undefined: previews are remembered. */
  readonly planKeyFile: string | undefined;
}

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
  /** Where skills are looked for, in order of precedence. */
  readonly roots: readonly SkillRoot[];
  readonly rootsFrom: RootsFrom;
  /**
   * `--workspace`: absolute directories that people work in, first wins; empty:
   * the client's own roots, on stdio.
   */
  readonly workspaces: readonly string[];
  /** `SKILLFENCE_CONTEXT`: further dialects of context files, by name. */
  readonly contextDialects: readonly string[];
  /** Prompt files and directories, in the order in which they claim names. */
  readonly prompts: readonly PromptSource[];
  /** `--skip-native`: a skill that the client has itself is left out. */
  readonly skipNative: boolean;
  /** `--poll`: milliseconds between looks at everything; undefined: none. */
  readonly pollMs: number | undefined;
  /** Set when the server speaks HTTP instead of stdio. */
  readonly http: HttpConfig | undefined;
  /** A host started us (seed: any injected marker): no grant means no runs. */
  readonly hosted: boolean;
  /** The text of `MCP_SKILL_RUN`; undefined when unset or blank. */
  readonly grantText: string | undefined;
  /** The text of `MCP_SKILL_RENDER`; undefined when unset or blank. */
  readonly renderText: string | undefined;
  /** The text of `MCP_SKILL_MCP`; undefined when unset or blank. */
  readonly mcpText: string | undefined;
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
  /**
   * False with `--no-run`, and over HTTP without `--allow-run`: `skill_run` and
   * `skill_preview` are not offered.
   */
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
