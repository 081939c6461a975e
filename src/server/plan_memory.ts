/**
 * Previews that may still be confirmed, for `SKILLFENCE_CONFIRM=plan`: made in
 * this session, at most ten minutes ago, each good for one run.
 */

/** How long a preview may be confirmed, in milliseconds. */
export const PREVIEW_LIFETIME_MS = 10 * 60 * 1000;

/** More previews than a person could have in mind; the oldest goes first. */
const MAX_PREVIEWS = 256;

/** One preview taken out for a run, to be put back if nothing started. */
export interface TakenPreview {
  /** As the caller named it. */
  readonly digest: string;
  /** On the injected clock, in milliseconds. */
  readonly expiresAt: number;
}

/** Previews that may still be confirmed, wherever they are remembered. */
export interface Previews {
  /** Notes that a Plan is shown. Returns the digest to show with it. */
  remember(digest: string): string;
  /** Whether what a caller said stands for the Plan with this digest. */
  names(said: string, digest: string): boolean;
  /** Takes a preview out; undefined when unknown, used or expired. */
  take(said: string): TakenPreview | undefined;
  /** Puts a preview back with the time it had: the run did not start. */
  giveBack(taken: TakenPreview): void;
}

/** The previews of one session, by digest. */
export class PlanMemory implements Previews {
  readonly #now: () => number;
  readonly #expiry = new Map<string, number>();

  /** `now`: a clock in milliseconds that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers a preview that is shown; a newer one renews the time. */
  remember(digest: string): string {
    this.#expiry.delete(digest);
    this.#expiry.set(digest, this.#now() + PREVIEW_LIFETIME_MS);
    if (this.#expiry.size > MAX_PREVIEWS) {
      this.#expiry.delete(this.#expiry.keys().next().value!);
    }
    return digest;
  }

  names(said: string, digest: string): boolean {
    return said === digest;
  }

  take(digest: string): TakenPreview | undefined {
    const expiresAt = this.#expiry.get(digest);
    if (expiresAt === undefined) return undefined;
    this.#expiry.delete(digest);
    return expiresAt > this.#now() ? { digest, expiresAt } : undefined;
  }

  giveBack(taken: TakenPreview): void {
    // A preview shown meanwhile is newer and stays.
    if (this.#expiry.has(taken.digest)) return;
    this.#expiry.set(taken.digest, taken.expiresAt);
  }
}
