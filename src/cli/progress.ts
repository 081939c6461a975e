/** Says on stderr what takes long, when somebody is watching. */

import { visible } from "../base/text.ts";
import type { Screen } from "./screen.ts";

const QUIET_MS = 1000;
const REFRESH_MS = 200;

/** Replaces the message that a long piece of work shows. */
export type Report = (message: string) => void;

/**
 * Runs `work`. After a second the newest message and the seconds passed stand
 * on one line of stderr, which is wiped at the end. Without a terminal on
 * stderr nothing is written.
 */
export async function withProgress<T>(
  screen: Pick<Screen, "err" | "errIsTerminal">,
  message: string,
  work: (report: Report) => Promise<T>,
): Promise<T> {
  if (!screen.errIsTerminal) return await work(() => {});
  const started = performance.now();
  let current = message;
  let shown = false;
  const timer = setInterval(() => {
    const passed = performance.now() - started;
    if (passed < QUIET_MS) return;
    shown = true;
    const seconds = Math.floor(passed / 1000);
    screen.err(`\r\x1b[K${visible(current, 60)} (${seconds} s)`);
  }, REFRESH_MS);
  try {
    return await work((next) => current = next);
  } finally {
    clearInterval(timer);
    if (shown) screen.err("\r\x1b[K");
  }
}
