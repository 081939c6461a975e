/** What the tools need of the rooms before them. */

import type { Result } from "../base/refusal.ts";
import type { Skill, Snapshot } from "../catalog/types.ts";
import type { Config } from "../config/types.ts";
import type {
  Layer,
  Output,
  PreparedRun,
  RunCall,
  RunResult,
  Runtime,
} from "../fence/types.ts";
import type { Grant, GrantNote, Permit } from "../grant/types.ts";
import type { ScriptDeclaration } from "../skill/types.ts";

/** What is served. */
export interface CatalogDoor {
  /** The newest snapshot; the first call starts the scan and waits for it. */
  snapshot(): Promise<Snapshot>;
  rescan(): Promise<Snapshot>;
  /** By served name or alias; `UNKNOWN_SKILL` names the nearest. */
  find(name: string): Promise<Result<Skill>>;
}

/** How a run is watched and stopped. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (message: string) => void;
}

/** Runs what was planned. */
export interface RunnerDoor {
  run(prepared: PreparedRun, options: RunOptions): Promise<Result<RunResult>>;
  readonly outputs: {
    open(
      id: string,
    ): Promise<Result<{ readonly output: Output; readonly file: string }>>;
  };
  /** Kills every group and removes every scratch directory, at once. */
  closeSync(): void;
}

/** A file of a skill, past the string rule and the real path. */
export interface ResolvedFile {
  readonly realPath: string;
  readonly size: number;
}

/** Everything the tools and the command line work with. */
export interface Engine {
  readonly config: Config;
  readonly grant: Grant;
  readonly catalog: CatalogDoor;
  readonly planner: {
    prepare(call: RunCall): Promise<Result<PreparedRun>>;
  };
  readonly runner: RunnerDoor;
  /** Found once; later calls are answered from memory. */
  runtime(): Promise<Result<Runtime>>;
  /** The layers of the fence and whether they are in force. */
  layers(): readonly Layer[];
  /** Names ranked by a query over one snapshot. */
  rank(snapshot: Snapshot, query: string): Promise<readonly string[]>;
  /** Declared scripts by whether the owner lets them run. */
  permits(skill: Skill): {
    readonly granted: readonly Permit[];
    readonly ungranted: readonly ScriptDeclaration[];
  };
  /** Why an interpreter is not available here; undefined when it is. */
  interpreterProblem(name: string): string | undefined;
  /** What is worth saying about the grant, given what is served. */
  grantNotes(snapshot: Snapshot): readonly GrantNote[];
  resolveFile(skill: Skill, path: string): Promise<Result<ResolvedFile>>;
}
