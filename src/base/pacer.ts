/** Long synchronous work, cut into slices so that the server stays answering. */

import { setTimeout } from "node:timers";

/** Milliseconds of work between two pauses. */
const SLICE_MS = 30;

/** Entries of one directory between two questions whether a pause is due. */
export const ENTRIES_PER_BREATH = 64;

/** Tells when a pause is due and takes it. */
export class Pacer {
  #since = performance.now();

  /** Whether the current slice is used up. */
  due(): boolean {
    return performance.now() - this.#since >= SLICE_MS;
  }

  /**
   * Lets everything else run. A timer: immediates starve input under Deno. A
   * timer of Node's: the web's waits four milliseconds when it follows another.
   */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => void setTimeout(resolve, 0));
    this.#since = performance.now();
  }
}
