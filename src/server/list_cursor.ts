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

/** What a listing is of. */
export interface ListOf {
  readonly query: string | undefined;
  /** Of the skills that are kept from models. */
  readonly hidden: boolean;
}

/** The first page. */
export function firstPosition({ query }: ListOf): ListPosition {
  return { after: query === undefined ? "" : 0, problems: 0 };
}

/** Writes a cursor that is good for the same listing only. */
export function writeCursor(position: ListPosition, of: ListOf): string {
  return cursorOf([fingerprint(of), position.after, position.problems]);
}

/** Reads a cursor back; undefined when it is none, or of another listing. */
export function readCursor(
  cursor: string,
  of: ListOf,
): ListPosition | undefined {
  const values = valuesOf(cursor, 3);
  if (values === undefined) return undefined;
  const [mark, after, problems] = values;
  if (mark !== fingerprint(of) || !isCount(problems)) return undefined;
  if (of.query === undefined) {
    return typeof after === "string" ? { after, problems } : undefined;
  }
  return isCount(after) ? { after, problems } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function fingerprint({ query, hidden }: ListOf): string {
  const mark = query === undefined ? "" : cursorMark(query);
  return hidden ? `${mark}h` : mark;
}
