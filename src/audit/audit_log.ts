/** The audit log: a line for each call, written behind the calls' back. */

import { visible } from "../base/text.ts";
import { type AuditEvent, auditLine, type LostLine } from "./audit_line.ts";
import { type LogBounds, LogFile } from "./log_file.ts";

/** How a log is kept. */
export interface AuditLogOptions {
  /** Absolute. */
  readonly path: string;
  /** Says to the server's owner what is wrong, each thing once. */
  readonly warn: (text: string) => void;
  readonly now?: () => Date;
  readonly bounds?: LogBounds;
}

/** 10 MiB and three files before it. */
export const AUDIT_BOUNDS: LogBounds = {
  maxBytes: 10 * 1024 * 1024,
  keep: 3,
};
/** Lines that wait to be written at most; more are counted and left out. */
const WAITING = 1_000;
/** A file system that hangs must not hold up the server's end. */
const CLOSING_MS = 2_000;
const MISSING = "lines are missing in it";

/**
 * Takes events at once and writes them in the background. No call waits for it
 * and none fails by it: what cannot be written is counted, said once on stderr,
 * and told by a line when writing works again.
 */
export class AuditLog {
  readonly #file: LogFile;
  readonly #options: AuditLogOptions;
  readonly #said = new Set<string>();
  readonly #encoder = new TextEncoder();
  #waiting: Uint8Array[] = [];
  #lost = 0;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#file = new LogFile(options.path, options.bounds ?? AUDIT_BOUNDS);
  }

  /** Takes one event. Never throws, never waits. */
  append(event: AuditEvent): void {
    if (this.#closed || this.#waiting.length >= WAITING) {
      this.#lose("is written too slowly");
      return;
    }
    this.#waiting.push(this.#bytes(auditLine(event, this.#now())));
    this.#writing ??= this.#write();
  }

  /**
   * Writes what waits, at once. For signal handlers: a line whose write has
   * been started is left to it.
   */
  flushSync(): void {
    for (const line of this.#waiting.splice(0)) {
      try {
        this.#file.appendSync(line);
      } catch (error) {
        this.#lose((error as Error).message);
      }
    }
  }

  /**
   * Writes what waits, for two seconds at most, and lets go of the file.
   * Nothing is taken after it.
   */
  async close(): Promise<void> {
    this.#closed = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) =>
      timer = setTimeout(resolve, CLOSING_MS)
    );
    await Promise.race([this.#writing, late]);
    clearTimeout(timer);
    if (this.#writing === undefined) await this.#file.close().catch(() => {});
  }

  async #write(): Promise<void> {
    // What is appended and flushed in one turn is flushSync's to write.
    await Promise.resolve();
    for (
      let line = this.#waiting.shift();
      line !== undefined;
      line = this.#waiting.shift()
    ) {
      if (await this.#put(line)) await this.#tellLost();
      else this.#lost++;
    }
    this.#writing = undefined;
  }

  async #tellLost(): Promise<void> {
    const lines = this.#lost;
    if (lines === 0) return;
    const line: LostLine = {
      v: 1,
      time: this.#now().toISOString(),
      event: "lost",
      lines,
    };
    if (await this.#put(this.#bytes(line))) this.#lost -= lines;
  }

  async #put(line: Uint8Array): Promise<boolean> {
    try {
      const stuck = await this.#file.append(line);
      if (stuck !== undefined) this.#say(stuck, "it outgrows its bound");
      return true;
    } catch (error) {
      this.#say((error as Error).message, MISSING);
      return false;
    }
  }

  #lose(why: string): void {
    this.#lost++;
    this.#say(why, MISSING);
  }

  #say(why: string, effect: string): void {
    if (this.#said.has(why)) return;
    this.#said.add(why);
    this.#options.warn(
      `The audit log ${
        visible(this.#options.path)
      } ${why}: ${effect}. The server serves on.`,
    );
  }

  #bytes(line: unknown): Uint8Array {
    return this.#encoder.encode(`${JSON.stringify(line)}\n`);
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date();
  }
}
