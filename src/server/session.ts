/** What one connection remembers. */

import { PlanMemory, type Previews } from "./plan_memory.ts";
import { SeenTexts } from "./seen_texts.ts";
import { Subscriptions } from "./resources/subscriptions.ts";

/** State of one client's connection. */
export interface Session {
  /** Previews this client was shown. */
  readonly previews: Previews;
  /** Resources whose updates this client wants to hear of. */
  readonly subscriptions: Subscriptions;
  /** Texts that `skill_match` has given this client. */
  readonly seen: SeenTexts;
}

/** A fresh session. `now`: milliseconds, monotonic. */
export function createSession(
  now: () => number = () => performance.now(),
): Session {
  return {
    previews: new PlanMemory(now),
    subscriptions: new Subscriptions(),
    seen: new SeenTexts(),
  };
}
