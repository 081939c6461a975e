/** What the tools need of the rooms before them. */

import type { Recorder } from "../audit/recorder.ts";
import type { Result } from "../base/refusal.ts";
import type { FileOwner, OpenFile } from "../catalog/bundle_file.ts";
import type {
  FindOptions,
  ProgressListener,
  RescanOptions,
} from "../catalog/catalog.ts";
import type { FileDigests } from "../catalog/file_digests.ts";
import type { Skill, Snapshot } from "../catalog/types.ts";
import type { Config } from "../config/types.ts";
import type { StoredOutput } from "../fence/outputs.ts";
import type { RunOptions } from "../fence/run.ts";
import type {
  Layer,
  Plan,
  PreparedRun,
  RunCall,
  RunResult,
  Runtime,
} from "../fence/types.ts";
import type {
  Grant,
  GrantNote,
  McpGrant,
  Permit,
  RenderGrant,
} from "../grant/types.ts";
import type { PromptSnapshot } from "../prompt/types.ts";
import type { Announcement } from "./announce.ts";
import type { ContextDoor } from "./context_door.ts";
import type { UpstreamDoor } from "./upstream_door.ts";
import type { PromptTable } from "./prompts/prompt_table.ts";
import type { ServedSkills } from "./resources/served_skills.ts";
import type { ScriptDeclaration } from "../skill/types.ts";
import type { Changes, WatchState } from "../watch/types.ts";

/** What is served. */
export interface CatalogDoor {
  /** The newest snapshot; the first call starts the scan and waits for it. */
  snapshot(onProgress?: ProgressListener): Promise<Snapshot>;
  /** A snapshot of what is on disk now. */
  rescan(options?: RescanOptions): Promise<Snapshot>;
  /**
   * By served name, with `alias` by a link's name too; `UNKNOWN_SKILL` names
   * the nearest.
   */
  find(name: string, options?: FindOptions): Promise<Result<Skill>>;
}

/** What is served, kept up to date. */
export interface LiveDoor {
  /** Arms the watchers; before the first scan, so that no edit is missed. */
  start(): void;
  /** How well each root and prompt directory is watched. */
  states(): readonly WatchState[];
  /**
   * Looks at everything again and tells the listeners. What is returned is what
   * this look moved.
   */
  reload(onProgress?: ProgressListener): Promise<Changes>;
  /**
   * Hears of every rescan that moved something, and what clients are to be told
   * of it. Returns how to stop.
   */
  onChange(
    listener: (changes: Changes, announcement: Announcement) => void,
  ): () => void;
  /** Resolves when everything asked for so far has been looked at. */
  ready(): Promise<void>;
  /** Ends the watchers, at once. */
  closeSync(): void;
}

/** Runs what was planned. */
export interface RunnerDoor {
  run(prepared: PreparedRun, options: RunOptions): Promise<Result<RunResult>>;
  readonly outputs: {
    open(id: string): Promise<Result<StoredOutput>>;
  };
  /** Removes what servers that ended badly left in the temporary directory. */
  sweep(): Promise<number>;
  /** Kills every group and removes every scratch directory, at once. */
  closeSync(): void;
}

/** Everything the tools and the command line work with. */
export interface Engine {
  readonly config: Config;
  readonly grant: Grant;
  /** `MCP_SKILL_RENDER`. */
  readonly renderGrant: RenderGrant;
  /** `MCP_SKILL_MCP`. */
  readonly mcpGrant: McpGrant;
  readonly catalog: CatalogDoor;
  readonly prompts: {
    /** The newest snapshot; the first call reads the files. */
    snapshot(): Promise<PromptSnapshot>;
    /** A snapshot of what is on disk now. */
    rescan(): Promise<PromptSnapshot>;
    /** Every prompt there is: of files, then of skills. */
    offered(): Promise<PromptTable>;
  };
  readonly live: LiveDoor;
  readonly planner: {
    prepare(call: RunCall): Promise<Result<PreparedRun>>;
    /** Remembers what a confirmed bundle was made of. Best effort. */
    confirmed(plan: Plan): Promise<void>;
  };
  readonly runner: RunnerDoor;
  readonly context: ContextDoor;
  readonly upstream: UpstreamDoor;
  /** What is written down about calls. */
  readonly record: Recorder;
  /** Found once; later calls are answered from memory. */
  runtime(): Promise<Result<Runtime>>;
  /** The layers of the fence and whether they are in force. */
  layers(): Promise<readonly Layer[]>;
  /** Names of the skills that match a query, best first. */
  rank(query: string): Promise<readonly string[]>;
  /** Declared scripts by whether the owner lets them run. */
  permits(skill: Skill): {
    readonly granted: readonly Permit[];
    readonly ungranted: readonly ScriptDeclaration[];
  };
  /** Why an interpreter is not available here; undefined when it is. */
  interpreterProblem(name: string): string | undefined;
  /** What is worth saying about the grant, given what is served. */
  grantNotes(snapshot: Snapshot): readonly GrantNote[];
  /** Opens a served file: the string rule, the real path, what is served. */
  openFile(owner: FileOwner, path: string): Promise<Result<OpenFile>>;
  /** Digests of files, kept until they change; one memory for all uses. */
  readonly digests: FileDigests;
  /** What resources and the Skills extension serve of a snapshot. */
  served(snapshot: Snapshot): ServedSkills;
  /** What did not work when the engine was made, for its owner. */
  notes(): readonly string[];
}
