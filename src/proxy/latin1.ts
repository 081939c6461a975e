/** Bytes as text of one character each, as HTTP heads are read and written. */

import { Buffer } from "node:buffer";

/** The text of these bytes. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString("latin1");
}

/** The bytes of a text whose characters are bytes. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
