/**
 * The body of a response for a reader that may be slow, or gone without saying
 * so. What waits for it is bounded in size and in time.
 */

/** Bounds on what waits for one reader. */
export interface ReaderBounds {
  /** More is not taken while this many bytes wait already. */
  readonly pendingBytes: number;
  /** Milliseconds that a reader may take nothing while something waits. */
  readonly stallMs: number;
}

/** Handed over at a time, in bytes. */
const PIECE = 64 * 1024;

/**
 * Reads `source` as fast as it gives and hands it on as fast as it is taken.
 * Past a bound both sides are ended. `onEnd` is called once, whichever way it
 * ends.
 */
export function paced(
  source: ReadableStream<Uint8Array>,
  bounds: ReaderBounds,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const pump = new Pump(source, bounds, onEnd);
  return new ReadableStream({
    start: (controller) => pump.start(controller),
    pull: () => pump.pull(),
    cancel: () => pump.end(),
  }, { highWaterMark: 0 });
}

class Pump {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #bounds: ReaderBounds;
  readonly #onEnd: () => void;
  readonly #waiting: Uint8Array[] = [];
  #pending = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #wanted: (() => void) | undefined;
  #sourceDone = false;
  #ended = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    source: ReadableStream<Uint8Array>,
    bounds: ReaderBounds,
    onEnd: () => void,
  ) {
    this.#reader = source.getReader();
    this.#bounds = bounds;
    this.#onEnd = onEnd;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#readOn();
  }

  /** One piece, when there is one. */
  pull(): Promise<void> | void {
    this.#disarm();
    if (this.#ended || this.#give()) return;
    return new Promise((resolve) => this.#wanted = resolve);
  }

  /** Ends both sides; with an error, the reader's connection too. */
  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#disarm();
    this.#waiting.length = 0;
    this.#reader.cancel().catch(() => {});
    if (error !== undefined) this.#controller?.error(error);
    this.#wanted?.();
    this.#onEnd();
  }

  async #readOn(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (this.#ended) return;
        if (done) break;
        if (this.#pending > this.#bounds.pendingBytes) {
          return this.end(new Error("the reader is too slow"));
        }
        this.#waiting.push(value);
        this.#pending += value.length;
        this.#answerWanted();
      }
      this.#sourceDone = true;
      this.#answerWanted();
    } catch (error) {
      this.end(error instanceof Error ? error : new Error("the source failed"));
    }
  }

  #answerWanted(): void {
    const wanted = this.#wanted;
    if (wanted === undefined) return this.#arm();
    if (!this.#give()) return;
    this.#wanted = undefined;
    wanted();
  }

  /** Whether something was given, or the end. */
  #give(): boolean {
    const next = this.#waiting[0];
    if (next === undefined) {
      if (!this.#sourceDone) return false;
      this.#controller!.close();
      this.end();
      return true;
    }
    const piece = next.subarray(0, PIECE);
    if (piece.length === next.length) this.#waiting.shift();
    else this.#waiting[0] = next.subarray(PIECE);
    this.#pending -= piece.length;
    this.#controller!.enqueue(piece);
    this.#arm();
    return true;
  }

  #arm(): void {
    if (this.#pending === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => this.end(new Error("the reader takes nothing")),
      this.#bounds.stallMs,
    );
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
