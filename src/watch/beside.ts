/** Directories in which single files count, besides those of skills and prompts. */

import { isWithin } from "../base/place.ts";
import type { WatchEffects } from "./effects.ts";

/** Such files. */
export interface WatchedFiles {
  /** Absolute; some may not be there. */
  readonly directories: ReadonlySet<string>;
  /** Whether an absolute path may be one of them. */
  matters(path: string): boolean;
}

/** Those that are to be watched now. */
export class Beside {
  readonly #effects: Pick<WatchEffects, "realPath" | "identity">;
  #files: WatchedFiles = { directories: new Set(), matters: () => false };
  /** What was seen at each top; undefined: nothing was. */
  #seen = new Map<string, string | undefined>();
  /** Directories that were not there when they were to be watched. */
  #missing: readonly string[] = [];
  #unarmed = false;

  constructor(effects: Pick<WatchEffects, "realPath" | "identity">) {
    this.#effects = effects;
  }

  /** Takes these in place of those before. */
  set(files: WatchedFiles): void {
    this.#files = files;
  }

  /** The outermost directories that are there, as of now. */
  tops(): readonly string[] {
    const all = [...this.#files.directories];
    const outer = all.filter((path) =>
      !all.some((other) => other !== path && isWithin(path, other))
    );
    this.#seen = new Map(outer.map((path) => [path, this.#look(path)]));
    return outer.filter((path) => this.#seen.get(path) !== undefined);
  }

  /** The tops were armed, but for these. */
  opened(failed: ReadonlyMap<string, string>): void {
    this.#unarmed = [...this.#seen.keys()].some((path) => failed.has(path));
  }

  /** Whether a top that is there is not watched. */
  get failing(): boolean {
    return this.#unarmed;
  }

  /** Whether this directory is a top. */
  isTop(path: string): boolean {
    return this.#seen.has(path);
  }

  /** Whether a top is not what it was. */
  moved(): boolean {
    return [...this.#seen].some(([path, seen]) => this.#look(path) !== seen);
  }

  /** All directories that are there, and no links to others; the rest is missed. */
  there(): readonly string[] {
    const all = [...this.#files.directories];
    const there = all.filter((path) => this.#look(path) !== undefined);
    this.#missing = all.filter((path) => !there.includes(path));
    return there;
  }

  /** Whether one that was missed has come. */
  came(): boolean {
    return this.#missing.some((path) => this.#look(path) !== undefined);
  }

  /** Whether an event at this path may be about one of the files. */
  matters(path: string): boolean {
    return this.#files.matters(path);
  }

  #look(path: string): string | undefined {
    try {
      return this.#effects.realPath(path) === path
        ? this.#effects.identity(path)
        : undefined;
    } catch {
      return undefined;
    }
  }
}
