/** How every cursor is spelled: opaque to clients, checked on its way back. */

import { Buffer } from "node:buffer";

/** A cursor that holds JSON values. */
export function writeCursor(values: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString("base64url");
}

/** The `count` values of a cursor; undefined for what is none. */
export function readCursor(
  cursor: string,
  count: number,
): readonly unknown[] | undefined {
  try {
    const bytes = Buffer.from(cursor, "base64url");
    // Decoding skips what it does not know; then the way back differs.
    if (bytes.toString("base64url") !== cursor) return undefined;
    const values: unknown = JSON.parse(bytes.toString());
    return Array.isArray(values) && values.length === count
      ? values
      : undefined;
  } catch {
    // Not JSON: somebody else's cursor.
    return undefined;
  }
}
