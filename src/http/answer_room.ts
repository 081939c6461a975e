/**
 * Room for large answers: how many bytes of them are in memory at once, from
 * before they are made until they are sent or given up.
 */

import { type HttpRefusal, refuseHttp } from "./refusals.ts";

/** Bounds on all large answers together. */
export interface AnswerBounds {
  readonly bytes: number;
  /** Milliseconds that a request waits for room. */
  readonly waitMs: number;
}

/** Room that an answer has; given back once. */
export interface Held extends Disposable {
  readonly ok: true;
  /** The answer is made and has this many bytes. */
  is(bytes: number): void;
}

interface Waiting {
  readonly bytes: number;
  readonly come: () => void;
}

/** The room of one server. Every request of it shows the same token. */
export class AnswerRoom {
  readonly #bounds: AnswerBounds;
  readonly #waiting = new Set<Waiting>();
  #used = 0;

  constructor(bounds: AnswerBounds) {
    this.#bounds = bounds;
  }

  /** Bytes that are taken now. */
  get used(): number {
    return this.#used;
  }

  /**
   * Room for an answer of at most `bytes`; 0 always has room. Who fits goes
   * first, so that a large answer holds up no smaller one. Refuses with 429 when
   * no room has come in time, and with 413 what never fits.
   */
  async enter(bytes: number): Promise<Held | HttpRefusal> {
    const { bytes: all, waitMs } = this.#bounds;
    if (bytes > all) {
      return refuseHttp(
        413,
        "The answer may be larger than the server holds at once: ask for less in one request",
      );
    }
    if (this.#used + bytes <= all || bytes === 0) return this.#hold(bytes);
    return await new Promise((resolve) => {
      const waiting = {
        bytes,
        come: () => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve(this.#hold(bytes));
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        resolve(refuseHttp(429, "Too many large answers at once", {
          "Retry-After": String(Math.max(1, Math.ceil(waitMs / 1000))),
        }));
      }, waitMs);
      this.#waiting.add(waiting);
    });
  }

  #hold(bytes: number): Held {
    let held = bytes;
    let left = false;
    this.#used += held;
    const become = (now: number) => {
      if (left) return;
      this.#used += now - held;
      held = now;
      this.#letIn();
    };
    return {
      ok: true,
      is: become,
      [Symbol.dispose]: () => {
        become(0);
        left = true;
      },
    };
  }

  #letIn(): void {
    for (const { bytes, come } of [...this.#waiting]) {
      if (this.#used + bytes <= this.#bounds.bytes) come();
    }
  }
}
