/** Stopping a run that fills the disk: what it writes is counted as it runs. */

import { type Refusal, refuse } from "../../base/refusal.ts";
import { readStatus } from "../../os/wrapper.ts";
import type { Clock } from "../clock.ts";
import { removedFiles } from "./removed_files.ts";
import type { RunLimits } from "../plan/run_limits.ts";
import { type SandboxScratch, scratchUse } from "./sandbox_scratch.ts";
import { type StorageUse, storageUse } from "./storage_use.ts";

const MIB = 1024 * 1024;
/** From one count to the next. */
const INTERVAL_MS = 250;
/** A count that takes long is not repeated at once: it gets a third of the time. */
const REST = 2;
/** What Deno writes about its permissions may grow so far, in bytes. */
export const AUDIT_BYTES: number = 64 * MIB;

const NOTHING = { bytes: 0, files: 0 };
const REMOVED =
  "files that are removed while they are open: this server may not look at the script's descriptors";
const IN_SCRATCH =
  "files in scratch: this server may not look into the sandbox, only the size of the scratch holds";

/** What is counted. Paths are absolute and real. */
export interface WatchedStorage {
  /** Directories on the host: outputs, data, a scratch that is one. */
  readonly dirs: readonly string[];
  /** The scratch of a sandbox, and what else is a file system of its own there. */
  readonly inside?: readonly SandboxScratch[];
  /** The status file of a program that holds a sandbox; see `readStatus`. */
  readonly status?: string;
  /** The file that the runtime writes its permission checks to. */
  readonly audit?: string;
}

/** How a `StorageWatch` is set up. */
export interface StorageWatchOptions {
  readonly storage: WatchedStorage;
  readonly limits: Pick<RunLimits, "diskMiB" | "files">;
  readonly clock: Clock;
}

/** Counts before, during and after one run. */
export class StorageWatch {
  readonly #storage: WatchedStorage;
  readonly #limits: StorageWatchOptions["limits"];
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  /** How often what lies out of sight could not be seen. */
  readonly #closedLooks = new Map<string, number>();
  #callOff: () => void = () => {};
  #leader: number | undefined;
  #counting: Promise<void> = Promise.resolve();

  constructor({ storage, limits, clock }: StorageWatchOptions) {
    this.#storage = storage;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Aborts once the limit is passed; the reason says so in a sentence. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** In words, what cannot be counted. */
  get notCounted(): readonly string[] {
    return [...this.#closedLooks].filter(([_, looks]) => looks > 1)
      .map(([at]) => at);
  }

  /** `OVER_LIMIT` when there is too much already. */
  async before(): Promise<Refusal | undefined> {
    const problem = await this.#problem();
    if (problem === undefined) return undefined;
    return refuse(
      "OVER_LIMIT",
      `Nothing was started: before the run ${problem}.`,
      "Remove what is not needed from the skill's data directory, or raise disk or files in SKILLFENCE_LIMITS and the skill's declaration.",
    );
  }

  /** Begins to count what the child with this number does, until `end`. */
  start(pid: number): void {
    this.#leader = pid;
    this.#later(INTERVAL_MS);
  }

  /**
   * Counts a last time. The reason when the run went over a limit, whether or
   * not it was stopped for it.
   */
  async end(): Promise<string | undefined> {
    this.#leader = undefined;
    this.#callOff();
    await this.#counting;
    if (!this.signal.aborted) await this.#count();
    return this.signal.aborted ? String(this.signal.reason) : undefined;
  }

  #later(ms: number): void {
    if (this.#leader === undefined || this.signal.aborted) return;
    this.#callOff = this.#clock.idle(ms, () => {
      const began = this.#clock.now();
      this.#counting = this.#count().then(() => {
        const took = this.#clock.now() - began;
        this.#later(Math.max(INTERVAL_MS, REST * took));
      });
    });
  }

  async #count(): Promise<void> {
    const problem = await this.#problem();
    if (problem !== undefined) this.#controller.abort(`${problem}.`);
  }

  /** What is wrong, in words; undefined when nothing is. */
  async #problem(): Promise<string | undefined> {
    const { dirs, audit } = this.#storage;
    if (audit !== undefined && sizeOf(audit) > AUDIT_BYTES) {
      return "it asked for permissions so often that their record is full";
    }
    const unseen = this.#outOfSight();
    const { diskMiB, files } = this.#limits;
    const use = await storageUse(dirs, {
      bytes: diskMiB * MIB - unseen.bytes,
      files: files - unseen.files,
    });
    return this.#verdict({
      closed: use.closed,
      bytes: use.bytes + unseen.bytes,
      files: use.files + unseen.files,
    });
  }

  /** What no path of ours leads to, and what ends with the process. */
  #outOfSight(): { bytes: number; files: number } {
    const { dirs, inside = [] } = this.#storage;
    const pid = this.#pid();
    if (pid === undefined) return NOTHING;
    const removed = removedFiles(pid, dirs);
    this.#noteLook(REMOVED, removed === undefined);
    const uses = inside.map((one) => scratchUse(one, pid));
    const looked = uses.filter((use) => use !== "not yet");
    if (looked.length > 0) {
      this.#noteLook(IN_SCRATCH, looked.includes("closed"));
    }
    return [removed, ...uses].reduce<{ bytes: number; files: number }>(
      (sum, part) =>
        typeof part === "object"
          ? { bytes: sum.bytes + part.bytes, files: sum.files + part.files }
          : sum,
      NOTHING,
    );
  }

  /** Nobody may look at a process that begins or ends: one good look will do. */
  #noteLook(at: string, closed: boolean): void {
    const before = this.#closedLooks.get(at) ?? 0;
    this.#closedLooks.set(at, closed ? before + 1 : -Infinity);
  }

  /** The script's own process, while there is one. */
  #pid(): number | undefined {
    const { status } = this.#storage;
    return this.#leader === undefined || status === undefined
      ? this.#leader
      : readStatus(status).childPid ?? this.#leader;
  }

  #verdict({ bytes, files, closed }: StorageUse): string | undefined {
    const { diskMiB, files: most } = this.#limits;
    const where = "in its scratch, outputs and data together";
    if (bytes > diskMiB * MIB) {
      return `there were more than ${diskMiB} MiB ${where}`;
    }
    if (files > most) return `there were more than ${most} files ${where}`;
    return closed
      ? `something ${where} could not be counted: a directory is closed or lies too deep`
      : undefined;
  }
}

function sizeOf(path: string): number {
  try {
    return Deno.lstatSync(path).size;
  } catch {
    return 0;
  }
}
