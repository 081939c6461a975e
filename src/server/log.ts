/** What the server says on stderr; stdout belongs to the protocol. */

import { visible } from "../base/text.ts";
import type { LogLevel } from "../config/types.ts";

/** One method a level. Text may hold strangers' words: it is made visible. */
export type Logger = Readonly<Record<LogLevel, (text: string) => void>>;

const LEVELS: readonly LogLevel[] = ["error", "warn", "info", "debug"];
const MAX_LINE = 2000;

/** A logger that passes what is at least as grave as `level` to `write`. */
export function createLogger(
  level: LogLevel,
  write: (line: string) => void,
): Logger {
  const method = (each: LogLevel) => (text: string): void => {
    if (LEVELS.indexOf(each) > LEVELS.indexOf(level)) return;
    for (const line of text.split(/\r?\n/)) {
      write(`skillfence: ${each}: ${visible(line, MAX_LINE)}\n`);
    }
  };
  return {
    error: method("error"),
    warn: method("warn"),
    info: method("info"),
    debug: method("debug"),
  };
}

/** The logger of the real server. A closed stderr is no reason to stop. */
export function stderrLogger(level: LogLevel): Logger {
  const encoder = new TextEncoder();
  return createLogger(level, (line) => {
    try {
      Deno.stderr.writeSync(encoder.encode(line));
    } catch {
      // Nobody is left to tell.
    }
  });
}
