/** Bytes put together. */

/** The parts one after the other, in memory of their own. */
export function joinedBytes(
  parts: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(
    parts.reduce((sum, part) => sum + part.length, 0),
  );
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
