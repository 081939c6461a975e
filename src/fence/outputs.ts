/** Files that runs left behind, copied to a place of ours and kept a while. */

import { join } from "node:path";
import { mediaType } from "../base/media_type.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import type { Account } from "../os/types.ts";
import type { Clock } from "./clock.ts";
import { copyRegularFile } from "./copy_file.ts";
import {
  findOutputs,
  type FoundFile,
  type OutputSource,
} from "./find_outputs.ts";
import type { ScratchKeeper } from "./scratch.ts";
import { clearSetIds, SET_ID_ENTRIES } from "./set_ids.ts";
import { readTree, type TreeState } from "./tree_changes.ts";
import type { Output } from "./types.ts";

/** How much is kept, and how long. */
export interface OutputLimits {
  readonly keepMs: number;
  readonly runs: number;
  readonly totalBytes: number;
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

/** A kept file. `file` is an absolute path of ours: read it, never show it. */
export interface StoredOutput {
  readonly output: Output;
  readonly file: string;
}

interface KeptRun {
  readonly dir: string;
  readonly until: number;
  readonly stored: Map<string, StoredOutput>;
  bytes: number;
}

/** How many ended ids are remembered, to tell "expired" from "never was". */
const REMEMBERED_IDS = 10_000;

/** Keeps outputs for an hour, of the last 20 runs, 256 MiB in all. */
export class OutputStore {
  readonly #keeper: ScratchKeeper;
  readonly #clock: Clock;
  readonly #limits: OutputLimits;
  /** Oldest first. */
  #runs: KeptRun[] = [];
  readonly #ended = new Set<string>();
  #bytes = 0;
  #callOffExpiry: () => void = () => {};

  constructor(
    keeper: ScratchKeeper,
    clock: Clock,
    limits: OutputLimits = OUTPUT_LIMITS,
  ) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#limits = limits;
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
      const made = await this.#keeper.makeDir();
      if (!made.ok) {
        hints.push(`The outputs could not be kept: ${made.message}`);
        return { outputs: [], hints };
      }
      run = this.#newRun(made.value);
      let tooMuch = 0;
      for (const file of taken) {
        const verdict = await this.#keep(run, file, account);
        if (verdict === "too-much") tooMuch++;
        if (verdict === "unusable") skipped++;
      }
      if (tooMuch > 0) {
        hints.push(
          `${tooMuch} files are not kept as outputs: at most ${this.#limits.totalBytes} bytes are kept in all.`,
        );
      }
      await this.#add(run);
    }
    if (skipped > 0) hints.push(skippedHint(skipped));
    const stored = [...run?.stored.values() ?? []];
    return { outputs: stored.map(({ output }) => output), hints };
  }

  #newRun(dir: string): KeptRun {
    const until = this.#clock.now() + this.#limits.keepMs;
    return { dir, until, stored: new Map(), bytes: 0 };
  }

  /** The kept file of that id; `NOT_FOUND` says whether it has expired. */
  async open(id: string): Promise<Result<StoredOutput>> {
    await this.#expire();
    for (const run of this.#runs) {
      const stored = run.stored.get(id);
      if (stored === undefined) continue;
      if (await isFile(stored.file)) return ok(stored);
      return notFound("That output is no longer on disk.");
    }
    return notFound(
      this.#ended.has(id)
        ? "That output has expired."
        : "There is no output of that id.",
    );
  }

  /** Forgets everything. The files go with the keeper's directories. */
  closeSync(): void {
    this.#callOffExpiry();
    this.#runs = [];
    this.#bytes = 0;
  }

  async #keep(
    run: KeptRun,
    { label, from, path }: FoundFile,
    account: Account | undefined,
  ): Promise<"kept" | "too-much" | "unusable"> {
    const size = await sizeOf(from);
    if (size === undefined) return "unusable";
    // A file of holes that never fits must not cost the others their place.
    if (size > this.#limits.totalBytes) return "too-much";
    while (this.#bytes + size > this.#limits.totalBytes) {
      const oldest = this.#runs.shift();
      if (oldest === undefined) return "too-much";
      await this.#drop(oldest);
    }
    // Reserved before the copy, so that two runs cannot take the same room.
    this.#bytes += size;
    const file = join(run.dir, String(run.stored.size));
    const copied = await copyRegularFile(from, file, size, account);
    this.#bytes -= size - (copied?.size ?? 0);
    if (copied === undefined) return "unusable";
    run.bytes += copied.size;
    const id = crypto.randomUUID().replaceAll("-", "");
    const output: Output = {
      id,
      path: `${label}/${path}`,
      size: copied.size,
      mediaType: mediaType(path),
      sha256: copied.sha256,
    };
    run.stored.set(id, { output, file });
    return "kept";
  }

  async #add(run: KeptRun): Promise<void> {
    if (run.stored.size === 0) {
      await this.#keeper.remove(run.dir);
      return;
    }
    this.#runs.push(run);
    while (this.#runs.length > this.#limits.runs) {
      const oldest = this.#runs.shift();
      if (oldest !== undefined) await this.#drop(oldest);
    }
    this.#armExpiry();
  }

  async #expire(): Promise<void> {
    const now = this.#clock.now();
    const ended = this.#runs.filter((run) => run.until <= now);
    this.#runs = this.#runs.filter((run) => run.until > now);
    for (const run of ended) await this.#drop(run);
    this.#armExpiry();
  }

  #armExpiry(): void {
    this.#callOffExpiry();
    const [oldest] = this.#runs;
    if (oldest === undefined) return;
    this.#callOffExpiry = this.#clock.idle(
      oldest.until - this.#clock.now(),
      () => void this.#expire(),
    );
  }

  async #drop(run: KeptRun): Promise<void> {
    this.#bytes -= run.bytes;
    for (const id of run.stored.keys()) this.#ended.add(id);
    for (const id of this.#ended) {
      if (this.#ended.size <= REMEMBERED_IDS) break;
      this.#ended.delete(id);
    }
    await this.#keeper.remove(run.dir);
  }
}

function skippedHint(skipped: number): string {
  return `${
    skipped === 1 ? "1 entry is" : `${skipped} entries are`
  } not kept as outputs: links, files of several names, special files and what cannot be read are left out.`;
}

function notFound(message: string): Result<never> {
  return refuse(
    "NOT_FOUND",
    message,
    "Outputs are kept for an hour, of the last 20 runs, 256 MiB in all. Run the script again.",
  );
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const info = await Deno.lstat(path);
    return info.isFile ? info.size : undefined;
  } catch {
    return undefined;
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await sizeOf(path)) !== undefined;
}
