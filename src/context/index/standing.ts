/** Whether an index still stands. Small: it is loaded before every answer. */

import { type ScanFs, stampOf } from "../../catalog/scan_fs.ts";
import { sameStamp } from "../../catalog/stamps.ts";
import type { FileStamp } from "../../catalog/types.ts";
import type { IndexedSkill, MatchIndex } from "./types.ts";

/** How an index stands to the disk. */
export interface Standing {
  /** Skills whose file is as it was. */
  readonly same: readonly IndexedSkill[];
  /** Skills whose file has another stamp, and must be read again. */
  readonly changed: readonly IndexedSkill[];
  /** Skills may have come, gone or been renamed: it is to be made again. */
  readonly moved: boolean;
}

/** Looks at every stamp. `tired` is asked now and then, and ends it early. */
export function standing(
  { skills, watched, unsure }: MatchIndex,
  fs: Pick<ScanFs, "stat">,
  tired: () => boolean,
): Standing | undefined {
  const same: IndexedSkill[] = [];
  const changed: IndexedSkill[] = [];
  let moved = unsure;
  let looked = 0;
  for (const skill of skills) {
    if (++looked % 64 === 0 && tired()) return undefined;
    const now = stampAt(skill.file, fs);
    if (now === null) moved = true;
    else if (sameStamp(now, skill.stamp)) same.push(skill);
    else changed.push(skill);
  }
  for (const { path, stamp } of watched) {
    if (moved) break;
    if (++looked % 64 === 0 && tired()) return undefined;
    const now = stampAt(path, fs);
    moved = now === null || stamp === null
      ? now !== stamp
      : !sameStamp(now, stamp);
  }
  return { same, changed, moved };
}

/** The stamp of what lies at a path, links followed; null: nothing does. */
export function stampAt(
  path: string,
  fs: Pick<ScanFs, "stat">,
): FileStamp | null {
  try {
    return stampOf(fs.stat(path));
  } catch {
    return null;
  }
}
