/** What one connection remembers. */

import { PlanMemory, type Previews } from "./plan_memory.ts";

/** State of one client's connection. */
export interface Session {
  /** Previews this client was shown. */
  readonly previews: Previews;
}

/** A fresh session. `now`: milliseconds, monotonic. */
export function createSession(
  now: () => number = () => performance.now(),
): Session {
  return { previews: new PlanMemory(now) };
}
