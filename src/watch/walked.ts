/**
 * Which directories a scan reads: exactly those are worth a watch. Hidden,
 * ignored and left out directories are never read, so they cost none.
 */

import type { ScanFs } from "../catalog/scan_fs.ts";

/** Hears of every directory that a scan has read. */
export class WalkedDirectories {
  #paths = new Set<string>();

  /** Absolute real paths. A scan of everything begins after `reset`. */
  get paths(): ReadonlySet<string> {
    return this.#paths;
  }

  /** Forgets them: a scan that reads everything tells them anew. */
  reset(): void {
    this.#paths = new Set();
  }

  /** The same file system, whose `readDir` is heard. */
  listening(fs: ScanFs): ScanFs {
    return {
      readDir: (path) => {
        const entries = fs.readDir(path);
        this.#paths.add(path);
        return entries;
      },
      lstat: (path) => fs.lstat(path),
      stat: (path) => fs.stat(path),
      realPath: (path) => fs.realPath(path),
      readLink: (path) => fs.readLink(path),
      readStart: (path, cap) => fs.readStart(path, cap),
    };
  }
}
