/** Which files a run made or changed, told by looking before and after. */

import { join } from "node:path";
import { leftSetIds, SET_ID_ENTRIES, type SetIdFile } from "./set_ids.ts";
import { changedPaths, readTree, type TreeState } from "./tree_changes.ts";

/** A directory a run may have written, and how it looked before. */
export interface OutputSource {
  readonly label: "out" | "data" | "workspace";
  readonly dir: string;
  readonly before: TreeState;
  /** Nothing kept the run from giving files set-id bits. */
  readonly setIds?: boolean;
}

/** A file that a run made or changed. */
export interface FoundFile {
  readonly label: OutputSource["label"];
  /** Absolute. */
  readonly from: string;
  /** Relative to its source. */
  readonly path: string;
}

/** What was found. */
export interface Found {
  readonly files: readonly FoundFile[];
  /** Files that it left with a set-id bit. */
  readonly setIds: readonly SetIdFile[];
  readonly hints: readonly string[];
  /** Links, special files and the like that the run left. */
  readonly skipped: number;
}

/** Looks at the sources again; walks at most `entries` entries of each. */
export async function findOutputs(
  sources: readonly OutputSource[],
  entries: number,
): Promise<Found> {
  const files: FoundFile[] = [];
  const setIds: SetIdFile[] = [];
  const hints: string[] = [];
  let skipped = 0;
  for (const source of sources) {
    const { label, dir, before } = source;
    const forSetIds = source.setIds ? SET_ID_ENTRIES : entries;
    const after = await readTree(dir, entries, forSetIds);
    if (source.setIds) {
      setIds.push(...leftSetIds(source, after));
      if (!after.allSetIds || !before.allSetIds) {
        hints.push(
          `The ${label} directory holds more than ${SET_ID_ENTRIES} entries: not all were looked at for set-user-id and set-group-id bits.`,
        );
      }
    }
    if (!before.complete) {
      hints.push(
        `The ${label} directory holds more than ${entries} entries: what changed in it is not told.`,
      );
      continue;
    }
    if (!after.complete) {
      hints.push(
        `The ${label} directory holds more than ${entries} entries now: not all were looked at.`,
      );
    }
    // A link that was there before the run is nothing this run left.
    skipped += Math.max(0, after.skipped - before.skipped);
    for (const path of changedPaths(before, after)) {
      files.push({ label, from: join(dir, path), path });
    }
  }
  return { files, setIds, hints, skipped };
}
