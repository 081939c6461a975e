/** Timers by name: one of each at a time. */

import type { WatchEffects } from "./effects.ts";

/** Those that run; all end with `close`. */
export class Timers {
  readonly #after: WatchEffects["after"];
  readonly #timers = new Map<string, () => void>();
  #closed = false;

  constructor(effects: Pick<WatchEffects, "after">) {
    this.#after = effects.after;
  }

  /** Whether one of this name waits. */
  has(name: string): boolean {
    return this.#timers.has(name);
  }

  /** Runs once, after so many milliseconds, instead of the one before. */
  once(name: string, ms: number, run: () => void): void {
    if (this.#closed) return;
    this.#timers.get(name)?.();
    this.#timers.set(
      name,
      this.#after(ms, () => {
        this.#timers.delete(name);
        run();
      }),
    );
  }

  /** Runs again and again. */
  every(name: string, ms: number, run: () => void): void {
    this.once(name, ms, () => {
      this.every(name, ms, run);
      run();
    });
  }

  /** None runs any more. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#timers.values()) stop();
    this.#timers.clear();
  }
}
