/**
 * Keeping the head and the tail of a stream of unknown length in bounded
 * memory, while counting all of it.
 */

import { joinedBytes } from "../base/bytes.ts";
import type { CapturedStream } from "./types.ts";

/** Bytes of each of a script's streams that are kept. */
export const KEPT_OF_STREAM: number = 1024 * 1024;

/** Keeps the first and the last half of `limit` bytes; counts every byte. */
export class HeadTail {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  /** Grows: a list of chunks of a byte each would take hundreds of times more. */
  #head = new Uint8Array(0);
  #headSize = 0;
  /** Ring of the latest bytes; made when the head is full. */
  #ring: Uint8Array<ArrayBuffer> | undefined;
  #ringAt = 0;
  #total = 0;

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2);
    this.#tailLimit = Math.floor(limit / 2);
  }

  /** Takes a chunk. The chunk is copied where it is kept. */
  push(chunk: Uint8Array): void {
    this.#total += chunk.length;
    const room = this.#headLimit - this.#headSize;
    if (room > 0) this.#pushHead(chunk.subarray(0, room));
    if (chunk.length > room) this.#pushTail(chunk.subarray(Math.max(room, 0)));
  }

  #pushHead(part: Uint8Array): void {
    const size = this.#headSize + part.length;
    if (size > this.#head.length) {
      const grown = new Uint8Array(
        Math.min(this.#headLimit, Math.max(2 * this.#head.length, size)),
      );
      grown.set(this.#head.subarray(0, this.#headSize));
      this.#head = grown;
    }
    this.#head.set(part, this.#headSize);
    this.#headSize = size;
  }

  #pushTail(chunk: Uint8Array): void {
    if (this.#tailLimit === 0) return;
    const ring = this.#ring ??= new Uint8Array(this.#tailLimit);
    const bytes = chunk.subarray(Math.max(0, chunk.length - ring.length));
    const first = bytes.subarray(0, ring.length - this.#ringAt);
    ring.set(first, this.#ringAt);
    ring.set(bytes.subarray(first.length), 0);
    this.#ringAt = (this.#ringAt + bytes.length) % ring.length;
  }

  /**
   * What was kept. Where nothing fell out between head and tail, all of it is
   * in `head` and `tail` is empty.
   */
  result(): CapturedStream {
    const tail = this.#linearTail();
    const head = this.#head.subarray(0, this.#headSize);
    const gap = this.#total > head.length + tail.length;
    return {
      head: joinedBytes(gap ? [head] : [head, tail]),
      tail: gap ? tail : new Uint8Array(0),
      total: this.#total,
    };
  }

  #linearTail(): Uint8Array<ArrayBuffer> {
    const ring = this.#ring;
    if (ring === undefined) return new Uint8Array(0);
    const written = this.#total - this.#headSize;
    if (written < ring.length) return ring.slice(0, written);
    return joinedBytes([
      ring.subarray(this.#ringAt),
      ring.subarray(0, this.#ringAt),
    ]);
  }
}

/** Changes a stream on its way, e.g. to take secrets out. */
export interface ChunkFilter {
  /** What may be kept now; the rest may be held back. */
  push(chunk: Uint8Array): Uint8Array;
  /** What was held back, once nothing more comes. */
  end(): Uint8Array;
}

/** A stream being read into a `HeadTail`. */
export interface Capture {
  /** Settles at the end of the stream, or when it is given up. Never rejects. */
  readonly done: Promise<void>;
  /** Closes our end of the pipe: a writer gets EPIPE from then on. */
  giveUp(): void;
  /** What has been kept so far. Nothing that comes later is. */
  result(): CapturedStream;
}

/**
 * Reads `stream` to its end, keeping at most `limit` bytes of what `filter`
 * makes of it.
 */
export function capture(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  onChunk: () => void,
  filter?: ChunkFilter,
): Capture {
  const kept = new HeadTail(limit);
  const reader = stream.getReader();
  let ended = false;
  const end = (): void => {
    if (!ended && filter !== undefined) kept.push(filter.end());
    ended = true;
  };
  const read = async (): Promise<void> => {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || ended) return;
        kept.push(filter === undefined ? value : filter.push(value));
        onChunk();
      }
    } catch {
      // A pipe that breaks has ended; what was read stands.
    }
  };
  return {
    done: read().then(end),
    giveUp: () => void reader.cancel().catch(() => {}),
    result: () => {
      end();
      return kept.result();
    },
  };
}
