/**
 * Replacing the exact bytes of secrets in a stream, whatever its chunks. What
 * is encoded, split or changed is not found: this keeps a value from being
 * shown by accident and stops no script that wants it out.
 */

import { joinedBytes } from "../../base/bytes.ts";

/** Bytes below which a value is left alone: it would be found by chance. */
export const MIN_SECRET_BYTES = 8;

/** One value that is looked for. */
interface Secret {
  readonly value: Uint8Array;
  /** What stands in its place. */
  readonly mark: Uint8Array;
  /**
   * For a match that broke off after i + 1 bytes, how many of the value's first
   * bytes it still ends with (the failure function of Knuth, Morris and Pratt).
   */
  readonly failure: Uint32Array;
  /** How many of the value's first bytes the stream ends with now. */
  matched: number;
}

/** A value met in the stream: where it starts, counted from the very start. */
interface Found {
  readonly start: number;
  readonly secret: Secret;
}

/**
 * One stream. Each value of 8 bytes or more becomes `[NAME]`; where values
 * overlap, the one that starts first wins, then the longest. Takes time linear
 * in the stream for each value, and holds back what may still become one.
 */
export class Redactor {
  readonly #secrets: readonly Secret[];
  /** Whether a byte begins some value. */
  readonly #begins = new Uint8Array(256);
  /** Bytes not given out yet; the first one is number `#at` of the stream. */
  #held = new Uint8Array(0);
  #at = 0;
  /** Complete values in what is held, by their ends. */
  #found: Found[] = [];

  /** Takes values by name; of equal ones the first name stands. */
  constructor(values: ReadonlyMap<string, string>) {
    const encoder = new TextEncoder();
    const distinct = new Map<string, string>();
    for (const [name, value] of values) {
      if (!distinct.has(value)) distinct.set(value, name);
    }
    this.#secrets = [...distinct].flatMap(([text, name]) => {
      const value = encoder.encode(text);
      if (value.length < MIN_SECRET_BYTES) return [];
      const mark = encoder.encode(`[${name}]`);
      return [{ value, mark, failure: failureOf(value), matched: 0 }];
    });
    for (const { value } of this.#secrets) this.#begins[value[0]!] = 1;
  }

  /** Nothing is looked for: what is pushed comes out as it is. */
  get idle(): boolean {
    return this.#secrets.length === 0;
  }

  /** Takes a chunk and returns what is sure by now; it may be empty. */
  push(chunk: Uint8Array): Uint8Array {
    if (this.idle) return chunk;
    const from = this.#held.length;
    this.#held = joinedBytes([this.#held, chunk]);
    this.#search(from);
    return this.#release(this.#sure());
  }

  /** Returns what was held back. */
  end(): Uint8Array {
    for (const secret of this.#secrets) secret.matched = 0;
    return this.#release(this.#at + this.#held.length);
  }

  #search(from: number): void {
    const bytes = this.#held;
    let open = this.#secrets.some(({ matched }) => matched > 0);
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (!open && this.#begins[byte] === 0) continue;
      open = false;
      for (const secret of this.#secrets) {
        if (step(secret, byte)) {
          const start = this.#at + i + 1 - secret.value.length;
          this.#found.push({ start, secret });
        }
        if (secret.matched > 0) open = true;
      }
    }
  }

  /** Where the earliest value that may still be completed would start. */
  #sure(): number {
    const end = this.#at + this.#held.length;
    return this.#secrets.reduce(
      (least, secret) => Math.min(least, end - unfinished(secret)),
      end,
    );
  }

  /** Gives out everything before `sure`, and the values that start there. */
  #release(sure: number): Uint8Array {
    const settled = this.#found.filter(({ start }) => start < sure)
      .sort((a, b) =>
        a.start - b.start || b.secret.value.length - a.secret.value.length
      );
    this.#found = this.#found.filter(({ start }) => start >= sure);
    const parts: Uint8Array[] = [];
    let at = this.#at;
    for (const { start, secret } of settled) {
      if (start < at) continue;
      parts.push(this.#between(at, start), secret.mark);
      at = start + secret.value.length;
    }
    if (at < sure) {
      parts.push(this.#between(at, sure));
      at = sure;
    }
    // What a value has covered begins no other.
    this.#found = this.#found.filter(({ start }) => start >= at);
    this.#held = this.#held.slice(at - this.#at);
    this.#at = at;
    return joinedBytes(parts);
  }

  #between(from: number, to: number): Uint8Array {
    return this.#held.subarray(from - this.#at, to - this.#at);
  }
}

/** How many bytes at the stream's end may still grow into this value. */
function unfinished({ value, failure, matched }: Secret): number {
  return matched === value.length ? failure[matched - 1]! : matched;
}

/** Takes one byte; true when the value is complete. */
function step(secret: Secret, byte: number): boolean {
  const { value, failure } = secret;
  let matched = secret.matched;
  while (matched > 0 && value[matched] !== byte) {
    matched = failure[matched - 1]!;
  }
  if (value[matched] === byte) matched++;
  secret.matched = matched;
  return matched === value.length;
}

function failureOf(value: Uint8Array): Uint32Array {
  const failure = new Uint32Array(value.length);
  for (let i = 1, matched = 0; i < value.length; i++) {
    while (matched > 0 && value[matched] !== value[i]) {
      matched = failure[matched - 1]!;
    }
    if (value[matched] === value[i]) matched++;
    failure[i] = matched;
  }
  return failure;
}
