/**
 * Taking in processes that ended and that nobody awaits. When a sandbox is
 * killed, its first process becomes a child of whoever adopts orphans here:
 * process 1 of a container, or a subreaper, which this server may well be.
 */

import { takeIn, zombies } from "./zombies.ts";

/**
 * From the end of a run, and from one look to the next while something may
 * still come. Not at once: that would keep the run's answer waiting.
 */
const LOOK_AFTER_MS = [20, 100, 600, 600, 600];
/**
 * A child of the runtime's own is taken in by the runtime as soon as it has a
 * moment. What is still there after this long is an orphan.
 */
const ORPHAN_MS = 500;
/** So long the number of an ended sandbox's first process means that process. */
const KNOWN_MS = 2_000;

/** How a `Reaper` is set up. */
export interface ReaperOptions {
  /** Children that somebody awaits. */
  readonly awaited: () => ReadonlySet<number>;
  /** Monotonic time, and chores that keep no process alive. */
  readonly clock: {
    now(): number;
    idle(ms: number, run: () => void): () => void;
  };
}

/** Looks for orphans after each run. Linux only; does nothing elsewhere. */
export class Reaper {
  readonly #options: ReaperOptions;
  /** When a zombie was first seen, by number and start. */
  readonly #seen = new Map<string, number>();
  /** First processes of ended sandboxes, and when they ended. */
  readonly #ended = new Map<number, number>();
  #callOff: () => void = () => {};
  /** Which look comes next, while one is to come. */
  #next: number | undefined;

  constructor(options: ReaperOptions) {
    this.#options = options;
  }

  /**
   * To be called when a run has ended, with the first process of its sandbox:
   * that one is nobody's to await.
   */
  runEnded(inner: number | undefined): void {
    if (Deno.build.os !== "linux") return;
    if (inner !== undefined) {
      this.#ended.set(inner, this.#options.clock.now());
    }
    // Runs that end one upon the other must not put it off for ever.
    if (this.#next !== 0) this.#look(0);
  }

  /** Looks no more. */
  close(): void {
    this.#callOff();
  }

  #look(turn: number): void {
    this.#callOff();
    const after = LOOK_AFTER_MS[turn];
    this.#next = after === undefined ? undefined : turn;
    if (after === undefined) return;
    this.#callOff = this.#options.clock.idle(after, () => {
      this.#takeIn();
      this.#look(turn + 1);
    });
  }

  #takeIn(): void {
    const now = this.#options.clock.now();
    const awaited = this.#options.awaited();
    const found = zombies().filter(({ pid }) => !awaited.has(pid));
    const ids = new Set(found.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
    for (const { pid, id } of found) {
      const since = this.#seen.get(id) ?? now;
      this.#seen.set(id, since);
      if (this.#ended.has(pid) || now - since >= ORPHAN_MS) takeIn(pid);
    }
    for (const [pid, since] of this.#ended) {
      if (now - since >= KNOWN_MS) this.#ended.delete(pid);
    }
  }
}
