/** What a 2025 client wants to hear of: `resources/subscribe`. */

import { ok, refuse, type Result } from "../../base/refusal.ts";

/** Addresses one connection may subscribe to at once. */
const MAX_SUBSCRIPTIONS = 10_000;

/** The addresses that one connection subscribed to. */
export class Subscriptions {
  readonly #uris = new Set<string>();

  /** Whether updates of this address, spelled as it is listed, are wanted. */
  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /** How many there are. */
  get size(): number {
    return this.#uris.size;
  }

  /** Adds an address; twice is once. */
  add(uri: string): Result<void> {
    if (this.#uris.size >= MAX_SUBSCRIPTIONS && !this.#uris.has(uri)) {
      return refuse(
        "BUSY",
        `this connection has ${MAX_SUBSCRIPTIONS} subscriptions`,
        "Unsubscribe from some, or listen to list changes instead.",
      );
    }
    this.#uris.add(uri);
    return ok(undefined);
  }

  /** Takes an address back; one that is not there is no mistake. */
  delete(uri: string): void {
    this.#uris.delete(uri);
  }
}
