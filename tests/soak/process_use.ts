/** What a process holds, sampled over time, and windows of it compared. */

/** One moment. */
export interface Sample {
  /** Milliseconds since sampling began. */
  readonly at: number;
  /** Resident memory, bytes. */
  readonly memory: number;
  readonly descriptors: number;
}

/** Reads a process's use from `/proc`. */
export async function useOf(pid: number): Promise<Omit<Sample, "at">> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  let descriptors = 0;
  for await (const _ of Deno.readDir(`/proc/${pid}/fd`)) descriptors++;
  return {
    memory: Number(status.match(/VmRSS:\s+(\d+) kB/)![1]) * 1024,
    descriptors,
  };
}

/** Samples a process until it is stopped. */
export class Sampler {
  readonly samples: Sample[] = [];
  readonly #start = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(pid: number, everyMs = 500) {
    this.#timer = setInterval(() => {
      useOf(pid).then((use) =>
        this.samples.push({ at: performance.now() - this.#start, ...use })
      ).catch(() => clearInterval(this.#timer));
    }, everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/**
 * The lower quartile of one measure in a part of the samples (shares of the
 * whole time): what stays when collections of garbage and what is under way
 * at the moment are looked past.
 */
export function floorOf(
  samples: readonly Sample[],
  measure: "memory" | "descriptors",
  [from, to]: readonly [number, number],
): number {
  const end = samples.at(-1)!.at;
  const values = samples
    .filter(({ at }) => at >= from * end && at <= to * end)
    .map((sample) => sample[measure])
    .toSorted((a, b) => a - b);
  return values[Math.floor(values.length / 4)]!;
}
