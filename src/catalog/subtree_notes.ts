/** Takes down during a walk what the next one may recall. */

import type { Bundle } from "./bundle.ts";
import type { Entries } from "./entries.ts";
import type { IgnoreRules } from "./ignore_rules.ts";
import type { Subtree, SubtreesFound } from "./walk_memory.ts";

/** A directory that was listed. */
export interface ListedPlace {
  /** Below the root. */
  readonly rel: string;
  /** In force at the directory. */
  readonly rules: IgnoreRules;
  /** The skills it lies in. */
  readonly chain: readonly Bundle[];
}

/** Notes of one walk. Directories are visited one at a time. */
export class SubtreeNotes implements SubtreesFound {
  readonly recalled = new Map<string, Subtree>();
  readonly walked = new Map<string, Subtree>();
  #current: Subtree | undefined;

  /** The subtree of the directory being visited. */
  get current(): Subtree | undefined {
    return this.#current;
  }

  /** Begins the visit of a directory in this subtree, or in none. */
  enter(subtree: Subtree | undefined): void {
    this.#current = subtree;
  }

  /** Ends it; `told`: something was reported, which would have to be again. */
  leave(told: boolean): void {
    if (this.#current === undefined) return;
    this.#current.walked += 1;
    if (told) this.#current.isPlain = false;
  }

  /** Notes what a directory holds; an outermost skill begins a subtree. */
  note(
    place: ListedPlace,
    entries: Entries,
    bundle: Bundle | undefined,
    isClaimed: boolean,
  ): void {
    this.#current ??= this.#begin(place, bundle);
    const subtree = this.#current;
    if (subtree === undefined) return;
    subtree.entries += entries.count;
    if (bundle !== undefined) subtree.bundles.push(bundle);
    if (isClaimed) subtree.claims.push(place.rel);
    if (
      entries.ignoring.length > 0 ||
      (entries.skill !== undefined && bundle === undefined) ||
      entries.others.some(({ isSymlink }) => isSymlink)
    ) subtree.isPlain = false;
  }

  #begin(
    { rel, rules, chain }: ListedPlace,
    bundle: Bundle | undefined,
  ): Subtree | undefined {
    if (bundle === undefined || chain.length > 0) return undefined;
    // `skills` has a say in what its children are called.
    if (rel === "" || rel === "skills") return undefined;
    const subtree: Subtree = {
      rules,
      bundles: [],
      claims: [],
      entries: 0,
      walked: 0,
      isPlain: true,
    };
    this.walked.set(rel, subtree);
    return subtree;
  }
}
