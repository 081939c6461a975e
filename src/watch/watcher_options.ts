/** What a watcher is told when it is made. */

import type { ScanFs } from "../catalog/scan_fs.ts";
import type { WatchEffects } from "./effects.ts";
import type { WatchTarget } from "./targets.ts";

/** What a watcher is made of. */
export interface WatcherOptions {
  readonly targets: readonly WatchTarget[];
  readonly effects: WatchEffects;
  /** Milliseconds between looks at everything; undefined: none. */
  readonly pollMs?: number | undefined;
  /** Stands in for the disk in tests. */
  readonly fs?: ScanFs;
  /**
   * Something may have moved at these absolute paths; undefined: anywhere.
   * Called at most once for many events.
   */
  readonly onWake: (hints: readonly string[] | undefined) => void;
}
