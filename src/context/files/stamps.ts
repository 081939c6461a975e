/** What a result rests on, so that a look at stamps tells whether it stands. */

import { isSettled, sameStamp } from "../../catalog/stamps.ts";
import { type ScanFs, stampOf } from "../../catalog/scan_fs.ts";
import type { FileStamp } from "../../catalog/types.ts";

/** Files and directories with their stamps; links are followed. */
export class Stamps {
  readonly #fs: ScanFs;
  readonly #seen = new Map<string, FileStamp | undefined>();
  /** Something changed too lately for its stamp to tell the next change. */
  #unsure = false;

  constructor(fs: ScanFs) {
    this.#fs = fs;
  }

  /** Notes an absolute path as it is now; the first note counts. */
  note(path: string): void {
    if (this.#seen.has(path)) return;
    const stamp = this.#stamp(path);
    if (stamp !== undefined && !isSettled(stamp)) this.#unsure = true;
    this.#seen.set(path, stamp);
  }

  /** Whether everything is as it was noted. */
  stand(): boolean {
    if (this.#unsure) return false;
    for (const [path, before] of this.#seen) {
      const now = this.#stamp(path);
      if (before === undefined || now === undefined) {
        if (before !== now) return false;
      } else if (!sameStamp(before, now)) return false;
    }
    return true;
  }

  #stamp(path: string): FileStamp | undefined {
    try {
      return stampOf(this.#fs.stat(path));
    } catch {
      return undefined;
    }
  }
}
