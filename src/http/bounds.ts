/** Every bound of the HTTP server, in one place. Times are in milliseconds. */

import type { AnswerBounds } from "./answer_room.ts";
import type { BodyBounds } from "./body.ts";
import type { CallerBounds } from "./limiter.ts";
import type { ReaderBounds } from "./paced.ts";
import type { SessionBounds } from "./sessions.ts";

/** What one server allows. */
export interface HttpBounds {
  readonly body: BodyBounds;
  readonly reader: ReaderBounds;
  /** For all callers together. */
  readonly answers: AnswerBounds;
  /** For each caller that showed the token. */
  readonly caller: CallerBounds;
  /** For all that did not, together. */
  readonly strangers: CallerBounds;
  readonly sessions: SessionBounds;
  readonly maxSubscriptions: number;
  /** Between two comments that keep an event stream open. */
  readonly keepAliveMs: number;
  /** What is under way is waited for this long when the server ends. */
  readonly drainMs: number;
}

const MINUTE = 60_000;

/** The bounds of the product; tests give their own. */
export const HTTP_BOUNDS: HttpBounds = {
  body: { bytes: 1024 * 1024, ms: 10_000 },
  reader: { pendingBytes: 1024 * 1024, stallMs: 30_000 },
  // The largest file fits, were each of its bytes six in JSON: 96 MiB.
  answers: { bytes: 128 * 1024 * 1024, waitMs: 5000 },
  caller: { concurrent: 256, perSecond: 2000, burst: 4000 },
  strangers: { concurrent: 256, perSecond: 20, burst: 100 },
  sessions: { count: 256, idleMs: 30 * MINUTE, evictMs: MINUTE },
  maxSubscriptions: 128,
  keepAliveMs: 15_000,
  drainMs: 20_000,
};
