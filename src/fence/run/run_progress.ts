/** Telling a caller what its run is doing. */

import type { Clock } from "../clock.ts";

/** How often a waiting or running call says so. */
const PROGRESS_MS = 2_000;

/** Says every two seconds what a call is doing, until it is stopped. */
export class RunProgress {
  readonly #clock: Clock;
  readonly #tell: ((message: string) => void) | undefined;
  #stop: () => void = () => {};

  constructor(clock: Clock, tell: ((message: string) => void) | undefined) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Replaces what was said before. */
  say(message: () => string): void {
    this.stop();
    const tell = this.#tell;
    if (tell === undefined) return;
    this.#stop = this.#clock.every(PROGRESS_MS, () => tell(message()));
  }

  /** Says nothing any more. */
  stop(): void {
    this.#stop();
    this.#stop = () => {};
  }
}
