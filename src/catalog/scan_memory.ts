/** What a catalogue keeps from one scan to the next. */

import type { Finding } from "../skill/types.ts";
import type { Bundle } from "./bundle.ts";
import { Hints } from "./hints.ts";
import type { Reading } from "./read_skill.ts";
import type { SharedReading } from "./shared_files.ts";
import { StampedMemory } from "./stamped_memory.ts";
import type { SharedFile, Skill } from "./types.ts";
import { WalkMemory } from "./walk_memory.ts";

/** What was made of a bundle that may be recalled. */
export interface MadeOf {
  readonly name: string;
  readonly reading: Reading;
  readonly findings: readonly Finding[];
  readonly skill: Skill;
  /** Copies counted for it. */
  readonly hadCopies: boolean;
}

/** A root as it is found by a scan. */
export interface FoundRoot {
  readonly path: string;
  readonly realPath: string;
  readonly ino: number | null;
  readonly workspace: string | undefined;
}

/**
 * Given to one scan after another, never to two at once. What a scan did not
 * use is forgotten at its end.
 */
export class ScanMemory {
  readonly readings: StampedMemory<Reading> = new StampedMemory();
  readonly sharedReadings: StampedMemory<SharedReading> = new StampedMemory();
  /** Lasts as long as the walk recalls the bundle. */
  readonly made: WeakMap<Bundle, MadeOf> = new WeakMap();
  #shared: ReadonlyMap<string, SharedFile> = new Map();
  readonly #roots = new Map<number, { root: FoundRoot; walk: WalkMemory }>();

  /** Shared files of the last scan, by id. */
  get shared(): ReadonlyMap<string, SharedFile> {
    return this.#shared;
  }

  /**
   * What is known of a root, of which only what the hints do not touch counts.
   * Another directory in its place is a root of its own.
   */
  walkOf(
    index: number,
    root: FoundRoot,
    hints: readonly string[] | undefined,
  ): WalkMemory {
    const known = this.#roots.get(index);
    const isSame = known !== undefined && root.ino !== null &&
      known.root.realPath === root.realPath && known.root.ino === root.ino &&
      known.root.workspace === root.workspace;
    const walk = isSame ? known.walk : new WalkMemory();
    walk.begin(hints === undefined ? undefined : new Hints(hints, root));
    this.#roots.set(index, { root, walk });
    return walk;
  }

  /** Ends a scan that found these shared files. */
  end(shared: ReadonlyMap<string, SharedFile>): void {
    this.#shared = shared;
    this.readings.turn();
    this.sharedReadings.turn();
  }
}
