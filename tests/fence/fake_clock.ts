/** A clock that stands still until a test moves it. */

import type { Clock } from "../../src/fence/clock.ts";

interface Alarm {
  at: number;
  readonly run: () => void;
  readonly every: number | undefined;
}

/** Time that passes by `advance` only. */
export class FakeClock implements Clock {
  #now = 0;
  readonly #alarms = new Set<Alarm>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    return this.#set(ms, run, undefined);
  }

  idle(ms: number, run: () => void): () => void {
    return this.#set(ms, run, undefined);
  }

  every(ms: number, run: () => void): () => void {
    return this.#set(ms, run, ms);
  }

  /** How many alarms are armed. */
  get armed(): number {
    return this.#alarms.size;
  }

  /** Moves on, ringing what is due in order, and lets promises settle. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#alarms].filter((alarm) => alarm.at <= end)
        .sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#now = due.at;
      if (due.every === undefined) this.#alarms.delete(due);
      else due.at += due.every;
      due.run();
      await Promise.resolve();
    }
    this.#now = end;
    await new Promise((settled) => setTimeout(settled, 0));
  }

  #set(ms: number, run: () => void, every: number | undefined): () => void {
    const alarm = { at: this.#now + ms, run, every };
    this.#alarms.add(alarm);
    return () => void this.#alarms.delete(alarm);
  }
}
