/** Connections that wait for the next request to the same place. */

import type { Destination } from "./destination.ts";
import type { Wire } from "./wire.ts";

const MOST = 16;

/** Idle connections of one run, each for one scheme, host and port. */
export class IdleWires {
  /** The longest idle first. */
  readonly #idle = new Map<Wire, string>();

  /**
   * Keeps a connection whose last response was read to its end. It is closed
   * when the other side says anything, or leaves.
   */
  keep(to: Destination, wire: Wire): void {
    this.#idle.set(wire, keyOf(to));
    wire.reader.ready().then(() => {
      if (this.#idle.delete(wire)) wire.close();
    });
    for (const [oldest] of this.#idle) {
      if (this.#idle.size <= MOST) break;
      this.#idle.delete(oldest);
      oldest.close();
    }
  }

  /** A connection to the same place, no longer idle. */
  take(to: Destination): Wire | undefined {
    const key = keyOf(to);
    for (const [wire, other] of this.#idle) {
      if (other !== key) continue;
      this.#idle.delete(wire);
      return wire;
    }
    return undefined;
  }
}

function keyOf({ secure, host, port }: Destination): string {
  return `${secure ? "https" : "http"} ${host} ${port}`;
}
