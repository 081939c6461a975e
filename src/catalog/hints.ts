/** Which paths below a root may have moved, as a watcher tells it. Pure. */

import { foldName } from "../skill/names.ts";
import { below, isWithin } from "../base/place.ts";

/** One spelling for all that a file system takes for one name. */
export type Spelling = (rel: string) => string;

// Only Linux tells case and normal form apart by default.
const SPELLING: Spelling = Deno.build.os === "linux" ? (rel) => rel : foldName;

/** Answers for one root whether a directory may have moved. */
export class Hints {
  /** Hinted paths below the root. */
  readonly #hinted = new Set<string>();
  /** Hinted paths and every directory around one. */
  readonly #around = new Set<string>();
  readonly #spelling: Spelling;

  /**
   * `hints` are absolute and may name the root as configured or by its real
   * path; those outside of it say nothing. One above the root means all of it.
   */
  constructor(
    hints: readonly string[],
    root: { readonly path: string; readonly realPath: string },
    spelling: Spelling = SPELLING,
  ) {
    this.#spelling = spelling;
    for (const hint of hints) {
      for (const dir of new Set([root.realPath, root.path])) {
        if (isWithin(dir, hint)) this.#add("");
        else if (isWithin(hint, dir)) this.#add(spelling(below(hint, dir)));
      }
    }
  }

  /** Whether anything at, in or around a directory was hinted. */
  touches(directory: string): boolean {
    const rel = this.#spelling(directory);
    if (this.#around.has(rel)) return true;
    if (this.#hinted.has("")) return true;
    for (
      let end = rel.lastIndexOf("/");
      end > 0;
      end = rel.lastIndexOf("/", end - 1)
    ) if (this.#hinted.has(rel.slice(0, end))) return true;
    return false;
  }

  #add(rel: string): void {
    this.#hinted.add(rel);
    this.#around.add("");
    this.#around.add(rel);
    for (
      let end = rel.lastIndexOf("/");
      end > 0;
      end = rel.lastIndexOf("/", end - 1)
    ) this.#around.add(rel.slice(0, end));
  }
}
