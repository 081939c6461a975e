/** The bounds on one run in words: what holds here, and what the owner cut. */

import { LIMIT_WORDS, type LimitWord } from "../../config/limits.ts";
import type { Limits } from "../../config/types.ts";
import type { OsLayer } from "../../os/types.ts";
import type { LimitNumbers, RunLimits } from "./run_limits.ts";

/** Which bounds hold. JSON-safe. */
export interface LimitsInWords {
  /** One phrase each: what holds on this machine. */
  readonly enforced: readonly string[];
  /** And what does not, with the reason. */
  readonly notEnforced: readonly string[];
}

/** What it depends on whether a bound holds. */
export interface LimitGround {
  readonly layer: OsLayer | undefined;
  /** The account scripts run as; undefined: not known. */
  readonly uid: number | undefined;
  readonly os: typeof Deno.build.os;
}

/** How a declaration's words are told: the Plan's number, and what it counts. */
const TOLD: Readonly<
  Record<
    LimitWord,
    {
      readonly of: Exclude<keyof LimitNumbers, "dataMiB">;
      readonly unit: string;
    }
  >
> = {
  memory: { of: "memoryMiB", unit: "MiB of memory" },
  cpu: { of: "cpuSeconds", unit: "s of processor time" },
  file: { of: "fileMiB", unit: "MiB in one file" },
  procs: { of: "processes", unit: "processes and threads" },
  open: { of: "openFiles", unit: "open files" },
  disk: { of: "diskMiB", unit: "MiB on disk" },
  files: { of: "files", unit: "files on disk" },
};

/** Says of every bound whether it holds on this machine, else why not. */
export function limitsInWords(
  bounds: LimitNumbers,
  { layer, uid, os }: LimitGround,
): LimitsInWords {
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
  put(has, told("cpu", bounds), none);
  put(has, told("file", bounds), none);
  put(has, told("open", bounds), none);
  const processes = unboundProcesses(layer, uid);
  put(processes === undefined, told("procs", bounds), processes ?? "");
  enforced.push(
    `${bounds.diskMiB} MiB and ${bounds.files} files in scratch, outputs and data, counted every quarter of a second`,
  );
  return { enforced, notEnforced };
}

/**
 * What a script asked for above the owner's ceiling, one phrase each: the
 * limit, what was asked, and what applies.
 */
export function narrowedInWords(
  wishes: Partial<Limits>,
  ceiling: Limits,
  applied: LimitNumbers,
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
  return limits.enforced.includes(told("procs", limits));
}

function told(word: LimitWord, bounds: LimitNumbers): string {
  const { of, unit } = TOLD[word];
  return `${bounds[of]} ${unit}`;
}

/** Why processes are not bounded; undefined when they are. */
function unboundProcesses(
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
