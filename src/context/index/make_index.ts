/** An index out of a snapshot. */

import { joined, SEPARATOR } from "../../base/place.ts";
import { IGNORE_FILES } from "../../catalog/ignore_rules.ts";
import type { ScanFs } from "../../catalog/scan_fs.ts";
import { isSettled } from "../../catalog/stamps.ts";
import type { Snapshot } from "../../catalog/types.ts";
import { WORKSPACE_FOLDERS } from "../../catalog/workspace_roots.ts";
import { stampAt } from "./standing.ts";
import type { IndexedSkill, MatchIndex } from "./types.ts";

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
  const skills = [...snapshot.skills.values()].map((skill): IndexedSkill => ({
    name: skill.name,
    file: skill.skillFile,
    stamp: skill.skillStamp,
    activation: skill.activation,
    hidden: skill.hidden,
    flat: skill.flat,
    workspace: skill.workspace,
  }));
  const paths = new Set<string>();
  for (const { path } of snapshot.roots) paths.add(path);
  for (const workspace of workspaces) {
    for (const folder of WORKSPACE_FOLDERS) {
      paths.add(joined(workspace, folder.split("/").join(SEPARATOR)));
    }
  }
  for (const directory of walked) {
    paths.add(directory);
    for (const name of IGNORE_FILES) {
      const file = joined(directory, name);
      if (stampAt(file, fs) !== null) paths.add(file);
    }
    if (paths.size > MAX_WATCHED) return undefined;
  }
  const watched = [...paths].map((path) => ({
    path,
    stamp: stampAt(path, fs),
  }));
  const stamps = [...skills, ...watched].map(({ stamp }) => stamp);
  const unsure = stamps.some((stamp) => stamp !== null && !isSettled(stamp));
  return { key, skills, watched, unsure };
}
