/** How much may come within a time before it counts as a flood. */

/** A bound: this many bytes, and messages, in so many milliseconds. */
export interface Rate {
  readonly bytes: number;
  readonly messages?: number;
  readonly ms: number;
}

/** Counts within windows that follow each other. */
export class RateBound {
  readonly #rate: Rate;
  readonly #now: () => number;
  #since = -Infinity;
  #bytes = 0;
  #messages = 0;

  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Counts them; says whether they are too many. */
  over(bytes: number, messages = 0): boolean {
    const { ms, bytes: most, messages: mostMessages = Infinity } = this.#rate;
    const now = this.#now();
    if (now - this.#since > ms) {
      this.#since = now;
      this.#bytes = 0;
      this.#messages = 0;
    }
    this.#bytes += bytes;
    this.#messages += messages;
    return this.#bytes > most || this.#messages > mostMessages;
  }
}
