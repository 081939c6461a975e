/**
 * Progress of one call, when the client gave a token: rising numbers, and
 * nothing after the response, which breaks some clients.
 */

/** Sends one notification; undefined when the client asked for none. */
export type SendProgress = (count: number, message: string) => Promise<void>;

/** First after this long, then at this pace, in milliseconds. */
const PACE_MS = 1000;

/** The progress of one call. */
export class Progress {
  readonly #send: SendProgress | undefined;
  #count = 0;
  #finished = false;
  #last: Promise<void> = Promise.resolve();

  constructor(send: SendProgress | undefined) {
    this.#send = send;
  }

  /** Says what is going on now. */
  report(message: string): void {
    const send = this.#send;
    if (send === undefined || this.#finished) return;
    const count = ++this.#count;
    // In order, and a client that went away is not this call's failure.
    this.#last = this.#last.then(() => send(count, message)).catch(() => {});
  }

  /** Repeats `message` at a steady pace until `work` settles. */
  async during<T>(work: Promise<T>, message: () => string): Promise<T> {
    if (this.#send === undefined) return await work;
    const timer = setInterval(() => this.report(message()), PACE_MS);
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }

  /** No report passes from here on; resolves when the last one is sent. */
  async finish(): Promise<void> {
    this.#finished = true;
    await this.#last;
  }
}
