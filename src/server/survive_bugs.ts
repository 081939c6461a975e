/** A bug in one call must not end the server for all the others. */

import { internalRefusal } from "./errors.ts";
import type { Logger } from "./log.ts";

/** Logs what nobody caught, and goes on. For the process's one server. */
export function surviveBugs(log: Logger): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    internalRefusal(event.reason, log);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    internalRefusal(event.error ?? event.message, log);
  });
}
