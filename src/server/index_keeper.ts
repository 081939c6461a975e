/** Keeps the index that hooks match against, beside serving. */

import type { Result } from "../base/refusal.ts";
import type { Snapshot } from "../catalog/types.ts";
import type { Config } from "../config/types.ts";

/** Milliseconds after which the stamps of what has just changed can be told apart. */
const SETTLED_MS = 2_500;

/** What it is made of. */
export interface KeeperParts {
  readonly config: Pick<Config, "roots" | "maxSkills" | "complaints">;
  /** The program's own. */
  readonly version: string;
  /** Absolute real directories that are worked in. */
  readonly workspaces: () => Promise<readonly string[]>;
  readonly cache: {
    candidates(): readonly string[];
    get(): Promise<
      Result<{ readonly path: string; readonly temporary: boolean }>
    >;
  };
  /** Absolute paths of the directories that the newest scan read. */
  readonly walked: () => Iterable<string>;
  /** Runs once, after so many milliseconds. */
  readonly after: (ms: number, run: () => void) => void;
  /** Asks for one more look at everything, of which this hears. */
  readonly lookAgain: () => void;
  /** Hears why an index could not be kept. */
  readonly onError: (error: unknown) => void;
}

/**
 * Best effort, and nobody waits for it: a hook that finds no index makes one.
 * One index for each snapshot that moved something; one more look follows where
 * files had changed just before.
 */
export class IndexKeeper {
  readonly #parts: KeeperParts;
  #kept = false;
  /** The newest index has to be made again. */
  #again = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** A look has ended; `moved` says whether it found anything new. */
  looked(snapshot: Snapshot, moved: boolean): void {
    if (this.#kept && !moved && !this.#again) return;
    // One that follows a move; it is not followed by another.
    const following = this.#kept && !moved;
    this.#kept = true;
    this.#again = false;
    const walked = [...this.#parts.walked()];
    this.#writing = this.#writing
      .then(() => this.#keep(snapshot, walked, following))
      .catch(this.#parts.onError);
  }

  async #keep(
    snapshot: Snapshot,
    walked: readonly string[],
    following: boolean,
  ): Promise<void> {
    const { config, version, cache, after, lookAgain } = this.#parts;
    // What has mistakes is told by `match`; where nothing is kept, nothing is.
    if (config.complaints.length > 0 || cache.candidates().length === 0) return;
    const workspaces = await this.#parts.workspaces();
    const { roots, maxSkills } = config;
    if (roots.length === 0 && workspaces.length === 0) return;
    const place = await cache.get();
    if (!place.ok || place.value.temporary) return;
    const { keepIndex } = await import("../context/keep_index.ts");
    const sure = await keepIndex({
      ground: { version, roots, maxSkills, workspaces },
      snapshot,
      walked,
      cache: place.value.path,
    });
    if (sure || following) return;
    after(SETTLED_MS, () => {
      this.#again = true;
      lookAgain();
    });
  }
}
