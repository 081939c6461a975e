/**
 * What the last walk of a root found in each outermost skill, so that a rescan
 * need not walk what has not moved. Only what a walk would find again word for
 * word is kept: no links, no ignore files of its own, nothing to report.
 */

import type { Bundle } from "./bundle.ts";
import type { Hints } from "./hints.ts";
import type { IgnoreRules, IgnoreText } from "./ignore_rules.ts";
import { isSettled } from "./stamps.ts";

/** The directory of an outermost skill, as it is being walked or was. */
export interface Subtree {
  /** The rules in force at the directory. */
  readonly rules: IgnoreRules;
  /** The skill and those nested in it, in the order of the walk. */
  readonly bundles: Bundle[];
  /** Its directories with a SKILL.md. */
  readonly claims: string[];
  /** Directory entries, hidden ones included. */
  entries: number;
  /** Directories walked. */
  walked: number;
  /** Nothing in it keeps it from being remembered. */
  isPlain: boolean;
}

/** Subtrees by directory below the root. */
export interface SubtreesFound {
  readonly recalled: Map<string, Subtree>;
  readonly walked: ReadonlyMap<string, Subtree>;
}

/** The rules that a directory's ignore files made of those around it. */
interface RuleStep {
  readonly outside: IgnoreRules;
  readonly texts: readonly IgnoreText[];
  readonly inside: IgnoreRules;
}

/** Share of the walk's bound from which on nothing is remembered. */
const ROOM = 0.5;

/** Most entries of a directory outside skills that are remembered. */
const LISTED = 1_000;

/** Remembers one root between walks. */
export class WalkMemory {
  #subtrees: ReadonlyMap<string, Subtree> = new Map();
  #rules = new Map<string, RuleStep>();
  #listed: ReadonlyMap<string, readonly Deno.DirEntry[]> = new Map();
  #listing = new Map<string, readonly Deno.DirEntry[]>();
  /** Flat skills, by their file below the root. */
  #flats: ReadonlyMap<string, Bundle> = new Map();
  #flat = new Map<string, Bundle>();
  #hints: Hints | undefined;

  /** Begins a walk; without hints nothing that was walked counts. */
  begin(hints: Hints | undefined): void {
    this.#hints = hints;
    this.#listing = new Map();
    this.#flat = new Map();
    if (hints !== undefined) return;
    this.#subtrees = new Map();
    this.#listed = new Map();
    this.#flats = new Map();
    this.#rules.clear();
  }

  /** What stands at the directory `rel` still, under these rules. */
  recall(rel: string, rules: IgnoreRules): Subtree | undefined {
    const known = this.#subtrees.get(rel);
    if (known === undefined || known.rules !== rules) return undefined;
    return this.#hints?.touches(rel) === false ? known : undefined;
  }

  /** The flat skill whose file stands as it was. */
  recallFlat(rel: string): Bundle | undefined {
    const known = this.#flats.get(rel);
    return known !== undefined && this.#hints?.touches(rel) === false
      ? known
      : undefined;
  }

  /** Keeps a flat skill, unless its file changed too lately to tell. */
  keepFlat(rel: string, bundle: Bundle): void {
    if (isKeptAlone(bundle)) this.#flat.set(rel, bundle);
  }

  /** The entries of a directory outside skills: as they were, or read now. */
  listed(
    rel: string,
    read: () => Iterable<Deno.DirEntry>,
  ): readonly Deno.DirEntry[] {
    const known = this.#hints?.touches(rel) === false
      ? this.#listed.get(rel)
      : undefined;
    const entries = known ?? [...read()];
    if (entries.length <= LISTED) this.#listing.set(rel, entries);
    return entries;
  }

  /** Forgets a listing: the directory is a skill's. */
  unlist(rel: string): void {
    this.#listing.delete(rel);
  }

  /** Ends a walk that saw `entries` of at most `most`. */
  end(
    { recalled, walked }: SubtreesFound,
    entries: number,
    most: number,
  ): void {
    // Close to the bound, the order of the walk decides what is cut.
    const fits = entries <= most * ROOM;
    this.#listed = fits ? this.#listing : new Map();
    this.#flats = fits ? this.#flat : new Map();
    this.#subtrees = fits ? recalled : new Map();
    if (!fits) return;
    for (const [rel, subtree] of walked) {
      if (isKept(subtree)) recalled.set(rel, subtree);
    }
  }

  /** The rules made before of the same rules and texts: the same object. */
  sameRules(
    rel: string,
    outside: IgnoreRules,
    texts: readonly IgnoreText[],
  ): IgnoreRules | undefined {
    const step = this.#rules.get(rel);
    return step !== undefined && step.outside === outside &&
        step.texts.length === texts.length &&
        step.texts.every(({ path, text }, index) =>
          path === texts[index]!.path && text === texts[index]!.text
        )
      ? step.inside
      : undefined;
  }

  /** Keeps what the rules of one directory came to. */
  keepRules(rel: string, step: RuleStep): void {
    this.#rules.set(rel, step);
  }
}

function isKept({ isPlain, bundles }: Subtree): boolean {
  return isPlain && bundles.every(isKeptAlone);
}

function isKeptAlone(bundle: Bundle): boolean {
  // Its next change could have the same stamp.
  const stamp = bundle.stampOf(bundle.skillFile);
  return stamp !== undefined && isSettled(stamp);
}
