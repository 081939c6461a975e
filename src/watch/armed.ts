/** Which directories are watched, in chunks that are let go of as a whole. */

import { dirname } from "node:path";
import type { OpenWatch } from "./effects.ts";

interface Chunk {
  readonly paths: ReadonlySet<string>;
  readonly watch: OpenWatch;
}

/** The book of them; opens and closes nothing. */
export class Armed {
  readonly #chunks = new Set<Chunk>();
  /** The identity each directory had when it was armed. */
  readonly #identities = new Map<string, string>();
  /** Directories that went, or whose place was taken. */
  readonly #gone = new Set<string>();

  /** Notes a watch of these directories, by path and identity. */
  add(watch: OpenWatch, directories: ReadonlyMap<string, string>): void {
    this.#chunks.add({ paths: new Set(directories.keys()), watch });
    for (const [path, identity] of directories) {
      this.#identities.set(path, identity);
    }
  }

  /** Whether this directory is watched. */
  has(path: string): boolean {
    return this.#identities.has(path);
  }

  /** All of them, with the identity each had. */
  identities(): [string, string][] {
    return [...this.#identities];
  }

  /** Notes a directory that went or was replaced, and all below it. */
  gone(path: string): void {
    this.#gone.add(path);
  }

  /** Directories that are watched, but gone or not wanted any more. */
  stale(wanted: ReadonlySet<string>): string[] {
    return [...this.#identities.keys()].filter((path) =>
      !wanted.has(path) || this.#wentWith(path)
    );
  }

  /** Which of these are not watched, or not what is there now. */
  missing(wanted: ReadonlySet<string>, tops: readonly string[]): string[] {
    const top = new Set(tops);
    return [...wanted].filter((path) =>
      !top.has(path) && (!this.#identities.has(path) || this.#wentWith(path))
    );
  }

  /** Forgets such watches, which are to be closed. */
  drop(wanted: ReadonlySet<string>): OpenWatch[] {
    const chunks = this.#staleChunks(wanted);
    this.#gone.clear();
    for (const chunk of chunks) {
      this.#chunks.delete(chunk);
      for (const path of chunk.paths) this.#identities.delete(path);
    }
    return chunks.map(({ watch }) => watch);
  }

  /** Forgets all, which are to be closed. */
  clear(): OpenWatch[] {
    const watches = [...this.#chunks].map(({ watch }) => watch);
    this.#chunks.clear();
    this.#identities.clear();
    this.#gone.clear();
    return watches;
  }

  #staleChunks(wanted: ReadonlySet<string>): Chunk[] {
    return [...this.#chunks].filter(({ paths }) =>
      [...paths].some((path) => !wanted.has(path) || this.#wentWith(path))
    );
  }

  /** Whether it is gone, or a directory that it lies in. */
  #wentWith(path: string): boolean {
    if (this.#gone.size === 0) return false;
    for (let at = path;;) {
      if (this.#gone.has(at)) return true;
      const parent = dirname(at);
      if (parent === at) return false;
      at = parent;
    }
  }
}
