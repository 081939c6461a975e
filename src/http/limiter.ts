/** How much one caller may have under way, and how often it may ask. */

import { type HttpRefusal, refuseHttp } from "./refusals.ts";

/** Bounds for each caller. */
export interface CallerBounds {
  /** Requests under way at once; open event streams are not among them. */
  readonly concurrent: number;
  /** Requests a second in the long run. */
  readonly perSecond: number;
  /** Requests at once after a rest. */
  readonly burst: number;
}

/** Leave to go on; given back once. */
export interface Permit extends Disposable {
  readonly ok: true;
}

interface Account {
  underWay: number;
  tokens: number;
  at: number;
}

/** Counts requests by caller. Callers are few: whoever holds the token. */
export class Limiter {
  readonly #bounds: CallerBounds;
  readonly #now: () => number;
  readonly #accounts = new Map<string, Account>();

  /** `now`: a clock in milliseconds that never goes back. */
  constructor(bounds: CallerBounds, now: () => number) {
    this.#bounds = bounds;
    this.#now = now;
  }

  /** Leave for one request, or 429 with when to come back. */
  enter(caller: string): Permit | HttpRefusal {
    const { concurrent, perSecond } = this.#bounds;
    const account = this.#account(caller);
    if (account.tokens < 1) {
      const seconds = Math.ceil((1 - account.tokens) / perSecond);
      return tooMany("Too many requests", seconds);
    }
    if (account.underWay >= concurrent) {
      return tooMany("Too many requests at once", 1);
    }
    account.tokens -= 1;
    account.underWay += 1;
    let left = false;
    return {
      ok: true,
      [Symbol.dispose]: () => {
        if (!left) account.underWay -= 1;
        left = true;
      },
    };
  }

  /** Leave for `count` requests, given back together, or for none of them. */
  enterMany(caller: string, count: number): Permit | HttpRefusal {
    const permits = new DisposableStack();
    for (let i = 0; i < count; i++) {
      const permit = this.enter(caller);
      if (!permit.ok) {
        permits.dispose();
        return permit;
      }
      permits.use(permit);
    }
    return { ok: true, [Symbol.dispose]: () => permits.dispose() };
  }

  #account(caller: string): Account {
    const { perSecond, burst } = this.#bounds;
    const now = this.#now();
    const account = this.#accounts.get(caller) ??
      { underWay: 0, tokens: burst, at: now };
    account.tokens = Math.min(
      burst,
      account.tokens + (now - account.at) / 1000 * perSecond,
    );
    account.at = now;
    this.#accounts.set(caller, account);
    return account;
  }
}

function tooMany(message: string, seconds: number): HttpRefusal {
  return refuseHttp(429, message, {
    "Retry-After": String(Math.max(1, seconds)),
  });
}
