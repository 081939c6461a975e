/** The ignore rules that a directory brings in. */

import { childOf, joined } from "../../base/place.ts";
import {
  IGNORE_FILES,
  type IgnoreRules,
  type IgnoreText,
} from "../../catalog/ignore_rules.ts";
import { DEFAULT_LIMITS } from "../../catalog/limits.ts";
import type { ScanFs } from "../../catalog/scan_fs.ts";
import type { Stamps } from "./stamps.ts";

/** A directory, listed. */
interface Listed {
  readonly abs: string;
  /** Below the workspace. */
  readonly rel: string;
  readonly entries: readonly Deno.DirEntry[];
}

/** The rules in force in a directory, given those around it. */
export function rulesIn(
  { abs, rel, entries }: Listed,
  outside: IgnoreRules,
  { fs, stamps }: { readonly fs: ScanFs; readonly stamps: Stamps },
): IgnoreRules {
  const texts: IgnoreText[] = [];
  for (const name of IGNORE_FILES) {
    // git reads no linked ignore file either.
    if (!entries.some((entry) => entry.name === name && entry.isFile)) continue;
    const file = joined(abs, name);
    stamps.note(file);
    try {
      const { bytes } = fs.readStart(file, DEFAULT_LIMITS.ignoreFileBytes);
      const text = new TextDecoder().decode(bytes);
      texts.push({ path: childOf(rel, name), text });
    } catch {
      // What cannot be read hides nothing.
    }
  }
  return texts.length === 0 ? outside : outside.extend(rel, texts, () => {});
}
