/** Executing a Plan: that Plan, and nothing else. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { askedFor, onlyRequests } from "../evidence/asked_for.ts";
import type { UpstreamSettings } from "../proxy/route.ts";
import type { RunProxy } from "../proxy/types.ts";
import { type Clock, systemClock } from "./clock.ts";
import { closeDataDir, ensureDataDir } from "./disk/data_dir.ts";
import type { OutputSource } from "./outputs/find_outputs.ts";
import { runHints } from "./run/hints.ts";
import { OutputStore } from "./outputs.ts";
import { RunQueue } from "./queue.ts";
import { runChild } from "./run/run_child.ts";
import { runEvidence } from "./run/run_evidence.ts";
import { RunProgress } from "./run/run_progress.ts";
import { SandboxFilters } from "./run/sandbox_filters.ts";
import { type Scratch, ScratchKeeper } from "./disk/scratch.ts";
import { Spawner } from "./run/spawn.ts";
import { EMPTY_TREE } from "./outputs/tree_changes.ts";
import type { Plan, PreparedRun, RunResult } from "./types.ts";

/** How a `Runner` is set up. */
export interface RunnerOptions {
  /** Runs at once. */
  readonly maxRuns: number;
  /** The server itself has a proxy variable. */
  readonly behindProxy: boolean;
  /** The system's temporary directory. */
  readonly tmpDir: string;
  /** The server's own proxy, for the runs' proxies to go through. */
  readonly upstream: UpstreamSettings;
  /** Certificates (PEM) that the runs' proxies trust beside the usual ones. */
  readonly certificates: () => Promise<readonly string[]>;
  /** Called when a layer of the operating system failed to set up a run. */
  readonly onLayerFailed: () => void;
  readonly clock?: Clock;
}

/** What a caller may add to one run. */
export interface RunOptions {
  /** Ends the run, or the wait for it, at once. */
  readonly signal?: AbortSignal;
  /** Called every two seconds while waiting or running, never afterwards. */
  readonly onProgress?: (message: string) => void;
  /**
   * Asked once the turn has come, if it had to be waited for: files may have
   * changed since the Plan was made. A refusal is passed on; nothing starts.
   */
  readonly afterWaiting?: () => Promise<Result<unknown>>;
  /** False: files that it leaves go with its scratch. */
  readonly keepOutputs?: false;
}

/** Runs Plans one after the other and owns everything they leave behind. */
export class Runner {
  /** Files that runs left, readable by id. */
  readonly outputs: OutputStore;
  readonly #options: RunnerOptions;
  readonly #clock: Clock;
  readonly #queue: RunQueue;
  readonly #keeper: ScratchKeeper;
  readonly #spawner: Spawner;
  readonly #filters = new SandboxFilters();
  readonly #proxies = new Set<RunProxy>();

