/**
 * Starting one child and bringing it to an end: own process group, exact
 * environment, bounded time, bounded output. Knows nothing of skills.
 */

import { errorName } from "../../base/error_name.ts";
import { ok, type Refusal, refuse, type Result } from "../../base/refusal.ts";
import { visible } from "../../base/text.ts";
import { Reaper } from "../../os/reaper.ts";
import type { Account } from "../../os/types.ts";
import {
  type ProcessLimits,
  readStatus,
  wrapCommand,
} from "../../os/wrapper.ts";
import type { ChunkFilter } from "../capture.ts";
import type { Clock } from "../clock.ts";
import { HAS_GROUPS, ProcessGroup } from "./process_group.ts";
import { Supervision } from "./supervision.ts";
import type { CapturedStream } from "../types.ts";

/** Characters shown of what a program said that could not set things up. */
const SHOWN = 200;

/** One child to start. */
export interface SpawnRequest {
  /** Absolute path of the executable. */
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The whole standard input. */
  readonly stdin: Uint8Array<ArrayBuffer>;
  readonly timeoutMs: number;
  /** Bytes kept of each stream. */
  readonly outputBytes: number;
  /** Bounds set before it starts, as `processLimits()` gives them. */
  readonly limits: ProcessLimits;
  /** Runs as this account instead of the server's own. */
  readonly account?: Account;
  /** Absolute path of what is open as descriptor 3: a system call filter. */
  readonly filter?: string;
  /**
   * Absolute path of what is open as descriptor 4, where the program says that
   * its command started (see `readStatus`). Writable by `account`.
   */
  readonly status?: string;
  /** The program writes no status: it started once its limits were set. */
  readonly plain?: boolean;
  /** Called with the child's number once it lives. */
  readonly onStart?: (pid: number) => void;
  /** Called once for each stream: makes what is kept of it. */
  readonly outputFilter?: () => ChunkFilter;
  /** Ends the child's group at once. */
  readonly signal?: AbortSignal;
  /** The same, because it went over a limit: the reason says so in words. */
  readonly over?: AbortSignal;
}

/** How a started child ended. */
export interface Spawned {
  /** Null when a signal ended it, or when it had not ended when we gave up. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Why it was stopped, in words, when it went over a limit. */
  readonly overLimit: string | undefined;
  /**
   * The program ended by itself without its command having started: its exit
   * code is no script's (see `notSetUp`).
   */
  readonly setupFailed: boolean;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  readonly durationMs: number;
}

/** Starts children and knows the ones that live. */
export class Spawner {
  readonly #clock: Clock;
  readonly #live = new Set<ProcessGroup>();
  readonly #reaper: Reaper;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#reaper = new Reaper({ awaited: () => this.pids, clock });
  }

  /** The children that live and will be awaited here, by number. */
  get pids(): ReadonlySet<number> {
    return new Set([...this.#live].map(({ pid }) => pid));
  }

  /**
   * Runs one child to its end. Returns within the deadline plus 3.25 s whatever
   * the child does; its group is gone by then.
   */
  async run(request: SpawnRequest): Promise<Result<Spawned>> {
    if (this.#closed || request.signal?.aborted) {
      return refuse("CANCELLED", "Nothing was started.", "Call again.");
    }
    let child: Deno.ChildProcess;
    try {
      child = start(request);
    } catch (error) {
      return refuse(
        "SPAWN_FAILED",
        `The script's process could not be started: ${errorName(error)}.`,
        "Run `skillfence doctor` to see what is missing.",
      );
    }
    const { status } = request;
    const inner = status === undefined
      ? undefined
      : () => readStatus(status).childPid;
    const group = new ProcessGroup(child, inner);
    this.#live.add(group);
    request.onStart?.(child.pid);
    try {
      const clock = this.#clock;
      return ok(await new Supervision({ child, group, request, clock }).end());
    } finally {
      group.kill();
      this.#live.delete(group);
      this.#reaper.runEnded(inner?.());
    }
  }

  /** Kills every living group and starts nothing any more. For signal handlers. */
  closeSync(): void {
    this.#closed = true;
    this.#reaper.close();
    for (const group of this.#live) group.kill();
  }
}

/**
 * The refusal for a child whose program could not set things up, with what it
 * said; undefined for one that was set up. No script ran.
 */
export function notSetUp(ended: Spawned): Refusal | undefined {
  if (!ended.setupFailed) return undefined;
  const said = new TextDecoder().decode(ended.stderr.head.subarray(0, 4096))
    .split("\n").find((line) => line.trim() !== "");
  return refuse(
    "SPAWN_FAILED",
    `The script was not started: what should confine it ended with ${ended.exitCode}${
      said === undefined ? "" : ` and said "${visible(said, SHOWN)}"`
    }.`,
    "Run `skillfence doctor`: it says which layer of the fence holds here. Then call again.",
  );
}

function start(request: SpawnRequest): Deno.ChildProcess {
  const { filter, status, plain, limits, account } = request;
  const [path = request.path, ...args] = wrapCommand({
    ...(filter === undefined ? {} : { filter }),
    ...(status === undefined ? {} : { status }),
    ...(plain === undefined ? {} : { plain }),
    limits,
    command: [request.path, ...request.args],
  });
  return new Deno.Command(path, {
    args,
    cwd: request.cwd,
    clearEnv: true,
    env: { ...request.env },
    stdin: request.stdin.length > 0 ? "piped" : "null",
    stdout: "piped",
    stderr: "piped",
    detached: HAS_GROUPS,
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
  }).spawn();
}
