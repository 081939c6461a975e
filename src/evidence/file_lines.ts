/** Reading a text file line by line in bounded memory, however long it is. */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ok, refuse, type Result } from "../base/refusal.ts";

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
 * stand as U+FFFD. Refuses with `NOT_FOUND` or `PATH_REFUSED` in words that
 * hold no path.
 */
export async function readLines(
  path: string,
  limits: LineLimits,
  take: (line: string) => void,
): Promise<Result<LinesRead>> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, openFlags(limits.followLink));
    if (!(await handle.stat()).isFile()) return notAFile();
    return ok(await readAll(handle, limits, take));
  } catch (error) {
    return unreadable(error);
  } finally {
    await handle?.close();
  }
}

function openFlags(followLink: boolean): number {
  // Without O_NONBLOCK, opening a pipe would wait for a writer for ever.
  return constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) |
    (followLink ? 0 : constants.O_NOFOLLOW ?? 0);
}

async function readAll(
  handle: FileHandle,
  { maxBytes, maxLine }: LineLimits,
  take: (line: string) => void,
): Promise<LinesRead> {
  const splitter = new Splitter(maxLine, take);
  const buffer = new Uint8Array(CHUNK);
  let bytes = 0;
  for (;;) {
    const wanted = Math.min(CHUNK, maxBytes - bytes);
    if (wanted === 0) break;
    const { bytesRead } = await handle.read(buffer, 0, wanted, bytes);
    if (bytesRead === 0) break;
    splitter.push(buffer.subarray(0, bytesRead));
    bytes += bytesRead;
  }
  const { size } = await handle.stat();
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
  readonly #decoder = new TextDecoder();
  #held = new Uint8Array(0);
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
    let at = 0;
    for (
      let end = chunk.indexOf(NEWLINE);
      end >= 0;
      end = chunk.indexOf(NEWLINE, at)
    ) {
      this.#endLine(chunk.subarray(at, end));
      at = end + 1;
    }
    this.#hold(chunk.subarray(at));
  }

  #endLine(rest: Uint8Array): void {
    const tooLong = this.#dropping ||
      this.#held.length + rest.length > this.#maxLine;
    if (tooLong) this.tooLong++;
    else this.#take(this.#decoder.decode(joined(this.#held, rest)));
    this.#dropping = false;
    this.#held = new Uint8Array(0);
  }

  #hold(rest: Uint8Array): void {
    if (this.#dropping || rest.length === 0) return;
    if (this.#held.length + rest.length > this.#maxLine) {
      this.#dropping = true;
      this.#held = new Uint8Array(0);
    } else this.#held = joined(this.#held, rest);
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
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
