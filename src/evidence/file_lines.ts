/** Reading a text file line by line in bounded memory, however long it is. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { Pacer } from "../base/pacer.ts";

/** Bounds on one reading. */
export interface LineLimits {
  /** Bytes read from the file's start at most. */
  readonly maxBytes: number;
  /** Bytes of one line; a longer one is left out and counted. */
  readonly maxLine: number;
  /** Whether a symbolic link as the last part of the path is followed. */
  readonly followLink: boolean;
}

/** What was met besides the lines. */
export interface LinesRead {
  /** Bytes read. */
  readonly bytes: number;
  /** The file goes on after them. */
  readonly more: boolean;
  /** The last line had no end and was left out. */
  readonly cut: boolean;
  /** Lines left out because they are too long. */
  readonly tooLong: number;
}

const CHUNK = 64 * 1024;
const NEWLINE = 10;

/**
 * Calls `take` with each whole line, without its end; bytes that are not UTF-8
 * stand as U+FFFD. Lets others work every 30 ms. Refuses with `NOT_FOUND` or `PATH_REFUSED` in words that
 * hold no path.
 */
export async function readLines(
  path: string,
  limits: LineLimits,
  take: (line: string) => void,
): Promise<Result<LinesRead>> {
  // Synchronous: each step takes less than handing it to another thread.
  let fd: number | undefined;
  try {
    fd = openSync(path, openFlags(limits.followLink));
    if (!fstatSync(fd).isFile()) return notAFile();
    return ok(await readAll(fd, limits, take));
  } catch (error) {
    return unreadable(error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function openFlags(followLink: boolean): number {
  // Without O_NONBLOCK, opening a pipe would wait for a writer for ever.
  return constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) |
    (followLink ? 0 : constants.O_NOFOLLOW ?? 0);
}

async function readAll(
  fd: number,
  { maxBytes, maxLine }: LineLimits,
  take: (line: string) => void,
): Promise<LinesRead> {
  const splitter = new Splitter(maxLine, take);
  const pacer = new Pacer();
  const buffer = new Uint8Array(CHUNK);
  let bytes = 0;
  for (;;) {
    const wanted = Math.min(CHUNK, maxBytes - bytes);
    if (wanted === 0) break;
    const length = readSync(fd, buffer, 0, wanted, bytes);
    if (length === 0) break;
    splitter.push(buffer.subarray(0, length));
    bytes += length;
    if (pacer.due()) await pacer.pause();
  }
  const { size } = fstatSync(fd);
  return {
    bytes,
    more: size > bytes,
    cut: splitter.open,
    tooLong: splitter.tooLong,
  };
}

/** Chunks in, lines out; holds at most one line. */
class Splitter {
  readonly #maxLine: number;
  readonly #take: (line: string) => void;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #held: Uint8Array = new Uint8Array(0);
  /** The line being read is too long: its bytes are dropped. */
  #dropping = false;
  tooLong = 0;

  constructor(maxLine: number, take: (line: string) => void) {
    this.#maxLine = maxLine;
    this.#take = take;
  }

  /** A line has begun and not ended. */
  get open(): boolean {
    return this.#dropping || this.#held.length > 0;
  }

  push(chunk: Uint8Array): void {
    const first = chunk.indexOf(NEWLINE);
    if (first < 0) return this.#hold(chunk);
    this.#endLine(chunk.subarray(0, first));
    const last = chunk.lastIndexOf(NEWLINE);
    if (last > first) this.#endLines(chunk.subarray(first + 1, last));
    this.#hold(chunk.subarray(last + 1));
  }

  /** Several lines, of which none was begun before. */
  #endLines(lines: Uint8Array): void {
    if (lines.length <= this.#maxLine) {
      // At once: decoding each by itself costs more than looking at them.
      const texts = this.#decoder.decode(lines).split("\n");
      for (const text of texts) this.#give(text);
      return;
    }
    for (let at = 0; at <= lines.length;) {
      const end = lines.indexOf(NEWLINE, at);
      const until = end < 0 ? lines.length : end;
      this.#endLine(lines.subarray(at, until));
      at = until + 1;
    }
  }

  #endLine(rest: Uint8Array): void {
    const tooLong = this.#dropping ||
      this.#held.length + rest.length > this.#maxLine;
    if (tooLong) this.tooLong++;
    else this.#give(this.#decoder.decode(joined(this.#held, rest)));
    this.#dropping = false;
    this.#held = new Uint8Array(0);
  }

  /** Without a mark of byte order, wherever files were put together. */
  #give(line: string): void {
    this.#take(line.startsWith("\uFEFF") ? line.slice(1) : line);
  }

  #hold(rest: Uint8Array): void {
    if (this.#dropping || rest.length === 0) return;
    if (this.#held.length + rest.length > this.#maxLine) {
      this.#dropping = true;
      this.#held = new Uint8Array(0);
    } else this.#held = joined(this.#held, rest).slice();
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  // Most lines lie within one chunk; what is kept longer is copied.
  if (a.length === 0) return b;
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

function notAFile(): Result<never> {
  return refuse(
    "PATH_REFUSED",
    "is not a regular file",
    "Name a regular file.",
  );
}

function unreadable(error: unknown): Result<never> {
  const code = (error as { code?: unknown } | null)?.code;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return refuse("NOT_FOUND", "does not exist", "Check the name.");
    case "EISDIR":
    case "ENXIO":
    case "ELOOP":
      return notAFile();
    default:
      return refuse(
        "PATH_REFUSED",
        `cannot be read${typeof code === "string" ? `: ${code}` : ""}`,
        "Check the file and who may read it.",
      );
  }
}
