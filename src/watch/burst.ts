/** Events that come so thick that some of them are lost. */

import type { Timers } from "./timers.ts";

/**
 * Deno keeps so many events that nobody has taken, and drops the rest without
 * a word: after nearly as many at a stretch anything may have moved.
 */
const BURST = 512;
/** A stretch goes on while so many events come in so many milliseconds. */
const STRETCH_MS = 20;
const STRETCH_EVENTS = 32;

/** Counts the events of one stretch. */
export class Burst {
  readonly #timers: Pick<Timers, "once">;
  readonly #onLoss: () => void;
  #events = 0;

  /** `onLoss` is called when anything may have moved. */
  constructor(timers: Pick<Timers, "once">, onLoss: () => void) {
    this.#timers = timers;
    this.#onLoss = onLoss;
  }

  /** One event came. */
  count(): void {
    this.#events += 1;
    if (this.#events === 1) this.#stretch(0);
    else if (this.#events % BURST === 0) this.#onLoss();
  }

  #stretch(before: number): void {
    this.#timers.once("burst", STRETCH_MS, () => {
      const now = this.#events;
      if (now - before < STRETCH_EVENTS) this.#events = 0;
      else this.#stretch(now);
    });
  }
}
