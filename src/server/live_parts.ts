/** What the live catalogue is made of. */

import type { ProgressListener, RescanOptions } from "../catalog/catalog.ts";
import type { Snapshot } from "../catalog/types.ts";
import type { PromptSnapshot } from "../prompt/types.ts";
import type { WatchedFiles } from "../watch/beside.ts";
import type { WalkedDirectories } from "../watch/walked.ts";
import type { Watcher } from "../watch/watcher.ts";

/** What it looks at and who does the watching. */
export interface LiveParts {
  readonly catalog: {
    snapshot(onProgress?: ProgressListener): Promise<Snapshot>;
    rescan(options?: RescanOptions): Promise<Snapshot>;
  };
  readonly prompts: {
    snapshot(): Promise<PromptSnapshot>;
    rescan(): Promise<PromptSnapshot>;
  };
  /** Looks at the context too, and calls `contextMoved` if it moved. */
  readonly lookAtContext?: (
    skills: Snapshot,
    hints: readonly string[] | undefined,
  ) => Promise<void>;
  /** Where context files lie, as far as that is known. */
  readonly contextPlaces?: () => Promise<WatchedFiles>;
  /** Hears of each look once the first answers are out, if it moved anything. */
  readonly looked?: ((skills: Snapshot, moved: boolean) => void) | undefined;
  /** Directories that scans read. */
  readonly walked: WalkedDirectories;
  /** Absolute paths of the workspaces that the next scan looks into. */
  readonly workspaces?: () => Promise<readonly string[]>;
  /** Makes the watcher, which wakes by calling back. */
  readonly watcher: (
    onWake: (hints: readonly string[] | undefined) => void,
  ) => Watcher;
  /**
   * Runs a thing once the first answers are likely out; returns how to keep it
   * from running. Watching many directories is work that nobody waits for.
   */
  readonly later: (run: () => void) => () => void;
  /** Hears of a rescan that failed; the old snapshot stays in force. */
  readonly onError: (error: unknown) => void;
}
