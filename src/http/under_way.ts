/** How many requests are being answered, and when none is. */

/** Counts requests from their leave to the end of their answer. */
export class UnderWay {
  #count = 0;
  #idle: (() => void) | undefined;

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /**
   * One more, that holds `permits`. What comes back ends it and gives them
   * back; to call it again does nothing.
   */
  begin(permits: Disposable): () => void {
    this.#count += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      permits[Symbol.dispose]();
      this.#count -= 1;
      if (this.#count === 0) this.#idle?.();
    };
  }

  /** Resolves when there is none. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle = resolve);
  }
}
