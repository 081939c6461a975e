/**
 * Every environment variable the server reads, in one table: reading, `doctor`
 * and the documentation test all use it.
 */

import { limitsText, USUAL_CEILING } from "./limits.ts";
import type { VariableKind } from "./variable_kinds.ts";

/** One row of the table. */
export interface Variable {
  readonly name: string;
  readonly meaning: string;
  readonly kind: VariableKind;
  /** What an unset variable means; a choice or number stands literally. */
  readonly fallback: string;
  /** What a malformed value is read as; the fallback when absent. */
  readonly strict?: string;
  /** Set by a host: its presence makes the server hosted. */
  readonly hostMarker?: boolean;
  /**
   * Only blank means unset. What a launcher puts in the place of a setting it
   * does not know is a value here, and an unreadable one.
   */
  readonly blankOnly?: boolean;
}

/** The prefix of our own variables; any other name under it is a mistake. */
export const OWN_PREFIX = "SKILLFENCE_";

/**
 * Set by us for the MCP servers of skills, and no setting: a skillfence that
 * finds it was started by one and starts no further servers.
 */
export const UPSTREAM_MARK = "SKILLFENCE_UPSTREAM";

/**
 * The variables that send requests through a proxy, of the system and not ours:
 * their presence is a fact of the configuration, and the fence reads them.
 */
export const PROXY_VARIABLES: readonly string[] = [
  "HTTPS_PROXY",
  "https_proxy",
  "HTTP_PROXY",
  "http_proxy",
];

