/** Small steps that the readers of the owner's three lists of rows share. */

import { isAbsolute } from "node:path";
import { visible } from "../base/text.ts";
import { own, shown } from "../skill/block_values.ts";

/** A value read, or why it cannot be: a sentence's end such as `it has no skill`. */
export type Read<T> = { readonly value: T } | { readonly why: string };

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** How messages name a row. */
export function rowName(index: number): string {
  return `Row ${index + 1}`;
}

/** The items of a variable's JSON array; `why` follows the variable's name. */
export function parseList(text: string): Read<readonly unknown[]> {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value)
      ? { value }
      : { why: `holds ${shown(value)}, not a JSON array` };
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    return { why: `is not valid JSON (${visible(message, 120)})` };
  }
}

/** A member that must name something. */
export function wordIn(
  item: Record<string, unknown>,
  key: string,
): Read<string> {
  const value = own(item, key);
  if (typeof value === "string" && value !== "") return { value };
  return value === undefined
    ? { why: `it has no ${key}` }
    : { why: `its ${key} is ${shown(value)}, not a name` };
}

/** A digest, in lower case; undefined where there is none. */
export function digestIn(
  item: Record<string, unknown>,
  key: string,
): Read<string | undefined> {
  const value = own(item, key);
  if (value === undefined) return { value };
  const digest = typeof value === "string" ? value.toLowerCase() : "";
  return DIGEST.test(digest)
    ? { value: digest }
    : { why: `its ${key} is ${shown(value)}, not sha256: and 64 hex digits` };
}

/** The absolute directory of a row; undefined where there is none. */
export function workspaceIn(
  item: Record<string, unknown>,
): Read<string | undefined> {
  const value = own(item, "workspace");
  if (value === undefined) return { value };
  return typeof value === "string" && isAbsolute(value) && !value.includes("\0")
    ? { value }
    : { why: `its workspace is ${shown(value)}, not an absolute path` };
}
