/** How much memory a script gets, and what the process needs beside it. */

import type { HardLimits } from "../hard_limits.ts";
import type { Confinement } from "../types.ts";

const MIB = 1024 * 1024;
/**
 * MiB of RLIMIT_DATA that a process takes before its script has any. V8 maps
 * 512 MiB for the code of each isolate. Measured on 2.9.6 with two cores: 547
 * as the main module and 1,085 as a worker's; the rest is for compactions.
 */
const FLOOR_MIB = { main: 600, worker: 1140 } as const;
/** Stack of each thread of V8's; it starts one for each core, up to 16. */
const THREAD_MIB = 8;
const MEASURED_CORES = 2;
const MOST_THREADS = 16;
/** Less than this above the floor is not worth starting with compiled code. */
const LEAST_MIB = 64;
/** The same in lite mode, where nothing is mapped for code: measured 32 and 48. */
const LITE_LEAST_MIB = 16;

/** What the bounds on a script's memory depend on. */
export interface MemoryInput {
  /** What the script may use in MiB: objects, buffers and wasm together. */
  readonly memoryMiB: number;
  readonly realm: Confinement["realm"];
  readonly hardLimits: Pick<HardLimits, "dataBytes">;
  /** Of this machine. */
  readonly cores: number;
}

/** A script's bounds on memory. */
export interface MemoryLimit {
  /** What the script may use, and so may the heap of each of its isolates. */
  readonly memoryMiB: number;
  /** RLIMIT_DATA of its process. */
  readonly dataMiB: number;
  readonly v8Flags: readonly string[];
  /** The server's own limit is small: the script is interpreted and gets less. */
  readonly small: boolean;
}

/**
 * The bounds for this much memory under the server's own hard limit. Where even that is below what V8 needs, lite mode
 * does without compiled code.
 */
export function memoryLimit(input: MemoryInput): MemoryLimit {
  const { memoryMiB: wanted, realm, hardLimits: { dataBytes } } = input;
  const hardMiB = dataBytes === "unlimited"
    ? Infinity
    : Math.floor(dataBytes / MIB);
  const floor = FLOOR_MIB[realm] + stacks(input.cores);
  if (hardMiB < floor + Math.min(wanted, LEAST_MIB)) {
    return lite(hardMiB, wanted);
  }
  const memoryMiB = Math.min(wanted, hardMiB - floor);
  return {
    memoryMiB,
    dataMiB: floor + memoryMiB,
    v8Flags: v8Flags(memoryMiB),
    small: false,
  };
}

function stacks(cores: number): number {
  const more = Math.min(cores, MOST_THREADS) - MEASURED_CORES;
  return THREAD_MIB * Math.max(0, more);
}

function lite(hardMiB: number, wanted: number): MemoryLimit {
  // The runtime's own share and buffers need the rest.
  const share = Math.max(LITE_LEAST_MIB, Math.floor(hardMiB * 3 / 8));
  const memoryMiB = Math.min(wanted, share);
  return {
    memoryMiB,
    dataMiB: hardMiB,
    v8Flags: ["--lite-mode", ...v8Flags(memoryMiB)],
    small: true,
  };
}

function v8Flags(memoryMiB: number): string[] {
  return [
    `--max-old-space-size=${memoryMiB}`,
    // Pages of 64 KiB.
    `--wasm-max-mem-pages=${memoryMiB * 16}`,
  ];
}
