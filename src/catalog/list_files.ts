/** The regular files of one directory, as a walk lists them. */

import { ENTRIES_PER_BREATH } from "../base/pacer.ts";
import { SEPARATOR } from "../base/place.ts";
import type { Breath } from "./breath.ts";
import { type Bundle, isUsable, PLAIN_NAME, SURELY_SHORT } from "./bundle.ts";
import { type Entries, skillFirst } from "./entries.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import type { Listing } from "./listing.ts";
import type { Report } from "./problem_log.ts";
import { type ScanFs, stampOf, whyFailed } from "./scan_fs.ts";
import type { FileStamp } from "./types.ts";
import type { Task } from "./walk_types.ts";

/** What a listing asks, tells and fills. */
export interface ListEffects {
  readonly fs: ScanFs;
  readonly listing: Listing;
  readonly breath: Breath;
  readonly report: Report;
}

/**
 * Lists the files of a directory in the skills that it lies in. `rules` and
 * `chain` are those inside it. The hot loop: one `lstat` for each served file,
 * and little else.
 */
export async function listFiles(
  { abs, rel: dir, rules, chain, top }: Pick<
    Task,
    "abs" | "rel" | "rules" | "chain" | "top"
  >,
  entries: Entries,
  effects: ListEffects,
): Promise<void> {
  const { listing, breath } = effects;
  const owner = chain.at(-1);
  // Order matters only where a bound cuts; skills sort their list at the end.
  const mayFill = listing.mayFill(chain, entries.files.length);
  const names = mayFill ? skillFirst(entries) : entries.files;
  const bare = rules === IgnoreRules.NONE;
  const quick = bare && !mayFill && dir.length < SURELY_SHORT;
  const prefix = dir === "" ? "" : `${dir}/`;
  const below = abs.endsWith(SEPARATOR) ? abs : abs + SEPARATOR;
  let visible = false;
  let seen = 0;
  for (const name of names) {
    if (++seen % ENTRIES_PER_BREATH === 0) await breath.take();
    const plain = quick && PLAIN_NAME.test(name);
    if (!plain && name === "node_modules") continue;
    const rel = prefix + name;
    if (!bare && rules.judge(rel, false).hiddenBy !== undefined) continue;
    visible = true;
    if (owner === undefined) continue;
    if (plain) {
      const stamp = stampAt(below + name, rel, owner, effects);
      if (stamp === undefined) continue;
      for (const bundle of chain) bundle.add(bundle.inside(rel), stamp);
    } else if (!isUsable(owner.inside(rel), name)) {
      listing.unusable(rel, owner);
    } else {
      // Reported by now: the rest could only take time.
      if (listing.allFull(chain)) break;
      const stamp = stampAt(below + name, rel, owner, effects);
      if (stamp !== undefined) listing.add(chain, rel, name, stamp);
    }
  }
  if (visible && top && (!top.isSkillsFolder || top.rel === dir)) {
    top.holdsFiles = true;
  }
}

function stampAt(
  abs: string,
  rel: string,
  owner: Bundle,
  { fs, report }: ListEffects,
): FileStamp | undefined {
  try {
    return stampOf(fs.lstat(abs));
  } catch (error) {
    report(rel, "warning", "unreadable-file", {
      detail: `not listed: ${
        rel.includes("\uFFFD") ? "its name is not UTF-8" : whyFailed(error)
      }`,
      hint: "Rename it, or make it readable by the server's user.",
    }, owner);
    return undefined;
  }
}
