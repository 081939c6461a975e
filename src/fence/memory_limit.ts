/** How much memory a script gets, given what this server itself was given. */

const MIB = 1024 * 1024;
const HEAP_MIB = 256;
/**
 * Below this many bytes of RLIMIT_DATA V8 cannot reserve its code range and
 * aborts at start; in lite mode it does not reserve one. Measured on 2.9.6:
 * 1.07e9 aborts, 1.2e9 works; 1,500,000 KiB leaves a margin.
 */
const SMALL_BYTES = 1_500_000 * 1024;

/** A script's bounds on memory. */
export interface MemoryLimit {
  /** JavaScript heap of one isolate. */
  readonly heapMiB: number;
  readonly v8Flags: readonly string[];
  /** RLIMIT_DATA is small: the script is interpreted and gets less heap. */
  readonly small: boolean;
}

/** The bounds under this RLIMIT_DATA (bytes). */
export function memoryLimit(dataBytes: number | "unlimited"): MemoryLimit {
  const small = dataBytes !== "unlimited" && dataBytes < SMALL_BYTES;
  // The runtime's own share and buffers need the rest.
  const heapMiB = small
    ? Math.min(HEAP_MIB, Math.max(16, Math.floor(dataBytes / MIB * 3 / 8)))
    : HEAP_MIB;
  return {
    heapMiB,
    small,
    v8Flags: [
      ...(small ? ["--lite-mode"] : []),
      `--max-old-space-size=${heapMiB}`,
      // Pages of 64 KiB: half of the heap's size.
      `--wasm-max-mem-pages=${heapMiB * 8}`,
    ],
  };
}
