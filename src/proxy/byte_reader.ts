/** Buffered reading of one connection, by heads, lines and chunks. */

/** Where bytes come from: `null` at the end, as `Deno.Conn` reads. */
export interface ByteSource {
  read(into: Uint8Array): Promise<number | null>;
}

/** A message that ended early or broke the rules of HTTP. Caught at the edge. */
export class BrokenMessage extends Error {}

const CHUNK = 65_536;
const CR = 0x0d;
const LF = 0x0a;

/** Reads from one connection. Its methods are called one after the other. */
export class ByteReader {
  readonly #source: ByteSource;
  #held: Uint8Array = new Uint8Array(0);
  #filling: Promise<boolean> | undefined;
  #broken = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The connection failed; an end that was met is not to be trusted. */
  get broken(): boolean {
    return this.#broken;
  }

  /**
   * Resolves when there is something to read (true) or the end was met (false).
   * Never rejects. May be called beside another method that waits.
   */
  ready(): Promise<boolean> {
    return this.#held.length > 0 ? Promise.resolve(true) : this.#fill();
  }

  /**
   * Everything up to and including the first blank line. `bad`: a line feed
   * without its carriage return, more than `max` bytes, or an end on the way;
   * `end`: the connection ended before the first byte.
   */
  async head(max: number): Promise<Uint8Array | "bad" | "end"> {
    for (let seen = 0;;) {
      for (; seen < this.#held.length; seen++) {
        if (this.#held[seen] !== LF) continue;
        if (this.#held[seen - 1] !== CR) return "bad";
        if (seen > 2 && this.#held[seen - 2] === LF) {
          return seen < max ? this.#take(seen + 1) : "bad";
        }
      }
      if (seen >= max) return "bad";
      if (!await this.#fill()) return seen === 0 ? "end" : "bad";
    }
  }

  /**
   * One line without its CRLF. Throws `BrokenMessage` when it is longer than
   * `max` bytes, ends in a bare line feed or never ends.
   */
  async line(max: number): Promise<Uint8Array> {
    for (;;) {
      const at = this.#held.indexOf(LF);
      if (at > 0 && at <= max && this.#held[at - 1] === CR) {
        return this.#take(at + 1).subarray(0, -2);
      }
      if (at >= 0 || this.#held.length > max || !await this.#fill()) {
        throw new BrokenMessage("a line is not one of HTTP");
      }
    }
  }

  /** The next bytes, at most `max` of them; undefined at the end. */
  async chunk(max: number = CHUNK): Promise<Uint8Array | undefined> {
    if (!await this.ready()) return undefined;
    return this.#take(Math.min(max, this.#held.length));
  }

  #take(count: number): Uint8Array {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  #fill(): Promise<boolean> {
    this.#filling ??= this.#readMore();
    return this.#filling;
  }

  async #readMore(): Promise<boolean> {
    const into = new Uint8Array(CHUNK);
    let count: number | null = null;
    try {
      count = await this.#source.read(into);
    } catch {
      this.#broken = true;
    }
    // At the end the promise stays: whoever asks again gets the same answer.
    if (count === null) return false;
    this.#filling = undefined;
    this.#held = join(this.#held, into.subarray(0, count));
    return true;
  }
}

function join(before: Uint8Array, after: Uint8Array): Uint8Array {
  if (before.length === 0) return after;
  const both = new Uint8Array(before.length + after.length);
  both.set(before);
  both.set(after, before.length);
  return both;
}
