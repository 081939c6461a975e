/** Pages of a listing: bounded, in a fixed order, with a cursor by name. */

import { readCursor, writeCursor } from "../cursor.ts";
import { cursorMark } from "../cursor_mark.ts";

/** Bounds of one page; one item comes in any case. */
export interface PageBounds {
  readonly count: number;
  /** Characters of JSON. */
  readonly chars: number;
}

/** The bounds of every listing here: what clients and pipes take at once. */
export const PAGE: PageBounds = { count: 100, chars: 250_000 };

/** One page. */
export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | undefined;
}

/** What an answer says of the page after this one: nothing when it is the last. */
export function nextOf(
  { nextCursor }: Page<unknown>,
): { readonly nextCursor?: string } {
  return nextCursor === undefined ? {} : { nextCursor };
}

/** A listing: what it is of, and its items by key in key order. */
export interface Listing<T> {
  /** Cursors of one listing are no cursors of another. */
  readonly kind: string;
  readonly keys: readonly string[];
  /** The item of a key; undefined when it is gone. */
  readonly make: (key: string) => Promise<T | undefined> | T | undefined;
}

/**
 * The page that `cursor` points at, undefined for the first. A cursor names the
 * last key before it, so that a rescan in between repeats and skips nothing.
 * Undefined when it is no cursor of this listing.
 */
export async function pageOf<T>(
  { kind, keys, make }: Listing<T>,
  cursor: string | undefined,
  bounds: PageBounds = PAGE,
): Promise<Page<T> | undefined> {
  const after = cursor === undefined ? "" : keyIn(cursor, kind);
  if (after === undefined) return undefined;
  const items: T[] = [];
  let left = bounds.chars;
  let last = after;
  for (let at = firstAfter(keys, after); at < keys.length; at++) {
    const key = keys[at]!;
    const full = items.length === bounds.count;
    const item = full ? undefined : await make(key);
    left -= item === undefined ? 0 : JSON.stringify(item).length;
    if (full || (left < 0 && items.length > 0)) {
      return { items, nextCursor: writeCursor([cursorMark(kind), last]) };
    }
    if (item !== undefined) items.push(item);
    last = key;
  }
  return { items, nextCursor: undefined };
}

function firstAfter(keys: readonly string[], after: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The key that a cursor of this kind of listing names. */
function keyIn(cursor: string, kind: string): string | undefined {
  const [of, after] = readCursor(cursor, 2) ?? [];
  return of === cursorMark(kind) && typeof after === "string"
    ? after
    : undefined;
}
