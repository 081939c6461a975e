/** The bounds on one run, as its Plan states them and as they are set. */

import { LIMIT_WORDS, type LimitWord } from "../config/limits.ts";
import type { Limits } from "../config/types.ts";
import type { OsLayer } from "../os/types.ts";
import type { ProcessLimits } from "../os/wrapper.ts";
import type { Bound, DataLimit } from "./data_limit.ts";
import { memoryLimit } from "./memory_limit.ts";
import type { Confinement } from "./types.ts";

const MIB = 1024 * 1024;
const KIB_IN_MIB = 1024;

/** A Plan's bounds. JSON-safe. */
export interface RunLimits {
  /** What the script may use. */
  readonly memoryMiB: number;
  /** RLIMIT_DATA of its process, the runtime's own share in it; null: not set. */
  readonly dataMiB: number | null;
  readonly cpuSeconds: number;
  /** The largest file. */
  readonly fileMiB: number;
  /** Processes and threads. */
  readonly processes: number;
  readonly openFiles: number;
  /** Scratch, outputs and data together, and the size of the scratch. */
  readonly diskMiB: number;
  /** How many files and directories there. */
  readonly files: number;
  /** One phrase each: what holds on this machine. */
  readonly enforced: readonly string[];
  /** And what does not, with the reason. */
  readonly notEnforced: readonly string[];
}

/** What the bounds are drawn from. */
export interface RunLimitsInput {
  readonly limits: Limits;
  readonly realm: Confinement["realm"];
  readonly layer: OsLayer | undefined;
  readonly dataLimit: DataLimit;
  /** The account scripts run as; undefined: not known. */
  readonly uid?: number;
  /** Of this machine; for tests. */
  readonly cores?: number;
  readonly os?: typeof Deno.build.os;
}

/** The bounds on one run. */
export interface LimitedRun {
  readonly plan: RunLimits;
  readonly v8Flags: readonly string[];
  /** The server's own limit is small: the script is interpreted and gets less. */
  readonly small: boolean;
}

/**
 * The bounds on one run. None goes above the server's own hard limits: setting
 * those would fail.
 */
export function runLimits(input: RunLimitsInput): LimitedRun {
  const { limits, dataLimit } = input;
  const os = input.os ?? Deno.build.os;
  const memory = memoryLimit({
    memoryMiB: limits.memory,
    realm: input.realm,
    dataLimit,
    cores: input.cores ?? navigator.hardwareConcurrency,
  });
  const bounds: Omit<RunLimits, "enforced" | "notEnforced"> = {
    memoryMiB: memory.memoryMiB,
    // Elsewhere the limit exists and bounds no mapping.
    dataMiB: os === "linux" ? memory.dataMiB : null,
    cpuSeconds: lower(limits.cpu, dataLimit.cpuSeconds),
    fileMiB: lower(limits.file, inMiB(dataLimit.fileBytes)),
    processes: limits.procs,
    openFiles: lower(limits.open, dataLimit.openFiles),
    diskMiB: limits.disk,
    files: limits.files,
  };
  return {
    plan: { ...bounds, ...inWords(bounds, input, os) },
    v8Flags: memory.v8Flags,
    small: memory.small,
  };
}

/** What the wrapper sets before the command. */
export function processLimits(
  { dataMiB, fileMiB, cpuSeconds, openFiles }: RunLimits,
): ProcessLimits {
  return {
    ...(dataMiB === null ? {} : { dataKiB: dataMiB * KIB_IN_MIB }),
    fileKiB: fileMiB * KIB_IN_MIB,
    cpuSeconds,
    openFiles,
  };
}

function lower(wanted: number, hard: Bound): number {
  return hard === "unlimited" ? wanted : Math.min(wanted, hard);
}

function inMiB(bytes: Bound): Bound {
  return bytes === "unlimited" ? bytes : Math.floor(bytes / MIB);
}

type Bounded = Exclude<keyof RunLimits, "dataMiB" | keyof InWords>;
type InWords = Pick<RunLimits, "enforced" | "notEnforced">;

function inWords(
  bounds: Omit<RunLimits, keyof InWords>,
  { layer, uid }: RunLimitsInput,
  os: typeof Deno.build.os,
): InWords {
  const enforced: string[] = [];
  const notEnforced: string[] = [];
  const put = (holds: boolean, text: string, why: string) =>
    holds ? enforced.push(text) : notEnforced.push(`${text}: ${why}`);
  const has = os !== "windows";
  const none = "this system has no such limit";
  enforced.push(`${bounds.memoryMiB} MiB of objects and of each wasm memory`);
  put(
    bounds.dataMiB !== null,
    `${bounds.memoryMiB} MiB with buffers and workers (${
      bounds.dataMiB ?? "no"
    } MiB of data for the process)`,
    none,
  );
  put(has, `${bounds.cpuSeconds} s of processor time`, none);
  put(has, `${bounds.fileMiB} MiB in one file`, none);
  put(has, `${bounds.openFiles} open files`, none);
  const processes = processesHeld(layer, uid);
  put(
    processes === undefined,
    processesText(bounds),
    processes ?? "",
  );
  enforced.push(
    `${bounds.diskMiB} MiB and ${bounds.files} files in scratch, outputs and data, counted every quarter of a second`,
  );
  return { enforced, notEnforced };
}

/** How a declaration's words are told: the Plan's number, and what it counts. */
const TOLD: Readonly<
  Record<LimitWord, { readonly of: Bounded; readonly unit: string }>
> = {
  memory: { of: "memoryMiB", unit: "MiB of memory" },
  cpu: { of: "cpuSeconds", unit: "s of processor time" },
  file: { of: "fileMiB", unit: "MiB in one file" },
  procs: { of: "processes", unit: "processes and threads" },
  open: { of: "openFiles", unit: "open files" },
  disk: { of: "diskMiB", unit: "MiB on disk" },
  files: { of: "files", unit: "files on disk" },
};

/**
 * What a script asked for above the owner's ceiling, one phrase each: the
 * limit, what was asked, and what applies.
 */
export function narrowedInWords(
  wishes: Partial<Limits>,
  ceiling: Limits,
  applied: RunLimits,
): readonly string[] {
  return LIMIT_WORDS.flatMap((word) => {
    const asked = wishes[word];
    if (asked === undefined || asked <= ceiling[word]) return [];
    const { of, unit } = TOLD[word];
    return [`${asked} ${unit} (\`${word}\`), cut to ${applied[of]}`];
  });
}

/** Whether a Plan's bound on processes holds on this machine. */
export function boundsProcesses(limits: RunLimits): boolean {
  return limits.enforced.includes(processesText(limits));
}

function processesText({ processes }: Pick<RunLimits, "processes">): string {
  return `${processes} processes and threads`;
}

/** Why processes are not bounded; undefined when they are. */
function processesHeld(
  layer: OsLayer | undefined,
  uid: number | undefined,
): string | undefined {
  if (layer === undefined) {
    return "they are counted over all runs of an account; the permission flags let a script start none";
  }
  if (layer.by === "landlock") {
    return "threads are counted over all runs of an account; the system call filter lets a script start no process";
  }
  if (layer.prlimit === undefined) return "prlimit is not installed";
  // The kernel exempts the superuser from RLIMIT_NPROC (getrlimit(2)).
  return uid === 0 ? "the superuser is exempt" : undefined;
}
