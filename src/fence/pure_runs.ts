/** Pure runs: what a text's commands are run by, one at a time. */

import type { Result } from "../base/refusal.ts";
import type { Skill } from "../catalog/types.ts";
import { systemClock } from "./clock.ts";
import { ScratchKeeper } from "./disk/scratch.ts";
import {
  type HostCall,
  type HostDeps,
  type PreparedHost,
  prepareHost,
} from "./host_plan.ts";
import { runHost } from "./host_run.ts";
import type { Planner } from "./plan.ts";
import type { PureRights } from "./plan/pure_permit.ts";
import { RunQueue } from "./queue.ts";
import { Runner, type RunnerOptions } from "./run.ts";
import { type Spawned, Spawner } from "./run/spawn.ts";
import type { PreparedRun, RunResult } from "./types.ts";

/** What they are made with: as the server's own runs are. */
export interface PureRunsDeps extends HostDeps {
  readonly planner: Pick<Planner, "preparePure" | "bundleDigest">;
  readonly runner: Omit<RunnerOptions, "maxRuns">;
}

/**
 * Apart from the runs that are asked for: neither takes the other's turn. What
 * waits longer than the queue's bound is `BUSY`.
 */
export class PureRuns {
  readonly #deps: PureRunsDeps;
  readonly #scripts: Runner;
  readonly #queue: RunQueue;
  readonly #keeper: ScratchKeeper;
  readonly #spawner: Spawner;

  constructor(deps: PureRunsDeps) {
    const { runner } = deps;
    const clock = runner.clock ?? systemClock;
    this.#deps = deps;
    this.#scripts = new Runner({ ...runner, maxRuns: 1 });
    this.#queue = new RunQueue({ slots: 1, clock });
    this.#keeper = new ScratchKeeper(runner.tmpDir);
    this.#spawner = new Spawner(clock);
  }

  /** `sha256:<hex>` of a skill's files now, as a row pins it. */
  bundleDigest(skill: Skill): Promise<Result<string>> {
    return this.#deps.planner.bundleDigest(skill);
  }

  /** The Plan of a script of a skill; the words after it are its arguments. */
  prepareScript(
    skill: Skill,
    [script = "", ...args]: readonly string[],
    rights: PureRights,
  ): Promise<Result<PreparedRun>> {
    const call = { skill: skill.name, script, args, stdin: undefined };
    return this.#deps.planner.preparePure(
      skill,
      { ...call, files: [] },
      rights,
    );
  }

  /** Runs it. Files it leaves are removed with its scratch. */
  runScript(
    prepared: PreparedRun,
    signal: AbortSignal,
  ): Promise<Result<RunResult>> {
    return this.#scripts.run(prepared, { signal, keepOutputs: false });
  }

  /** A program of the host, and what it will see. */
  prepareHost(call: HostCall): Promise<Result<PreparedHost>> {
    return prepareHost(call, this.#deps);
  }

  /** Runs it. */
  runHost(
    prepared: PreparedHost,
    signal: AbortSignal,
  ): Promise<Result<Spawned>> {
    const { runner } = this.#deps;
    return runHost(prepared, {
      queue: this.#queue,
      keeper: this.#keeper,
      spawner: this.#spawner,
      clock: runner.clock ?? systemClock,
      onLayerFailed: runner.onLayerFailed,
    }, signal);
  }

  /** Kills every run and removes every directory, at once. */
  closeSync(): void {
    this.#queue.close();
    this.#scripts.closeSync();
    this.#spawner.closeSync();
    this.#keeper.closeSync();
  }
}
