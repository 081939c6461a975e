/** Accepts connections for as long as it is meant to. */

import { pause } from "../base/pause.ts";

/** A server of Deno's at one address, and how another is started there. */
export interface AcceptingOptions<A extends Deno.Addr> {
  readonly server: Deno.HttpServer<A>;
  /** Starts another at the same address; throws while it cannot be had. */
  readonly again: () => Deno.HttpServer<A> | Promise<Deno.HttpServer<A>>;
  /** Hears why connections were not accepted, not more often than it helps. */
  readonly onLost: (error: unknown) => void;
}

/** Milliseconds until an address that could not be had is tried again. */
const RETRY_MS = 100;
/** Milliseconds between two words about the same trouble. */
const QUIET_MS = 10_000;

/**
 * Follows a server with another whenever it ends by itself. `Deno.serve` closes
 * its listener for good when one connection cannot be accepted, which is what
 * happens when descriptors run out; what it accepted before is served on.
 */
export class Accepting<A extends Deno.Addr> {
  readonly #options: AcceptingOptions<A>;
  #server: Deno.HttpServer<A>;
  #ended = false;
  #toldAt = -Infinity;

  constructor(options: AcceptingOptions<A>) {
    this.#options = options;
    this.#server = options.server;
    this.#follow();
  }

  /** Accepts nothing more; resolves when what is under way has ended. */
  async shutdown(): Promise<void> {
    this.#ended = true;
    await this.#server.shutdown();
  }

  async #follow(): Promise<void> {
    for (;;) {
      try {
        await this.#server.finished;
        return;
      } catch (error) {
        this.#tell(error);
      }
      const next = await this.#next();
      if (next === undefined) return;
      this.#server = next;
    }
  }

  /** At once: while nobody listens, another program could. */
  async #next(): Promise<Deno.HttpServer<A> | undefined> {
    while (!this.#ended) {
      try {
        const next = await this.#options.again();
        if (!this.#ended) return next;
        await next.shutdown();
      } catch (error) {
        this.#tell(error);
        await pause(RETRY_MS);
      }
    }
    return undefined;
  }

  #tell(error: unknown): void {
    const now = performance.now();
    if (now - this.#toldAt < QUIET_MS) return;
    this.#toldAt = now;
    this.#options.onLost(error);
  }
}
