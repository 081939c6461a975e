/** A clock that tests move. */

/** Stands in for `now` and `after` of the effects. */
export class FakeTime {
  #now = 0;
  readonly #timers = new Set<{ at: number; run: () => void }>();

  readonly now = (): number => this.#now;

  readonly after = (ms: number, run: () => void): () => void => {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Timers that wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Lets so many milliseconds pass; what is due runs in order. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end)
        .sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
    }
    this.#now = end;
  }
}
