/** Why something is not watched, and what helps. */

import { whyFailed } from "../catalog/scan_fs.ts";

/** The limits of inotify that a user runs into, by Deno's words for them. */
const NO_WATCHES = /file watch limit|ENOSPC|os error 28/i;
const NO_INSTANCES = /too many open files|EMFILE|os error 24/i;

/** Why watches wait for a burst of events to end. */
export const TOO_BUSY =
  "its directories come and go too fast to be watched; until that ends, the server looks every 5 seconds";

/** In words, with the remedy, and no path. */
export function whyUnwatched(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (NO_WATCHES.test(text)) {
    return "the system has no watches left: raise fs.inotify.max_user_watches (sysctl), or let the server look every few seconds with --poll";
  }
  if (NO_INSTANCES.test(text)) {
    return "the system has no more watchers or open files to give: raise fs.inotify.max_user_instances (sysctl), or let the server look every few seconds with --poll";
  }
  return `it cannot be watched: ${whyFailed(error)}`;
}