/** All variables, in the order in which they are explained. */
export const VARIABLES = [
  {
    name: "MCP_SKILLS_PATH",
    meaning:
      "Directories to look for skills in; wins over --skills and SKILLS_DIR.",
    kind: { type: "paths" },
    fallback: "--skills, else SKILLS_DIR, else the bundled skills",
    hostMarker: true,
  },
  {
    name: "SKILLS_DIR",
    meaning:
      "Directories to look for skills in, when neither MCP_SKILLS_PATH nor --skills names any.",
    kind: { type: "paths" },
    fallback: "the bundled skills",
  },
  {
    name: "MCP_SKILL_RUN",
    meaning: "The owner's grant: which declared scripts may run, with what.",
    kind: { type: "text" },
    fallback: "standalone: the declaration stands; hosted: nothing is granted",
    // Read as unset, a placeholder would let every declaration stand.
    blankOnly: true,
  },
  {
    name: "MCP_SKILL_RENDER",
    meaning:
      "The owner's list of commands that may run when a skill's text is loaded.",
    kind: { type: "text" },
    fallback: "no command runs",
    blankOnly: true,
  },
  {
    name: "MCP_SKILL_MCP",
    meaning:
      "The owner's grant for MCP servers that skills declare; skillfence mcp pin prints its rows.",
    kind: { type: "text" },
    fallback: "no declared server starts",
    blankOnly: true,
  },
  {
    name: "MCP_DATA_DIR",
    meaning:
      "Writable directory from the host; each skill gets a private directory in it.",
    kind: { type: "path" },
    fallback: "no data directory",
    hostMarker: true,
  },
  {
    name: "MCP_HOST_METER_FILE",
    meaning: "Set by a host; only its presence counts.",
    kind: { type: "text" },
    fallback: "not hosted by it",
    hostMarker: true,
  },
  {
    name: "MCP_BLOB_BASE_URL",
    meaning: "Set by a host; only its presence counts.",
    kind: { type: "text" },
    fallback: "not hosted by it",
    hostMarker: true,
  },
  {
    name: "SKILLFENCE_PROMPTS",
    meaning:
      "Prompt files (their names end in .md) and directories of them, when no --prompt-file and no --prompt-dir is given.",
    kind: { type: "paths" },
    fallback: "no prompt files",
  },
  {
    name: "SKILLFENCE_CONTEXT",
    meaning:
      "Further kinds of context files that are read in a workspace, besides AGENTS.md, CLAUDE.md, GEMINI.md and .cursorrules.",
    kind: {
      type: "choices",
      values: ["cursor-rules", "copilot", "windsurf", "cline"],
    },
    fallback: "no further kinds",
  },
  {
    name: "SKILLFENCE_DENO",
    meaning: "The Deno executable that scripts run on.",
    kind: { type: "path" },
    fallback: "the carried runtime, else the running deno, else deno on PATH",
  },
  {
    name: "SKILLFENCE_CACHE_DIR",
    meaning: "Where the carried runtime and the bundled skills are unpacked.",
    kind: { type: "path" },
    fallback: "the user's cache directory",
  },
  {
    name: "SKILLFENCE_DATA_DIR",
    meaning:
      "Standalone: the writable directory that scripts see as MCP_DATA_DIR.",
    kind: { type: "path" },
    fallback: "no data directory",
  },
  {
    name: "SKILLFENCE_MAX_SKILLS",
    meaning: "How many skills are served at most.",
    kind: { type: "integer", min: 1, max: 1_000_000 },
    fallback: "20000",
  },
  {
    name: "SKILLFENCE_MAX_RUNS",
    meaning: "How many scripts run at the same time at most.",
    kind: { type: "integer", min: 1, max: 64 },
    fallback: "1",
  },
  {
    name: "SKILLFENCE_CONFIRM",
    meaning:
      "What confirms a run: the argument alone, or the digest of a preview made in the same session.",
    kind: { type: "choice", values: ["argument", "plan"] },
    fallback: "argument",
    strict: "plan",
  },
  {
    name: "SKILLFENCE_REQUIRE_USER",
    meaning:
      "1 marks skill_run so that clients which know the mark ask a person at every call; 0 drops the mark.",
    kind: { type: "choice", values: ["0", "1"] },
    fallback: "1",
  },
  {
    name: "SKILLFENCE_OS_FENCE",
    meaning:
      "Which operating-system layer holds scripts: the best that works, a certain one, none, or one at all costs.",
    kind: {
      type: "choice",
      values: ["auto", "bwrap", "bwrap+worker", "landlock", "off", "require"],
    },
    fallback: "auto",
    strict: "require",
  },
  {
    name: "SKILLFENCE_UID",
    meaning: "The user and group number that scripts run as.",
    // The largest 32-bit number means "no change" to setuid (man 2 setreuid).
    kind: { type: "integer", min: 1, max: 4_294_967_294 },
    fallback: "65534 for a server that runs as root; else not changed",
    strict: "65534",
  },
  {
    name: "SKILLFENCE_LIMITS",
    meaning:
      "The most any script gets, whatever it declares: MiB of memory, of one file and on disk; seconds of CPU; processes, open descriptors and files.",
    kind: { type: "limits" },
    fallback: limitsText(USUAL_CEILING),
  },
  {
    name: "SKILLFENCE_REDACT",
    meaning:
      "1 replaces the values of secret variables in what a script prints; other encodings of a value are not found.",
    kind: { type: "choice", values: ["0", "1"] },
    fallback: "0",
    strict: "1",
  },
  {
    name: "SKILLFENCE_AUDIT_LOG",
    meaning:
      "File that gets one JSON line for every preview, run, call, refusal and cancellation.",
    kind: { type: "path" },
    fallback: "no audit log",
  },
  {
    name: "SKILLFENCE_TOKEN_FILE",
    meaning: "With --http: the file that holds the token clients must send.",
    kind: { type: "path" },
    fallback: "a token is made and kept in a file of mode 0600",
  },
  {
    name: "SKILLFENCE_PLAN_KEY_FILE",
    meaning:
      "With --http, --allow-run and SKILLFENCE_CONFIRM=plan: the key file that all replicas share, so that each accepts the others' previews.",
    kind: { type: "path" },
    fallback: "a preview counts where it was made",
  },
  {
    name: "SKILLFENCE_LOG",
    meaning: "How much is written to stderr.",
    kind: { type: "choice", values: ["error", "warn", "info", "debug"] },
    fallback: "warn",
  },
] as const satisfies readonly Variable[];

/** A name in the table. */
export type VariableName = (typeof VARIABLES)[number]["name"];

/** The row of a name. */
export function variable(name: VariableName): Variable {
  return VARIABLES.find((row) => row.name === name)!;
}
