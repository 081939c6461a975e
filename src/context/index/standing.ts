/** Whether an index still stands. Small: it is loaded before every answer. */

import { type ScanFs, stampOf } from "../../catalog/scan_fs.ts";
import type { FileStamp } from "../../catalog/types.ts";
import type { IndexedSkill, IndexEntry, MatchIndex } from "./types.ts";

/** Milliseconds after which an index that stands is made again all the same. */
const OLD_MS = 5 * 60_000;
/** Stamps between two questions whether there is time left. */
const AT_ONCE = 64;

/** How an index stands to the disk. */
export interface Standing {
  /** Skills whose file is as it was. */
  readonly same: readonly IndexEntry[];
  /** Skills whose file has another stamp, and must be read again. */
  readonly changed: readonly IndexEntry[];
  /** Skills may have come, gone or been renamed: it is to be made again. */
  readonly moved: boolean;
  /** It stands, but something that is not looked at may have moved meanwhile. */
  readonly old: boolean;
}

/** Looks at every stamp. `tired` is asked now and then, and ends it early. */
export function standing(
  { madeMs, skills, watched, unsure }: MatchIndex,
  fs: Pick<ScanFs, "stat">,
  tired: () => boolean,
): Standing | undefined {
  const same: IndexEntry[] = [];
  const changed: IndexEntry[] = [];
  let moved = unsure;
  let looked = 0;
  for (const entry of skills) {
    if (++looked % AT_ONCE === 0 && tired()) return undefined;
    const [file, stamp] = entry;
    const now = stampAt(file, fs);
    if (now === stamp) same.push(entry);
    else if (now === "") moved = true;
    else changed.push(entry);
  }
  for (const [path, stamp] of watched) {
    if (moved) break;
    if (++looked % AT_ONCE === 0 && tired()) return undefined;
    moved = stampAt(path, fs) !== stamp;
  }
  const old = Math.abs(Date.now() - madeMs) > OLD_MS;
  return { same, changed, moved, old };
}

/** The skill of an entry. */
export function openEntry([file, , , skill]: IndexEntry): IndexedSkill {
  return { ...JSON.parse(skill), file };
}

/** The stamp of what lies at a path, links followed; "": nothing does. */
export function stampAt(path: string, fs: Pick<ScanFs, "stat">): string {
  try {
    return stampText(stampOf(fs.stat(path)));
  } catch {
    return "";
  }
}

/** A stamp as an index writes it. */
export function stampText(
  { size, modifiedMs, changedMs, ino }: FileStamp,
): string {
  return `${size} ${modifiedMs} ${changedMs} ${ino}`;
}
