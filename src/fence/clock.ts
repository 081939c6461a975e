/** Time as a value handed in, so that tests of waiting do not wait. */

/** What the fence needs of time. Milliseconds throughout. */
export interface Clock {
  /** A monotonic reading. */
  now(): number;
  /** Calls `run` once after `ms`. Returns how to call it off. */
  after(ms: number, run: () => void): () => void;
  /** As `after`, for chores: keeps no process alive. */
  idle(ms: number, run: () => void): () => void;
  /** Calls `run` every `ms`; keeps no process alive. Returns how to stop it. */
  every(ms: number, run: () => void): () => void;
}

/** Real time. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const id = setTimeout(run, ms);
    return () => clearTimeout(id);
  },
  idle(ms, run) {
    const id = setTimeout(run, ms);
    Deno.unrefTimer(id as unknown as number);
    return () => clearTimeout(id);
  },
  every(ms, run) {
    const id = setInterval(run, ms);
    Deno.unrefTimer(id as unknown as number);
    return () => clearInterval(id);
  },
};
