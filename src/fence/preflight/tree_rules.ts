/** The ignore rules in force in a directory, for trees the fence looks at. */

import { hiddenByName } from "../../catalog/hidden.ts";
import {
  IGNORE_FILES,
  IgnoreRules,
  type IgnoreText,
} from "../../catalog/ignore_rules.ts";
import { DEFAULT_LIMITS } from "../../catalog/limits.ts";
import { childOf, joined } from "../../base/place.ts";
import { diskFs } from "../../catalog/scan_fs.ts";

/** Whether an entry is hidden or ignored, and the rules below it. */
export interface Judged {
  readonly hidden: boolean;
  readonly inside: IgnoreRules;
}

/** Judges the entry `name` at `rel` (below the root that `rules` belong to). */
export function judgeEntry(
  rules: IgnoreRules,
  name: string,
  rel: string,
  isDirectory: boolean,
): Judged {
  if (hiddenByName(name) !== undefined) return { hidden: true, inside: rules };
  if (rules === IgnoreRules.NONE) return { hidden: false, inside: rules };
  const { hiddenBy, inside } = rules.judge(rel, isDirectory);
  return { hidden: hiddenBy !== undefined, inside };
}

/**
 * The rules inside a directory whose regular files are `files`. As much of an
 * ignore file counts as in a scan, so that both hide the same.
 */
export function rulesInside(
  dir: { readonly abs: string; readonly rel: string },
  files: ReadonlySet<string>,
  outside: IgnoreRules,
): IgnoreRules {
  const texts: IgnoreText[] = [];
  for (const name of IGNORE_FILES) {
    if (!files.has(name)) continue;
    try {
      const { bytes } = diskFs().readStart(
        joined(dir.abs, name),
        DEFAULT_LIMITS.ignoreFileBytes,
      );
      texts.push({ path: name, text: new TextDecoder().decode(bytes) });
    } catch {
      // Unreadable rules hide nothing, which is the stricter way here.
    }
  }
  return texts.length === 0
    ? outside
    : outside.extend(dir.rel, texts, () => {});
}

/**
 * The rules that come into force between `root` and the directory at `rel`
 * below it (`""` for the root itself), that directory's own files left out.
 */
export function rulesAbove(root: string, rel: string): IgnoreRules {
  let rules = IgnoreRules.NONE;
  let dir = { abs: root, rel: "" };
  for (const segment of rel === "" ? [] : rel.split("/")) {
    rules = rulesInside(dir, regularFiles(dir.abs), rules);
    dir = {
      abs: joined(dir.abs, segment),
      rel: childOf(dir.rel, segment),
    };
    rules = judgeEntry(rules, segment, dir.rel, true).inside;
  }
  return rules;
}

function regularFiles(dir: string): Set<string> {
  const found = new Set<string>();
  for (const name of IGNORE_FILES) {
    try {
      if (Deno.lstatSync(joined(dir, name)).isFile) found.add(name);
    } catch {
      // Not there.
    }
  }
  return found;
}
