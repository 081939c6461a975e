/** The bounds on one run, as its Plan states them and as they are set. */

import type { Limits } from "../../config/types.ts";
import type { OsLayer } from "../../os/types.ts";
import type { ProcessLimits } from "../../os/wrapper.ts";
import type { Bound, HardLimits } from "../hard_limits.ts";
import { type LimitsInWords, limitsInWords } from "./limits_text.ts";
import { memoryLimit } from "./memory_limit.ts";
import type { Confinement } from "../types.ts";

const MIB = 1024 * 1024;
const KIB_IN_MIB = 1024;

/** A Plan's bounds in numbers. JSON-safe. */
export interface LimitNumbers {
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
}

/** A Plan's bounds, and which of them hold. JSON-safe. */
export type RunLimits = LimitNumbers & LimitsInWords;

/** What the bounds are drawn from. */
export interface RunLimitsInput {
  readonly limits: Limits;
  readonly realm: Confinement["realm"];
  readonly layer: OsLayer | undefined;
  readonly hardLimits: HardLimits;
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
  const { limits, hardLimits } = input;
  const os = input.os ?? Deno.build.os;
  const memory = memoryLimit({
    memoryMiB: limits.memory,
    realm: input.realm,
    hardLimits,
    cores: input.cores ?? navigator.hardwareConcurrency,
  });
  const bounds: LimitNumbers = {
    memoryMiB: memory.memoryMiB,
    // Elsewhere the limit exists and bounds no mapping.
    dataMiB: os === "linux" ? memory.dataMiB : null,
    cpuSeconds: lower(limits.cpu, hardLimits.cpuSeconds),
    fileMiB: lower(limits.file, inMiB(hardLimits.fileBytes)),
    processes: limits.procs,
    openFiles: lower(limits.open, hardLimits.openFiles),
    diskMiB: limits.disk,
    files: limits.files,
  };
  return {
    plan: {
      ...bounds,
      ...limitsInWords(bounds, { layer: input.layer, uid: input.uid, os }),
    },
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
