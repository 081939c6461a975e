/** Bytes that may be text: decoding that never mangles, cuts between characters. */

import { Buffer } from "node:buffer";
import { wholeCharacters } from "../base/utf8.ts";

/** A range of bytes, moved to the boundaries of characters. */
export interface CharacterRange {
  /** Bytes to leave off at the start: the tail of a character cut before. */
  readonly start: number;
  /** End of the last whole character. */
  readonly end: number;
}

/**
 * The text, or undefined when the bytes are not UTF-8. A byte order mark is
 * kept: encoding the text again gives the same bytes.
 */
export function decodeExactly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Where the whole characters of a cut range start and end. Of bytes that are
 * not UTF-8 at most three are left off on either side; they do not decode
 * either way.
 */
export function characterRange(
  bytes: Uint8Array,
  cut: { readonly before: boolean; readonly after: boolean },
): CharacterRange {
  let start = 0;
  if (cut.before) {
    while (start < 3 && (bytes[start] ?? 0) >> 6 === 0b10) start++;
  }
  const end = cut.after ? wholeCharacters(bytes) : bytes.length;
  return { start, end: Math.max(start, end) };
}

/** Base64 of bytes, standard alphabet, padded. */
export function toBase64(bytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = bytes;
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** The bytes of strictly spelled base64; undefined for anything else. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, "base64");
  // Decoding skips what it does not know; then the way back differs.
  return bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined;
}
