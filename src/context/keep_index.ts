/** The index that hooks match against: making it, as after a scan of `serve`. */

import { diskFs } from "../catalog/scan_fs.ts";
import type { Snapshot } from "../catalog/types.ts";
import { writeIndex } from "./index/index_files.ts";
import { indexKey } from "./index/index_key.ts";
import { makeIndex } from "./index/make_index.ts";
import type { IndexGround } from "./index/types.ts";

/** A scan that has just ended. */
export interface Scanned {
  readonly ground: IndexGround;
  readonly snapshot: Snapshot;
  /** Absolute paths of every directory that the scan read. */
  readonly walked: Iterable<string>;
  /** A cache directory that was found fit (`CacheDir.get`), not a temporary one. */
  readonly cache: string;
}

/**
 * Writes the index of a scan. True when it stands as it is; false when a later
 * scan has to be kept in its place, since something had changed too lately for
 * its stamp to tell the next change. Throws what the file system throws.
 */
export async function keepIndex(
  { ground, snapshot, walked, cache }: Scanned,
): Promise<boolean> {
  const key = await indexKey(ground);
  const index = makeIndex({
    key,
    snapshot,
    workspaces: ground.workspaces,
    walked,
    fs: diskFs(),
  });
  if (index === undefined) return true;
  await writeIndex(cache, index);
  return !index.unsure;
}
