/**
 * A file that lines are appended to, by several servers at once: one write a
 * line, moved aside when it has grown, never through a link, never into a file
 * that somebody else could have written.
 */

import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { type FileHandle, lstat, open, rename } from "node:fs/promises";

/** How large a log grows and how many are kept. */
export interface LogBounds {
  /** Bytes after which the file is moved aside. */
  readonly maxBytes: number;
  /** Files kept aside, `FILE.1` being the youngest. */
  readonly keep: number;
}

/** What of a file is looked at before a line is written. */
interface Facts {
  readonly mode: number;
  readonly uid: number;
  isFile(): boolean;
}

const MODE = 0o600;
/** How an existing log is opened. */
export const LOG_FLAGS: number = constants.O_WRONLY | constants.O_APPEND |
  // A pipe without a reader must not hold us up; a link is refused.
  (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const FLAGS = LOG_FLAGS | constants.O_CREAT;
const WRITABLE_BY_OTHERS = 0o022;

/** A log on disk. Methods throw; what they throw says why in its message. */
export class LogFile {
  readonly #path: string;
  readonly #bounds: LogBounds;
  #handle: FileHandle | undefined;
  /** The last write stopped within a line. */
  #torn = false;

  constructor(path: string, bounds: LogBounds) {
    this.#path = path;
    this.#bounds = bounds;
  }

  /**
   * Appends one line, which ends in a newline, by one write. Returns why the
   * file outgrows its bound, where it could not be moved aside.
   */
  async append(line: Uint8Array): Promise<string | undefined> {
    try {
      const { handle, stuck } = await this.#ready(line.length);
      const { bytesWritten } = await handle.write(this.#whole(line));
      this.#written(bytesWritten, line);
      return stuck;
    } catch (error) {
      throw named(error);
    }
  }

  /** The same at once, without moving anything aside. For the very end. */
  appendSync(line: Uint8Array): void {
    const held = this.#handle?.fd;
    let fd = held;
    try {
      fd ??= openSync(this.#path, FLAGS, MODE);
      const why = complaint(fstatSync(fd));
      if (why !== undefined) throw new Error(why);
      this.#written(writeSync(fd, this.#whole(line)), line);
    } catch (error) {
      throw named(error);
    } finally {
      if (held === undefined && fd !== undefined) closeSync(fd);
    }
  }

  /** Lets go of the file. */
  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  #whole(line: Uint8Array): Uint8Array {
    return this.#torn ? Uint8Array.of(10, ...line) : line;
  }

  #written(bytes: number, line: Uint8Array): void {
    const before = this.#torn ? 1 : 0;
    this.#torn = bytes > 0 ? bytes < line.length + before : this.#torn;
    if (bytes < line.length + before) throw new Error("has no room left");
  }

  /** The open file with room for so many bytes, if that can be had. */
  async #ready(
    bytes: number,
  ): Promise<{ handle: FileHandle; stuck: string | undefined }> {
    const handle = await this.#opened();
    const { size } = await handle.stat();
    if (size === 0 || size + bytes <= this.#bounds.maxBytes) {
      return { handle, stuck: undefined };
    }
    const stuck = await this.#moveAside(handle).then(
      () => undefined,
      // Another server has just moved it aside.
      (error) =>
        error instanceof Deno.errors.NotFound ||
          (error as { code?: unknown }).code === "ENOENT"
          ? undefined
          : "cannot be moved aside",
    );
    return { handle: await this.#opened(), stuck };
  }

  /** The file at the path: another server may have moved ours aside. */
  async #opened(): Promise<FileHandle> {
    const held = this.#handle;
    if (held !== undefined) {
      const there = await lstat(this.#path).catch(() => undefined);
      const { ino } = await held.stat();
      if (there?.ino === ino) return held;
      await this.close();
    }
    const handle = await open(this.#path, FLAGS, MODE);
    const why = complaint(await handle.stat());
    if (why !== undefined) {
      await handle.close();
      throw new Error(why);
    }
    return this.#handle = handle;
  }

  /** Moves the file aside, unless another server does or has just done so. */
  async #moveAside(handle: FileHandle): Promise<void> {
    const { ino } = await handle.stat();
    const lock = await Deno.open(this.#path, { write: true });
    try {
      if ((await lock.stat()).ino !== ino) return;
      if (!(await lock.tryLock(true))) return;
      if ((await lstat(this.#path)).ino !== ino) return;
      for (let n = this.#bounds.keep - 1; n > 0; n--) {
        await rename(`${this.#path}.${n}`, `${this.#path}.${n + 1}`)
          .catch(() => {});
      }
      await rename(this.#path, `${this.#path}.1`);
    } finally {
      lock.close();
    }
  }
}

/** Why nothing is written to such a file; undefined when it is. */
export function complaint(facts: Facts): string | undefined {
  if (!facts.isFile()) return "is not a regular file";
  if (Deno.build.os === "windows") return undefined;
  if ((facts.mode & WRITABLE_BY_OTHERS) !== 0) return "is writable by others";
  const self = Deno.uid();
  return facts.uid === self || facts.uid === 0
    ? undefined
    : "belongs to another account";
}

/** The error that says in words what the system said by a code. */
export function named(error: unknown): Error {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "ELOOP") return new Error("is a symbolic link");
  if (code === "ENXIO" || code === "EISDIR") {
    return new Error("is not a regular file");
  }
  return typeof code === "string"
    ? new Error(`cannot be written: ${code}`)
    : error as Error;
}
