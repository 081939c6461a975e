/** Runs wait their turn: in order, not too many, not too long. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import type { Clock } from "./clock.ts";

/** How many wait for a turn at most. */
export const MAX_WAITING = 16;
/** How long one waits at most, in milliseconds. */
export const MAX_WAIT_MS = 20_000;

/** How `RunQueue` is set up. */
export interface QueueOptions {
  /** How many may run at once; at least 1. */
  readonly slots: number;
  readonly clock: Clock;
}

interface Waiter {
  admit(): void;
  refuse(code: "BUSY" | "CANCELLED"): void;
}

/** Admits up to `slots` holders at once; the rest in order of arrival. */
export class RunQueue {
  readonly #clock: Clock;
  readonly #waiting: Waiter[] = [];
  #free: number;
  #closed = false;

  constructor(options: QueueOptions) {
    this.#clock = options.clock;
    this.#free = options.slots;
  }

  /** Whether one who came now would have to wait. */
  get busy(): boolean {
    return this.#free === 0;
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Waits for a slot and returns how to give it back (once; later calls do
   * nothing). `BUSY` when too many wait or the wait is too long, `CANCELLED`
   * on `signal` or after `close`.
   */
  enter(signal?: AbortSignal): Promise<Result<() => void>> {
    if (this.#closed || signal?.aborted) {
      return Promise.resolve(refusal("CANCELLED"));
    }
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve(ok(this.#slot()));
    }
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.resolve(refusal("BUSY"));
    }
    return new Promise((resolve) => {
      const settle = (result: Result<() => void>) => {
        callOff();
        signal?.removeEventListener("abort", cancel);
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve(result);
      };
      const waiter: Waiter = {
        admit: () => settle(ok(this.#slot())),
        refuse: (code) => settle(refusal(code)),
      };
      const cancel = () => waiter.refuse("CANCELLED");
      const callOff = this.#clock.after(
        MAX_WAIT_MS,
        () => waiter.refuse("BUSY"),
      );
      signal?.addEventListener("abort", cancel, { once: true });
      this.#waiting.push(waiter);
    });
  }

  /** Refuses everyone who waits and everyone who comes. */
  close(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiting]) waiter.refuse("CANCELLED");
  }

  #slot(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting[0];
      if (next === undefined) this.#free++;
      else next.admit();
    };
  }
}

function refusal(code: "BUSY" | "CANCELLED"): Result<never> {
  return code === "BUSY"
    ? refuse(
      "BUSY",
      "Other runs are under way and this one did not get its turn.",
      "Nothing was started. Call again in a little while.",
    )
    : refuse(
      "CANCELLED",
      "The call was cancelled while it waited for its turn.",
      "Nothing was started. Call again if it is still wanted.",
    );
}
