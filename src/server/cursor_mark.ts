/** What a cursor is of. Apart from cursor.ts: digests load late in a start. */

import { sha256 } from "../base/digest.ts";

/** A short mark of what a cursor is of: no cursor is good for another listing. */
export function cursorMark(of: string): string {
  return sha256(of).slice(7, 19);
}