  constructor(options: RunnerOptions) {
    const clock = options.clock ?? systemClock;
    this.#options = options;
    this.#clock = clock;
    this.#queue = new RunQueue({ slots: options.maxRuns, clock });
    this.#keeper = new ScratchKeeper(options.tmpDir);
    this.#spawner = new Spawner(clock);
    this.outputs = new OutputStore(this.#keeper, clock);
  }

  /**
   * Runs `prepared.plan` to its end. A refusal (`BUSY`, `CANCELLED`,
   * `PREFLIGHT`, `SPAWN_FAILED`) means that nothing was started.
   */
  async run(
    prepared: PreparedRun,
    options: RunOptions = {},
  ): Promise<Result<RunResult>> {
    const progress = new RunProgress(this.#clock, options.onProgress);
    try {
      progress.say(() =>
        `waiting for its turn, ${this.#queue.waiting} in line`
      );
      const waits = this.#queue.busy;
      const entered = await this.#queue.enter(options.signal);
      if (!entered.ok) return entered;
      try {
        const holds = waits ? await options.afterWaiting?.() : undefined;
        if (holds?.ok === false) return holds;
        return await this.#runNow(prepared, options, progress);
      } finally {
        entered.value();
      }
    } finally {
      progress.stop();
    }
  }

  /** Removes what ended servers left in the temporary directory. */
  sweep(): Promise<number> {
    return this.#keeper.sweep();
  }

  /**
   * Kills every run and removes every directory at once. For signal handlers
   * and the end of stdin; nothing can be run afterwards.
   */
  closeSync(): void {
    this.#queue.close();
    this.#spawner.closeSync();
    for (const proxy of this.#proxies) proxy.closeSync();
    this.outputs.closeSync();
    this.#keeper.closeSync();
  }

  async #runNow(
    prepared: PreparedRun,
    { signal, keepOutputs }: RunOptions,
    progress: RunProgress,
  ): Promise<Result<RunResult>> {
    const { plan } = prepared;
    if (!isFile(prepared.runtimePath)) {
      return refuse(
        "NO_RUNTIME",
        "The script runtime of this plan is gone.",
        "Call again: another one is looked for then.",
      );
    }
    if (plan.dataDir !== null) {
      const ensured = await ensureDataDir(plan.dataDir, prepared.account);
      if (!ensured.ok) return ensured;
    }
    const made = await this.#keeper.makeScratch(
      prepared.files,
      prepared.account,
    );
    if (!made.ok) return made;
    const scratch = made.value;
    try {
      const sources = keepOutputs === false
        ? []
        : await this.#sources(plan, scratch);
      const started = this.#clock.now();
      progress.say(() =>
        `running for ${
          Math.round((this.#clock.now() - started) / 1000)
        } s of at most ${plan.timeoutMs / 1000} s`
      );
      const child = await runChild(prepared, scratch, {
        spawner: this.#spawner,
        filters: this.#filters,
        clock: this.#clock,
        upstream: this.#options.upstream,
        certificates: this.#options.certificates,
        proxies: this.#proxies,
        onLayerFailed: this.#options.onLayerFailed,
      }, signal);
      if (!child.ok) {
        return child;
      }
      const { ended, record, notEnforced } = child.value;
      const evidence = await runEvidence(prepared, scratch, record);
      const collected = await this.outputs.collect(
        sources,
        prepared.account,
      );
      return ok({
        skill: plan.skill,
        script: plan.script,
        interpreter: plan.interpreter,
        exitCode: ended.exitCode,
        signal: ended.signal,
        timedOut: ended.timedOut,
        cancelled: ended.cancelled,
        overLimit: ended.overLimit ?? null,
        stdout: ended.stdout,
        stderr: ended.stderr,
        outputs: collected.outputs,
        durationMs: ended.durationMs,
        env: [...plan.env.handed],
        planDigest: plan.digest,
        evidence,
        limits: {
          enforced: plan.limits.enforced,
          notEnforced: [...plan.limits.notEnforced, ...notEnforced],
        },
        hints: [
          ...runHints({
            plan,
            ended,
            behindProxy: this.#options.behindProxy,
          }),
          ...askedFor(evidence),
          ...onlyRequests(evidence),
          ...collected.hints,
        ],
      });
    } finally {
      if (plan.dataDir !== null) closeDataDir(plan.dataDir);
      await this.#keeper.remove(scratch.base);
    }
  }

  async #sources(plan: Plan, scratch: Scratch): Promise<OutputSource[]> {
    // Elsewhere the filter of system calls refuses such bits.
    const setIds = plan.confinement.by === "none";
    const sources: OutputSource[] = [
      { label: "out", dir: scratch.out, before: EMPTY_TREE, setIds },
    ];
    const look = async (label: "data" | "workspace", dir: string) => {
      const before = await this.outputs.look(dir, setIds);
      sources.push({ label, dir, before, setIds });
    };
    if (plan.dataDir !== null) await look("data", plan.dataDir);
    if (plan.workspace?.mode === "write") {
      await look("workspace", plan.workspace.dir);
    }
    return sources;
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
