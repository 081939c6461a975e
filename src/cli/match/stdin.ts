/** Standard input, read to a bound. */

import { joinedBytes } from "../../base/bytes.ts";

/**
 * The whole of a stream as text; undefined when it holds more than `cap` bytes
 * or cannot be read. A stream that never ends is the caller's to give up on.
 */
export async function readText(
  stream: { read(buffer: Uint8Array): Promise<number | null> },
  cap: number,
): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const buffer = new Uint8Array(64 * 1024);
      const read = await stream.read(buffer);
      if (read === null) break;
      length += read;
      if (length > cap) return undefined;
      parts.push(buffer.subarray(0, read));
    }
  } catch {
    // Closed before we were started, or under us.
    return undefined;
  }
  return new TextDecoder().decode(joinedBytes(parts));
}
