/** The catalogue: one snapshot at a time, scanned when first needed. */

import { nearest } from "../base/nearest.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import { ScanMemory } from "./scan_memory.ts";
import type { ScannedRoot } from "./open_roots.ts";
import { type ScanOptions, type ScanProgress, scanRoots } from "./scan.ts";
import { SkillSearch } from "./search.ts";
import type { Skill, Snapshot } from "./types.ts";

/** What a catalogue needs to know. */
export interface CatalogOptions
  extends Omit<ScanOptions, "onProgress" | "memory" | "hints"> {
  /** In order of precedence. */
  readonly roots: readonly ScannedRoot[];
}

/** What is known about a rescan beforehand. */
export interface RescanOptions {
  /**
   * Absolute paths that may have moved since the last scan, as a watcher tells
   * them. What lies elsewhere is taken to be as it was. Undefined: everything
   * is looked at.
   */
  readonly hints?: readonly string[] | undefined;
  readonly onProgress?: ProgressListener | undefined;
}

/** How `find` reads a name. */
export interface FindOptions {
  /** Accept the name of a link too. Never for anything that is granted. */
  readonly alias?: boolean;
}

/** Hears how far the scan is that somebody waits for. */
export type ProgressListener = (progress: ScanProgress) => void;

/**
 * Scans when first asked, or at `start()`. Calls that come together share one
 * scan; a snapshot, once given out, never changes.
 */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #listeners = new Set<ProgressListener>();
  #current: Snapshot | undefined;
  #running: Promise<Snapshot> | undefined;
  /** The running scan has begun to read: what is written now may be missed. */
  #reading = false;
  #next: Promise<Snapshot> | undefined;
  #memory = new ScanMemory();
  /** For the next scan; undefined: it looks at everything. */
  #hints: Set<string> | undefined;
  #search: { snapshot: Snapshot; search: SkillSearch } | undefined;

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  /** Begins the first scan without waiting for it. */
  start(): void {
    // A bug in the scan is told to whoever asks for the snapshot.
    this.snapshot().catch(() => {});
  }

  /** The snapshot in force, scanning first when there is none. */
  async snapshot(onProgress?: ProgressListener): Promise<Snapshot> {
    if (this.#current !== undefined) return this.#current;
    return await this.#heard(this.#running ?? this.#begin(), onProgress);
  }

  /**
   * A new snapshot of what is on disk now. While a scan runs, whose beginning
   * may be older than the change that is asked about, one more follows it.
   */
  async rescan(options: RescanOptions = {}): Promise<Snapshot> {
    this.#hint(options.hints);
    return await this.#heard(this.#fresh(), options.onProgress);
  }

  /**
   * The skill of this name; with `alias`, also of a link of this name. Refuses
   * with `UNKNOWN_SKILL`, naming the nearest real ones.
   */
  async find(name: string, options: FindOptions = {}): Promise<Result<Skill>> {
    return findSkill(await this.snapshot(), name, options);
  }

  /** The search over the snapshot in force; one per snapshot. */
  async search(): Promise<SkillSearch> {
    const snapshot = await this.snapshot();
    if (this.#search?.snapshot !== snapshot) {
      this.#search = { snapshot, search: new SkillSearch(snapshot) };
    }
    return this.#search.search;
  }

  /** Adds to what the next scan that begins has to look at. */
  #hint(hints: readonly string[] | undefined): void {
    if (hints === undefined) this.#hints = undefined;
    else for (const hint of hints) this.#hints?.add(hint);
  }

  #fresh(): Promise<Snapshot> {
    if (this.#running === undefined) return this.#begin();
    if (!this.#reading) return this.#running;
    this.#next ??= this.#running.then(() => {}, () => {}).then(() => {
      this.#next = undefined;
      return this.#fresh();
    });
    return this.#next;
  }

  #begin(): Promise<Snapshot> {
    const { roots, ...rest } = this.#options;
    const scan = Promise.resolve().then(() => {
      this.#reading = true;
      const hints = this.#hints && [...this.#hints];
      this.#hints = new Set();
      return scanRoots(roots, {
        ...rest,
        hints,
        memory: this.#memory,
        onProgress: (progress) => {
          for (const listener of this.#listeners) listener(progress);
        },
      });
    }).then((snapshot) => this.#current = snapshot, (error) => {
      // What was half done is no ground for the next scan.
      this.#memory = new ScanMemory();
      this.#hints = undefined;
      throw error;
    })
      .finally(() => {
        if (this.#running !== scan) return;
        this.#running = undefined;
        this.#reading = false;
      });
    this.#running = scan;
    return scan;
  }

  async #heard(
    scan: Promise<Snapshot>,
    listener: ProgressListener | undefined,
  ): Promise<Snapshot> {
    if (listener === undefined) return await scan;
    this.#listeners.add(listener);
    try {
      return await scan;
    } finally {
      this.#listeners.delete(listener);
    }
  }
}

/** As `Catalog.find`, in a snapshot at hand. */
function findSkill(
  snapshot: Snapshot,
  name: string,
  options: FindOptions = {},
): Result<Skill> {
  const skill = snapshot.skills.get(name);
  if (skill !== undefined) return ok(skill);
  const target = snapshot.aliases.get(name);
  if (target !== undefined) {
    const linked = snapshot.skills.get(target);
    if (options.alias === true && linked !== undefined) return ok(linked);
    return refuse(
      "UNKNOWN_SKILL",
      `"${visible(name)}" is a link to the skill ${target}, not a skill's name`,
      `Use the name ${target}.`,
    );
  }
  const refused = snapshot.problems.find((problem) =>
    problem.skill === name && problem.severity === "error"
  );
  if (refused !== undefined) {
    return refuse(
      "UNKNOWN_SKILL",
      `"${visible(name)}" is not served (${refused.reason}): ${refused.detail}`,
      refused.hint,
    );
  }
  return refuse(
    "UNKNOWN_SKILL",
    `there is no skill "${visible(name)}"`,
    hintFor(name, snapshot),
  );
}

function hintFor(name: string, snapshot: Snapshot): string {
  if (snapshot.skills.size === 0) {
    return "No skill is served; skill_list says why.";
  }
  const near = nearest(name, snapshot.skills.keys());
  return near.length === 0
    ? "skill_list names every skill."
    : `Did you mean ${near.join(", ")}? skill_list names every skill.`;
}
