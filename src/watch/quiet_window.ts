/** Many events, one look: fires when it has been quiet, or when it is time. */

import type { WatchEffects } from "./effects.ts";

/** Milliseconds without an event after which a rescan begins. */
export const QUIET_MS = 500;
/** Milliseconds after which one begins although events go on. */
export const MOST_MS = 5_000;
/** Paths remembered of one burst; with more, everything is looked at. */
const MAX_HINTS = 256;

/** Collects paths until the window closes. */
export class QuietWindow {
  readonly #effects: Pick<WatchEffects, "now" | "after">;
  readonly #fire: (hints: readonly string[] | undefined) => void;
  #hints: Set<string> | undefined = new Set();
  #first: number | undefined;
  #stop: () => void = () => {};

  /** `fire` gets the paths that may have moved; undefined: any may have. */
  constructor(
    effects: Pick<WatchEffects, "now" | "after">,
    fire: (hints: readonly string[] | undefined) => void,
  ) {
    this.#effects = effects;
    this.#fire = fire;
  }

  /** Something happened at these paths; undefined: nobody knows where. */
  note(paths: readonly string[] | undefined): void {
    if (paths === undefined) this.#hints = undefined;
    else for (const path of paths) this.#hints?.add(path);
    if (this.#hints !== undefined && this.#hints.size > MAX_HINTS) {
      this.#hints = undefined;
    }
    const now = this.#effects.now();
    this.#first ??= now;
    this.#stop();
    const left = Math.max(0, this.#first + MOST_MS - now);
    this.#stop = this.#effects.after(
      Math.min(QUIET_MS, left),
      () => this.#close(),
    );
  }

  /** Forgets what was collected and fires no more. */
  cancel(): void {
    this.#stop();
    this.#first = undefined;
    this.#hints = new Set();
  }

  #close(): void {
    const hints = this.#hints;
    this.cancel();
    this.#fire(hints === undefined ? undefined : [...hints]);
  }
}
