/** What goes into a skill's list of files, and what is said when it may not. */

import { counted, visible } from "../base/text.ts";
import { type Bundle, isUsable } from "./bundle.ts";
import { type ScanLimits } from "./limits.ts";
import type { ProblemLog } from "./problem_log.ts";
import type { FileStamp } from "./types.ts";

/** Adds to bundles of one root, within the bounds. */
export class Listing {
  readonly #root: number;
  readonly #limits: ScanLimits;
  readonly #log: ProblemLog;
  readonly #capped = new Map<Bundle, Set<string>>();

  constructor(
    root: number,
    effects: { limits: ScanLimits; log: ProblemLog },
  ) {
    this.#root = root;
    this.#limits = effects.limits;
    this.#log = effects.log;
  }

  /** Counts one more directory; false, and reported once, over the bound. */
  enter(bundle: Bundle): boolean {
    const { directories } = this.#limits;
    if (bundle.directories < directories) {
      bundle.directories += 1;
      return true;
    }
    this.#hit(
      bundle,
      `more than ${counted(directories)} directories`,
      "the rest is neither listed nor searched for skills",
    );
    return false;
  }

  /** Whether one more file would be too many; reported once. */
  isFull(bundle: Bundle): boolean {
    const { files } = this.#limits;
    if (bundle.count < files) return false;
    this.#hit(
      bundle,
      `more than ${counted(files)} files`,
      "the rest is not served",
    );
    return true;
  }

  /** Whether `more` files could fill one of the bundles. */
  mayFill(chain: readonly Bundle[], more: number): boolean {
    return chain.some(({ count }) => count + more > this.#limits.files);
  }

  /** Whether none of the bundles takes another file. */
  allFull(chain: readonly Bundle[]): boolean {
    for (const bundle of chain) if (!this.isFull(bundle)) return false;
    return true;
  }

  /**
   * Lists the file at `rel` below the root, called `name`, in each of the
   * bundles whose bound and path rule let it.
   */
  add(
    chain: readonly Bundle[],
    rel: string,
    name: string,
    stamp: FileStamp,
  ): void {
    for (const bundle of chain) {
      if (this.isFull(bundle)) continue;
      const path = bundle.inside(rel);
      if (isUsable(path, name)) bundle.add(path, stamp);
      else this.unusable(rel, bundle);
    }
  }

  /** Says that no path rule lets `rel` be asked for. */
  unusable(rel: string, bundle: Bundle): void {
    this.#log.add({
      root: this.#root,
      path: rel,
      severity: "warning",
      reason: "unusable-path",
      detail: `"${
        visible(bundle.inside(rel))
      }" cannot be asked for by path, so it is not served`,
      hint:
        "Rename it: no backslash, percent escape or blank name, and at most 1024 characters.",
      owner: bundle,
    });
  }

  #hit(bundle: Bundle, bound: string, effect: string): void {
    const bounds = this.#capped.get(bundle) ?? new Set();
    this.#capped.set(bundle, bounds);
    if (bounds.has(bound)) return;
    bounds.add(bound);
    this.#log.add({
      root: this.#root,
      path: bundle.rel,
      severity: "warning",
      reason: "file-limit",
      detail: `${bound}: ${effect}`,
      hint: "Leave generated files out with a .gitignore or .ignore file.",
      owner: bundle,
    });
  }
}
