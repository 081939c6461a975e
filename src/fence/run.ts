/** Executing a Plan: that Plan, and nothing else. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { type Clock, systemClock } from "./clock.ts";
import { dataLimit } from "./data_limit.ts";
import { ensureDataDir } from "./data_dir.ts";
import { fillIn } from "./fill_in.ts";
import type { OutputSource } from "./find_outputs.ts";
import { runHints } from "./hints.ts";
import { OutputStore } from "./outputs.ts";
import { RunQueue } from "./queue.ts";
import { type Scratch, ScratchKeeper } from "./scratch.ts";
import { Spawner } from "./spawn.ts";
import { EMPTY_TREE } from "./tree_changes.ts";
import type { Plan, PreparedRun, RunResult } from "./types.ts";

/** How often a waiting or running call says so. */
const PROGRESS_MS = 2_000;

/** How a `Runner` is set up. */
export interface RunnerOptions {
  /** Runs at once. */
  readonly maxRuns: number;
  /** The server itself has a proxy variable. */
  readonly behindProxy: boolean;
  /** The system's temporary directory. */
  readonly tmpDir: string;
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
   * `SPAWN_FAILED`) means that nothing was started.
   */
  async run(
    prepared: PreparedRun,
    options: RunOptions = {},
  ): Promise<Result<RunResult>> {
    const progress = new Progress(this.#clock, options.onProgress);
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
        return await this.#runNow(prepared, options.signal, progress);
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
    this.outputs.closeSync();
    this.#keeper.closeSync();
  }

  async #runNow(
    prepared: PreparedRun,
    signal: AbortSignal | undefined,
    progress: Progress,
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
      const ensured = await ensureDataDir(plan.dataDir);
      if (!ensured.ok) return ensured;
    }
    const made = await this.#keeper.makeScratch(prepared.files);
    if (!made.ok) return made;
    const scratch = made.value;
    try {
      const sources = await this.#sources(plan, scratch);
      const started = this.#clock.now();
      progress.say(() =>
        `running for ${
          Math.round((this.#clock.now() - started) / 1000)
        } s of at most ${plan.timeoutMs / 1000} s`
      );
      const ended = await this.#spawner.run({
        path: prepared.runtimePath,
        args: fillIn(plan.flags, plan.argv.length, scratch),
        cwd: plan.cwd,
        env: environment(prepared, scratch),
        stdin: prepared.stdin,
        timeoutMs: plan.timeoutMs,
        outputBytes: plan.limits.outputBytesPerStream,
        dataLimit: await dataLimit(),
        signal,
      });
      if (!ended.ok) return ended;
      const collected = await this.outputs.collect(sources);
      return ok({
        skill: plan.skill,
        script: plan.script,
        interpreter: plan.interpreter,
        exitCode: ended.value.exitCode,
        signal: ended.value.signal,
        timedOut: ended.value.timedOut,
        cancelled: ended.value.cancelled,
        stdout: ended.value.stdout,
        stderr: ended.value.stderr,
        outputs: collected.outputs,
        durationMs: ended.value.durationMs,
        env: [...plan.env.handed],
        planDigest: plan.digest,
        hints: [
          ...runHints({
            plan,
            ended: ended.value,
            behindProxy: this.#options.behindProxy,
          }),
          ...collected.hints,
        ],
      });
    } finally {
      await this.#keeper.remove(scratch.base);
    }
  }

  async #sources(plan: Plan, scratch: Scratch): Promise<OutputSource[]> {
    const sources: OutputSource[] = [
      { label: "out", dir: scratch.out, before: EMPTY_TREE },
    ];
    const look = async (label: "data" | "workspace", dir: string) => {
      sources.push({ label, dir, before: await this.outputs.look(dir) });
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

/** Values for the names the Plan hands over, and for no others. */
function environment(
  { plan, values }: PreparedRun,
  scratch: Scratch,
): Record<string, string> {
  const known = new Map(Object.entries(values));
  known.set("HOME", scratch.scratch);
  known.set("TMPDIR", scratch.scratch);
  known.set("SKILL_OUT", scratch.out);
  known.set("DENO_DIR", scratch.denodir);
  const handed = new Set(plan.env.handed);
  return Object.fromEntries([...known].filter(([name]) => handed.has(name)));
}

/** Says every two seconds what a call is doing, until it is stopped. */
class Progress {
  readonly #clock: Clock;
  readonly #tell: ((message: string) => void) | undefined;
  #stop: () => void = () => {};

  constructor(clock: Clock, tell: ((message: string) => void) | undefined) {
    this.#clock = clock;
    this.#tell = tell;
  }

  say(message: () => string): void {
    this.stop();
    const tell = this.#tell;
    if (tell === undefined) return;
    this.#stop = this.#clock.every(PROGRESS_MS, () => tell(message()));
  }

  stop(): void {
    this.#stop();
    this.#stop = () => {};
  }
}
