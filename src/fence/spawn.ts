/**
 * Starting one child and bringing it to an end: own process group, exact
 * environment, bounded time, bounded output. Knows nothing of skills.
 */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { errorName } from "./error_name.ts";
import { type Capture, capture } from "./capture.ts";
import type { Clock } from "./clock.ts";
import { HAS_GROUPS, ProcessGroup } from "./process_group.ts";
import type { CapturedStream } from "./types.ts";

/** What RLIMIT_DATA becomes, in KiB: it bounds ArrayBuffers and workers too. */
const DATA_KIB = 2_500_000;

/** The whole shell text. Everything variable arrives in `"$@"`. */
const LIMITED = `ulimit -c 0; ulimit -d ${DATA_KIB}; exec "$@"`;
/** The same where the limit is smaller already and must stay as it is. */
const ALREADY_LIMITED = `ulimit -c 0; exec "$@"`;

/** From SIGTERM at the deadline to SIGKILL. */
const KILL_AFTER_MS = 2_000;
/** How long output may stay silent after the exit before we stop reading. */
const DRAIN_MS = 250;
/** How long reading may go on after the exit altogether. */
const DRAIN_AT_MOST_MS = 1_000;
/** After SIGKILL the call returns no later than this. */
const GIVE_UP_MS = 1_250;

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
  /** RLIMIT_DATA of this process, as `dataLimit()` gives it. */
  readonly dataLimit: number | "unlimited";
  /** Ends the child's group at once. */
  readonly signal?: AbortSignal;
}

/** How a started child ended. */
export interface Spawned {
  /** Null when a signal ended it, or when it had not ended when we gave up. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  readonly durationMs: number;
}

/** The command that is really started: through `/bin/sh`, which sets limits. */
export function wrapCommand(
  path: string,
  args: readonly string[],
  dataLimit: number | "unlimited",
): { path: string; args: string[] } {
  // Windows has no such limits: the command is started as it is.
  if (!HAS_GROUPS) return { path, args: [...args] };
  const small = dataLimit !== "unlimited" && dataLimit <= DATA_KIB * 1024;
  const text = small ? ALREADY_LIMITED : LIMITED;
  return { path: "/bin/sh", args: ["-c", text, "skillfence", path, ...args] };
}

/** Starts children and knows the ones that live. */
export class Spawner {
  readonly #clock: Clock;
  readonly #live = new Set<ProcessGroup>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
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
    const group = new ProcessGroup(child);
    this.#live.add(group);
    try {
      return ok(
        await new Supervision(child, group, request, this.#clock).end(),
      );
    } finally {
      group.signal("SIGKILL");
      this.#live.delete(group);
    }
  }

  /** Kills every living group and starts nothing any more. For signal handlers. */
  closeSync(): void {
    this.#closed = true;
    for (const group of this.#live) group.signal("SIGKILL");
  }
}

function start(request: SpawnRequest): Deno.ChildProcess {
  const { path, args } = wrapCommand(
    request.path,
    request.args,
    request.dataLimit,
  );
  return new Deno.Command(path, {
    args,
    cwd: request.cwd,
    clearEnv: true,
    env: { ...request.env },
    stdin: request.stdin.length > 0 ? "piped" : "null",
    stdout: "piped",
    stderr: "piped",
    detached: HAS_GROUPS,
  }).spawn();
}

/** One child from its start to its end. */
class Supervision {
  readonly #child: Deno.ChildProcess;
  readonly #group: ProcessGroup;
  readonly #request: SpawnRequest;
  readonly #clock: Clock;
  readonly #started: number;
  readonly #streams: readonly [Capture, Capture];
  readonly #callOff: (() => void)[] = [];
  #timedOut = false;
  #cancelled = false;
  #onChunk: () => void = () => {};

  constructor(
    child: Deno.ChildProcess,
    group: ProcessGroup,
    request: SpawnRequest,
    clock: Clock,
  ) {
    this.#child = child;
    this.#group = group;
    this.#request = request;
    this.#clock = clock;
    this.#started = clock.now();
    const chunk = () => this.#onChunk();
    this.#streams = [
      capture(child.stdout, request.outputBytes, chunk),
      capture(child.stderr, request.outputBytes, chunk),
    ];
  }

  async end(): Promise<Spawned> {
    const stopFeeding = this.#feed();
    const gaveUp = this.#watch();
    const status = await Promise.race([this.#child.status, gaveUp]);
    for (const callOff of this.#callOff) callOff();
    const durationMs = Math.round(this.#clock.now() - this.#started);
    if (status === undefined) this.#child.unref();
    else {
      this.#group.leaderEnded();
      await this.#drain();
    }
    stopFeeding();
    const [stdout, stderr] = this.#streams;
    stdout.giveUp();
    stderr.giveUp();
    const signal = status?.signal ?? null;
    return {
      exitCode: signal === null ? status?.code ?? null : null,
      signal,
      timedOut: this.#timedOut,
      cancelled: this.#cancelled,
      stdout: stdout.result(),
      stderr: stderr.result(),
      durationMs,
    };
  }

  /** Arms deadline and cancellation. Resolves when the child outlives both. */
  #watch(): Promise<undefined> {
    return new Promise((resolve) => {
      const after = (ms: number, run: () => void) =>
        this.#callOff.push(this.#clock.after(ms, run));
      const { timeoutMs, signal } = this.#request;
      after(timeoutMs, () => {
        this.#timedOut = true;
        this.#group.signal("SIGTERM");
      });
      after(timeoutMs + KILL_AFTER_MS, () => this.#group.signal("SIGKILL"));
      after(timeoutMs + KILL_AFTER_MS + GIVE_UP_MS, () => resolve(undefined));
      const cancel = () => {
        this.#cancelled = true;
        this.#group.signal("SIGKILL");
        after(GIVE_UP_MS, () => resolve(undefined));
      };
      signal?.addEventListener("abort", cancel, { once: true });
      this.#callOff.push(() => signal?.removeEventListener("abort", cancel));
    });
  }

  /**
   * Waits for the end of both streams, or for a silence: a process that left
   * the group may hold the pipes for ever.
   */
  #drain(): Promise<void> {
    return new Promise((resolve) => {
      const [stdout, stderr] = this.#streams;
      let callOffSilence = () => {};
      const finish = () => {
        callOffSilence();
        callOffLimit();
        this.#onChunk = () => {};
        resolve();
      };
      const callOffLimit = this.#clock.after(DRAIN_AT_MOST_MS, finish);
      this.#onChunk = () => {
        callOffSilence();
        callOffSilence = this.#clock.after(DRAIN_MS, finish);
      };
      this.#onChunk();
      void Promise.all([stdout.done, stderr.done]).then(finish);
    });
  }

  /** Writes the input. A child that does not read it is no failure. */
  #feed(): () => void {
    if (this.#request.stdin.length === 0) return () => {};
    const writer = this.#child.stdin.getWriter();
    writer.write(this.#request.stdin)
      .then(() => writer.close())
      .catch(() => {});
    return () => void writer.abort().catch(() => {});
  }
}
