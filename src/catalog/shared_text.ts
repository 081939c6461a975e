/** The text of a shared file, as far as a scan looks into it. */

import { decodeUtf8 } from "../base/utf8.ts";
import { parseFrontmatter, splitFrontmatter } from "../skill/frontmatter.ts";
import type { Finding } from "../skill/types.ts";

/** What a shared file says about itself. */
export interface SharedText {
  /** Its frontmatter's `name`; undefined: it has none. */
  readonly name: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** Why its frontmatter counts for nothing. */
  readonly finding: Finding | undefined;
}

/** Reads a whole shared file; undefined when it is not UTF-8. */
export function readSharedText(bytes: Uint8Array): SharedText | undefined {
  const { text, invalidAt } = decodeUtf8(bytes);
  if (invalidAt !== undefined) return undefined;
  const split = splitFrontmatter(text);
  if (split.kind !== "block") return PLAIN;
  const read = parseFrontmatter(split.yaml);
  if (!read.ok) {
    const finding = { ...read.finding, severity: "warning" as const };
    return { ...PLAIN, finding };
  }
  const { values } = read;
  const name = Object.hasOwn(values, "name") ? values["name"] : undefined;
  return {
    name: typeof name === "string" ? name.trim() || undefined : undefined,
    metadata: values,
    finding: undefined,
  };
}

const PLAIN: SharedText = {
  name: undefined,
  metadata: undefined,
  finding: undefined,
};
