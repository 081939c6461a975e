/** The files of the last runs, in directories of ours: room, age and expiry. */

import { join } from "node:path";
import { mediaType } from "../../base/media_type.ts";
import { ok, refuse, type Result } from "../../base/refusal.ts";
import type { Account } from "../../os/types.ts";
import type { Clock } from "../clock.ts";
import { copyRegularFile } from "./copy_file.ts";
import type { FoundFile } from "./find_outputs.ts";
import type { ScratchKeeper } from "../disk/scratch.ts";
import type { Output } from "../types.ts";

/** How much is kept, and how long. */
export interface KeepLimits {
  readonly keepMs: number;
  readonly runs: number;
  readonly totalBytes: number;
}

/** A kept file. `file` is an absolute path of ours: read it, never show it. */
export interface StoredOutput {
  readonly output: Output;
  readonly file: string;
}

/** The kept files of one run. */
export interface KeptRun {
  readonly dir: string;
  readonly until: number;
  readonly stored: Map<string, StoredOutput>;
  bytes: number;
}

/** How many ended ids are remembered, to tell "expired" from "never was". */
const REMEMBERED_IDS = 10_000;

/** Keeps files within bounds, the oldest run's going first. */
export class KeptOutputs {
  readonly #keeper: ScratchKeeper;
  readonly #clock: Clock;
  readonly #limits: KeepLimits;
  /** Oldest first. */
  #runs: KeptRun[] = [];
  readonly #ended = new Set<string>();
  #bytes = 0;
  #callOffExpiry: () => void = () => {};

  constructor(keeper: ScratchKeeper, clock: Clock, limits: KeepLimits) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** An empty place for a run's files. Refuses as the keeper does. */
  async begin(): Promise<Result<KeptRun>> {
    const made = await this.#keeper.makeDir();
    if (!made.ok) return made;
    const until = this.#clock.now() + this.#limits.keepMs;
    return ok({ dir: made.value, until, stored: new Map(), bytes: 0 });
  }

  /**
   * Copies a file that `account` wrote (undefined: the server's own) into a
   * run's place, for which older runs may have to go.
   */
  async keep(
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

  /** Makes a run's files readable by id, until they expire. */
  async add(run: KeptRun): Promise<void> {
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
