/** An index out of a snapshot. */

import { joined, SEPARATOR } from "../../base/place.ts";
import { IGNORE_FILES } from "../../catalog/ignore_rules.ts";
import { type ScanFs, stampOf } from "../../catalog/scan_fs.ts";
import { isSettled } from "../../catalog/stamps.ts";
import type { FileStamp, Skill, Snapshot } from "../../catalog/types.ts";
import { WORKSPACE_FOLDERS } from "../../catalog/workspace_roots.ts";
import { needlesOf } from "./needles.ts";
import { stampText } from "./standing.ts";
import type { IndexEntry, MatchIndex } from "./types.ts";

/** Beyond so many, looking at stamps would take longer than a hook may. */
const MAX_WATCHED = 20_000;

/** What an index is made of. */
export interface Indexed {
  readonly key: string;
  readonly snapshot: Snapshot;
  /** Absolute; a folder of skills that appears there is noticed. */
  readonly workspaces: readonly string[];
  /** Absolute paths of every directory that the scan read. */
  readonly walked: Iterable<string>;
  readonly fs: Pick<ScanFs, "stat">;
}

/**
 * Makes the index of a snapshot right after its scan. Undefined when it would be
 * too large to be of use.
 */
export function makeIndex(
  { key, snapshot, workspaces, walked, fs }: Indexed,
): MatchIndex | undefined {
  const skills = [...snapshot.skills.values()];
  const paths = new Set<string>();
  for (const { path } of snapshot.roots) paths.add(path);
  for (const workspace of workspaces) {
    for (const folder of WORKSPACE_FOLDERS) {
      paths.add(joined(workspace, folder.split("/").join(SEPARATOR)));
    }
  }
  for (const directory of outside(walked, skills)) {
    paths.add(directory);
    for (const name of IGNORE_FILES) {
      const file = joined(directory, name);
      if (stampOrNot(file, fs) !== undefined) paths.add(file);
    }
    if (paths.size > MAX_WATCHED) return undefined;
  }
  const stamped = [...paths].map((path) =>
    [path, stampOrNot(path, fs)] as const
  );
  const stamps = [
    ...skills.map(({ skillStamp }) => skillStamp),
    ...stamped.flatMap(([, stamp]) => stamp ?? []),
  ];
  return {
    key,
    madeMs: Date.now(),
    skills: skills.map(entryOf),
    watched: stamped.map(([path, stamp]) =>
      [path, stamp === undefined ? "" : stampText(stamp)] as const
    ),
    unsure: stamps.some((stamp) => !isSettled(stamp)),
  };
}

function entryOf(skill: Skill): IndexEntry {
  const { name, skillFile, skillStamp, activation } = skill;
  const { hidden, flat, workspace } = skill;
  return [
    skillFile,
    stampText(skillStamp),
    needlesOf(name, activation),
    JSON.stringify({ name, activation, hidden, flat, workspace }),
  ];
}

/**
 * Directories in which skills may appear. Those of skills are many, and change
 * whenever a file of theirs does; a skill put into one is found by age.
 */
function outside(
  walked: Iterable<string>,
  skills: readonly Skill[],
): string[] {
  const own = new Set(skills.filter(({ flat }) => !flat).map(({ dir }) => dir));
  return [...walked].filter((directory) => {
    let cut = directory.length;
    do {
      if (own.has(directory.slice(0, cut))) return false;
      cut = directory.lastIndexOf(SEPARATOR, cut - 1);
    } while (cut > 0);
    return true;
  });
}

function stampOrNot(
  path: string,
  fs: Pick<ScanFs, "stat">,
): FileStamp | undefined {
  try {
    return stampOf(fs.stat(path));
  } catch {
    return undefined;
  }
}
