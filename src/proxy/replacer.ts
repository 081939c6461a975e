/** Words replaced in a stream of bytes, wherever its chunks are cut. */

import { Buffer } from "node:buffer";

/** One word and what stands in its place. */
export interface Replacement {
  readonly find: Uint8Array;
  readonly put: Uint8Array;
}

interface Match {
  readonly at: number;
  readonly of: Replacement;
}

/** The stream with each word replaced; the longest where several begin. */
export async function* replaceIn(
  parts: AsyncIterable<Uint8Array>,
  replacements: readonly Replacement[],
): AsyncGenerator<Uint8Array> {
  const words = longestFirst(replacements);
  let held: Uint8Array = new Uint8Array(0);
  for await (const part of parts) {
    const { done, rest } = replaceSome(
      held.length === 0 ? part : Buffer.concat([held, part]),
      words,
    );
    // What may be the beginning of a word waits for what follows.
    held = rest;
    if (done.length > 0) yield done;
  }
  if (held.length > 0) yield replaceAll(held, words);
}

/** The bytes with each word replaced. */
export function replaceAll(
  bytes: Uint8Array,
  replacements: readonly Replacement[],
): Uint8Array {
  return replaceUpTo(bytes, bytes.length, longestFirst(replacements)).done;
}

function replaceSome(
  bytes: Uint8Array,
  words: readonly Replacement[],
): { done: Uint8Array; rest: Uint8Array } {
  // A match may run into what looked like the beginning of a word.
  const { done, end } = replaceUpTo(bytes, openEnd(bytes, words), words);
  return { done, rest: bytes.subarray(end) };
}

/** Replaces every word that begins before `stop`; `end` is where it came to. */
function replaceUpTo(
  bytes: Uint8Array,
  stop: number,
  words: readonly Replacement[],
): { done: Uint8Array; end: number } {
  const pieces: Uint8Array[] = [];
  const next = new Map(
    words.filter(({ find }) => find.length > 0)
      .map((of) => [of, indexOf(bytes, of.find, 0)]),
  );
  let end = 0;
  for (;;) {
    const match = firstOf(next);
    if (match === undefined || match.at >= stop) break;
    pieces.push(bytes.subarray(end, match.at), match.of.put);
    end = match.at + match.of.find.length;
    for (const [of, at] of next) {
      if (at >= 0 && at < end) next.set(of, indexOf(bytes, of.find, end));
    }
  }
  if (end < stop) {
    pieces.push(bytes.subarray(end, stop));
    end = stop;
  }
  return {
    done: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces),
    end,
  };
}

/** As `Buffer.indexOf`, which takes several times as long. */
function indexOf(bytes: Uint8Array, find: Uint8Array, from: number): number {
  const last = bytes.length - find.length;
  for (let at = from; at <= last; at++) {
    at = bytes.indexOf(find[0]!, at);
    if (at < 0 || at > last) return -1;
    let same = 1;
    while (same < find.length && bytes[at + same] === find[same]) same++;
    if (same === find.length) return at;
  }
  return -1;
}

function longestFirst(words: readonly Replacement[]): Replacement[] {
  return words.toSorted((a, b) => b.find.length - a.find.length);
}

function firstOf(
  next: ReadonlyMap<Replacement, number>,
): Match | undefined {
  let first: Match | undefined;
  // The longest come first, so they win where several begin.
  for (const [of, at] of next) {
    if (at >= 0 && (first === undefined || at < first.at)) first = { at, of };
  }
  return first;
}

/** Where the first suffix begins that could be the beginning of a word. */
function openEnd(
  bytes: Uint8Array,
  words: readonly Replacement[],
): number {
  const longest = words[0]?.find.length ?? 0;
  const start = Math.max(0, bytes.length - longest + 1);
  for (let at = start; at < bytes.length; at++) {
    if (words.some(({ find }) => isOpen(bytes, at, find))) return at;
  }
  return bytes.length;
}

function isOpen(bytes: Uint8Array, at: number, find: Uint8Array): boolean {
  const length = bytes.length - at;
  if (length >= find.length) return false;
  for (let i = 0; i < length; i++) {
    if (bytes[at + i] !== find[i]) return false;
  }
  return true;
}
