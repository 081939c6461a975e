/**
 * When watches may be opened and closed. Deno does either by asking the thread
 * that reads events, and waits for its answer; the thread answers when no event
 * is left to read. So in a burst the call takes as long as the burst and what
 * it left in the queue (measured: 10 s), and the whole server with it.
 */

import type { WatchEffects } from "./effects.ts";
import { pause } from "../base/pause.ts";

/** So many events in so many milliseconds are a burst. */
const MANY = 32;
const BURST_MS = 1_000;
/** So many: the thread may be behind; on a busy machine it gets through few. */
const FEW = 12;
const BUSY_MS = 500;
/** Milliseconds in which a burst shows that nobody has heard yet. */
const LISTEN_MS = 100;
/** So many of them at most in that time. */
const FEWEST = 2;
/** Milliseconds after which a call did wait for the thread. */
const LONG_MS = 1_000;
/** Milliseconds without another such call after one that took long; doubles. */
const HOLD_MS = 5_000;
const MOST_HOLD_MS = 5 * 60_000;
/** Milliseconds after which a call that took long is forgotten. */
const FORGET_MS = 10 * 60_000;

/** Hears of all events and calls. */
export class Calm {
  readonly #now: () => number;
  /** When the last events came, the oldest first. */
  readonly #heard: number[] = [];
  #holdMs = HOLD_MS;
  #long = -Infinity;
  #until = -Infinity;

  constructor(effects: Pick<WatchEffects, "now">) {
    this.#now = effects.now;
  }

  /** An event came, whatever it was about. */
  heard(): void {
    this.#heard.push(this.#now());
    if (this.#heard.length > MANY) this.#heard.shift();
  }

  /** Whether a burst goes on. */
  busy(): boolean {
    return this.#within(BURST_MS) >= MANY;
  }

  /** Whether a watch may be opened or closed now. */
  ready(): boolean {
    return this.#within(BUSY_MS) < FEW && this.#now() >= this.#until;
  }

  /** The same, when events that wait to be heard have been. */
  async comes(): Promise<boolean> {
    const before = this.#now();
    await pause(LISTEN_MS);
    const heard = this.#within(this.#now() - before);
    return heard <= FEWEST && this.ready();
  }

  #within(ms: number): number {
    const since = this.#now() - ms;
    return this.#heard.filter((at) => at > since).length;
  }

  /** Runs a call that opens or closes; after one that took long comes a rest. */
  timed<T>(call: () => T): T {
    const begun = this.#now();
    try {
      return call();
    } finally {
      const now = this.#now();
      if (now - begun >= LONG_MS) this.#rest(now);
    }
  }

  /** A burst that begins amid a call cannot be foreseen: make such calls rare. */
  #rest(now: number): void {
    if (now - this.#long > FORGET_MS) this.#holdMs = HOLD_MS;
    this.#long = now;
    this.#until = now + this.#holdMs;
    this.#holdMs = Math.min(this.#holdMs * 2, MOST_HOLD_MS);
  }
}
