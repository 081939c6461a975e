/** Telling what a run left behind, and having it kept a while. */

import type { Result } from "../base/refusal.ts";
import type { Account } from "../os/types.ts";
import type { Clock } from "./clock.ts";
import { findOutputs, type OutputSource } from "./outputs/find_outputs.ts";
import {
  type KeepLimits,
  KeptOutputs,
  type KeptRun,
  type StoredOutput,
} from "./outputs/kept_outputs.ts";
import type { ScratchKeeper } from "./disk/scratch.ts";
import { clearSetIds, SET_ID_ENTRIES } from "./outputs/set_ids.ts";
import { readTree, type TreeState } from "./outputs/tree_changes.ts";
import type { Output } from "./types.ts";

export type { StoredOutput } from "./outputs/kept_outputs.ts";

/** How much is kept, and how long. */
export interface OutputLimits extends KeepLimits {
  readonly filesPerRun: number;
  /** Entries walked in one directory before its changes are given up. */
  readonly entries: number;
}

/** The limits of the product. */
export const OUTPUT_LIMITS: OutputLimits = {
  keepMs: 60 * 60 * 1000,
  runs: 20,
  totalBytes: 256 * 1024 * 1024,
  filesPerRun: 1_000,
  entries: 20_000,
};

/** What a run left, and what is worth saying about it. */
export interface Collected {
  readonly outputs: readonly Output[];
  readonly hints: readonly string[];
}

/** Keeps outputs for an hour, of the last 20 runs, 256 MiB in all. */
export class OutputStore {
  readonly #limits: OutputLimits;
  readonly #kept: KeptOutputs;

  constructor(
    keeper: ScratchKeeper,
    clock: Clock,
    limits: OutputLimits = OUTPUT_LIMITS,
  ) {
    this.#limits = limits;
    this.#kept = new KeptOutputs(keeper, clock, limits);
  }

  /** A listing to compare with later; `setIds` as in `OutputSource`. */
  look(dir: string, setIds = false): Promise<TreeState> {
    const { entries } = this.#limits;
    return readTree(dir, entries, setIds ? SET_ID_ENTRIES : entries);
  }

  /**
   * Copies what is new or changed in the sources, which `account` wrote
   * (undefined: the server's own), and takes set-id bits off. Never throws.
   */
  async collect(
    sources: readonly OutputSource[],
    account?: Account,
  ): Promise<Collected> {
    const found = await findOutputs(sources, this.#limits.entries);
    const taken = found.files.slice(0, this.#limits.filesPerRun);
    const uid = account?.uid ?? Deno.uid();
    const hints = [...found.hints, ...clearSetIds(found.setIds, uid)];
    if (taken.length < found.files.length) {
      const left = found.files.length - taken.length;
      hints.push(
        `${left} more files were left or changed: only the first ${taken.length} are kept as outputs.`,
      );
    }
    let skipped = found.skipped;
    let run: KeptRun | undefined;
    if (taken.length > 0) {
      const begun = await this.#kept.begin();
      if (!begun.ok) {
        hints.push(`The outputs could not be kept: ${begun.message}`);
        return { outputs: [], hints };
      }
      run = begun.value;
      let tooMuch = 0;
      for (const file of taken) {
        const verdict = await this.#kept.keep(run, file, account);
        if (verdict === "too-much") tooMuch++;
        if (verdict === "unusable") skipped++;
      }
      if (tooMuch > 0) {
        hints.push(
          `${tooMuch} files are not kept as outputs: at most ${this.#limits.totalBytes} bytes are kept in all.`,
        );
      }
      await this.#kept.add(run);
    }
    if (skipped > 0) hints.push(skippedHint(skipped));
    const stored = [...run?.stored.values() ?? []];
    return { outputs: stored.map(({ output }) => output), hints };
  }

  /** The kept file of that id; `NOT_FOUND` says whether it has expired. */
  open(id: string): Promise<Result<StoredOutput>> {
    return this.#kept.open(id);
  }

  /** Forgets everything. The files go with the keeper's directories. */
  closeSync(): void {
    this.#kept.closeSync();
  }
}

function skippedHint(skipped: number): string {
  return `${
    skipped === 1 ? "1 entry is" : `${skipped} entries are`
  } not kept as outputs: links, files of several names, special files and what cannot be read are left out.`;
}
