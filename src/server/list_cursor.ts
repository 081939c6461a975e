/** The cursor of `skill_list`: opaque to clients, checked when it comes back. */

import { sha256 } from "../base/digest.ts";

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
  const json = JSON.stringify([
    fingerprint(query),
    position.after,
    position.problems,
  ]);
  const bytes = new TextEncoder().encode(json);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Reads a cursor back; undefined when it is none, or of another query. */
export function readCursor(
  cursor: string,
  query: string | undefined,
): ListPosition | undefined {
  try {
    const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!Array.isArray(value) || value.length !== 3) return undefined;
    const [mark, after, problems] = value;
    const fits = mark === fingerprint(query) && isCount(problems) &&
      (query === undefined ? typeof after === "string" : isCount(after));
    return fits ? { after, problems } : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function fingerprint(query: string | undefined): string {
  return query === undefined ? "" : sha256(query).slice(7, 19);
}
