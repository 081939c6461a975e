/** The cursor of `prompts/list`: opaque to clients, checked on its way back. */

import { readCursor, writeCursor } from "../cursor.ts";
import type { TablePosition } from "./prompt_table.ts";

/** Writes a position. */
export function writePromptCursor(
  { name, skill, index }: TablePosition,
): string {
  return writeCursor([name, skill ?? null, index]);
}

/** Reads a position back; undefined when it is none. */
export function readPromptCursor(cursor: string): TablePosition | undefined {
  const [name, skill, index] = readCursor(cursor, 3) ?? [];
  if (typeof name !== "string" || typeof index !== "number") return undefined;
  if (!Number.isSafeInteger(index) || index < 0) return undefined;
  if (skill !== null && typeof skill !== "string") return undefined;
  return { name, skill: skill ?? undefined, index };
}
