/** The cursor of `prompts/list`: opaque to clients, checked on its way back. */

import { fromBase64, toBase64 } from "../text_bytes.ts";
import type { TablePosition } from "./prompt_table.ts";

/** Writes a position. */
export function writePromptCursor(
  { name, skill, index }: TablePosition,
): string {
  const json = JSON.stringify([name, skill ?? null, index]);
  return toBase64(new TextEncoder().encode(json));
}

/** Reads a position back; undefined when it is none. */
export function readPromptCursor(cursor: string): TablePosition | undefined {
  const bytes = fromBase64(cursor);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!Array.isArray(value) || value.length !== 3) return undefined;
    const [name, skill, index] = value;
    const fits = typeof name === "string" &&
      (skill === null || typeof skill === "string") &&
      Number.isSafeInteger(index) && index >= 0;
    return fits ? { name, skill: skill ?? undefined, index } : undefined;
  } catch {
    return undefined;
  }
}
