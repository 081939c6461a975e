/** The cursor of `skill_list`: opaque to clients, checked when it comes back. */

import { readCursor as valuesOf, writeCursor as cursorOf } from "./cursor.ts";
import { cursorMark } from "./cursor_mark.ts";

/** Where the next page starts. */
export interface ListPosition {
  /** Name after which the skills go on; their number, with a query. */
  readonly after: string | number;
  /** How many problems were shown. */
  readonly problems: number;
}

/** The first page. */
export function firstPosition(query: string | undefined): ListPosition {
  return { after: query === undefined ? "" : 0, problems: 0 };
}

/** Writes a cursor that is good for the same query only. */
export function writeCursor(
  position: ListPosition,
  query: string | undefined,
): string {
  return cursorOf([fingerprint(query), position.after, position.problems]);
}

/** Reads a cursor back; undefined when it is none, or of another query. */
export function readCursor(
  cursor: string,
  query: string | undefined,
): ListPosition | undefined {
  const values = valuesOf(cursor, 3);
  if (values === undefined) return undefined;
  const [mark, after, problems] = values;
  if (mark !== fingerprint(query) || !isCount(problems)) return undefined;
  if (query === undefined) {
    return typeof after === "string" ? { after, problems } : undefined;
  }
  return isCount(after) ? { after, problems } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function fingerprint(query: string | undefined): string {
  return query === undefined ? "" : cursorMark(query);
}
