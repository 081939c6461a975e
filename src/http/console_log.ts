/** Libraries and the runtime warn through the console: their words join ours. */

import type { Logger } from "../server/log.ts";

/**
 * Sends what is warned through the console to the log. Deno warns once of its
 * `request.signal`, which also aborts when all went well; nothing here minds.
 */
export function consoleToLog(log: Logger): void {
  // deno-lint-ignore no-console -- nothing is written through it any more
  console.warn = (...words: unknown[]) => log.debug(words.join(" "));
}
