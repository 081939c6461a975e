/** One child from its start to its end: bounded time, bounded output. */

import { readStatus } from "../../os/wrapper.ts";
import { type Capture, capture } from "../capture.ts";
import type { Clock } from "../clock.ts";
import type { ProcessGroup } from "./process_group.ts";
import type { Spawned, SpawnRequest } from "./spawn.ts";

/** From SIGTERM at the deadline to SIGKILL. */
const KILL_AFTER_MS = 2_000;
/** How long output may stay silent after the exit before we stop reading. */
const DRAIN_MS = 250;
/** How long reading may go on after the exit altogether. */
const DRAIN_AT_MOST_MS = 1_000;
/** After SIGKILL the call returns no later than this. */
const GIVE_UP_MS = 1_250;
/**
 * Exit codes by which the runtime ends on a SIGTERM that nobody listens to as
 * the first process of a sandbox: it raises the signal again, which the kernel
 * does not deliver there, and aborts (measured on 2.9.6: 139).
 */
const ASKED_IN_VAIN = [134, 139];

/** What a supervision works with. */
export interface Supervised {
  readonly child: Deno.ChildProcess;
  readonly group: ProcessGroup;
  readonly request: SpawnRequest;
  readonly clock: Clock;
}

/** Waits for a child, or ends it at its deadline or when told to. */
export class Supervision {
  readonly #child: Deno.ChildProcess;
  readonly #group: ProcessGroup;
  readonly #request: SpawnRequest;
  readonly #clock: Clock;
  readonly #started: number;
  readonly #streams: readonly [Capture, Capture];
  readonly #callOff: (() => void)[] = [];
  #timedOut = false;
  #cancelled = false;
  #overLimit: string | undefined;
  #onChunk: () => void = () => {};

  constructor({ child, group, request, clock }: Supervised) {
    this.#child = child;
    this.#group = group;
    this.#request = request;
    this.#clock = clock;
    this.#started = clock.now();
    const { outputBytes, outputFilter } = request;
    const chunk = () => this.#onChunk();
    this.#streams = [
      capture(child.stdout, outputBytes, chunk, outputFilter?.()),
      capture(child.stderr, outputBytes, chunk, outputFilter?.()),
    ];
  }

  /** Settles within the deadline plus 3.25 s, whatever the child does. */
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
    return {
      ...this.#ending(status),
      timedOut: this.#timedOut,
      cancelled: this.#cancelled,
      overLimit: this.#overLimit,
      stdout: stdout.result(),
      stderr: stderr.result(),
      durationMs,
    };
  }

  #ending(
    status: Deno.CommandStatus | undefined,
  ): Pick<Spawned, "exitCode" | "signal" | "setupFailed"> {
    const file = this.#request.status;
    const told = file === undefined ? undefined : readStatus(file);
    const signal = status?.signal ?? null;
    const exitCode = signal === null ? status?.code ?? null : null;
    if (this.#timedOut && ASKED_IN_VAIN.includes(told?.exitCode ?? 0)) {
      return { exitCode: null, signal: "SIGTERM", setupFailed: false };
    }
    return {
      exitCode,
      signal,
      // Who was killed may not have been able to say that it had started.
      setupFailed: told?.started === false && exitCode !== null,
    };
  }

  /** Arms deadline and stops. Resolves when the child outlives them. */
  #watch(): Promise<undefined> {
    return new Promise((resolve) => {
      const after = (ms: number, run: () => void) =>
        this.#callOff.push(this.#clock.after(ms, run));
      const { timeoutMs, signal, over } = this.#request;
      after(timeoutMs, () => {
        this.#timedOut = true;
        this.#group.ask();
      });
      after(timeoutMs + KILL_AFTER_MS, () => this.#group.kill());
      after(timeoutMs + KILL_AFTER_MS + GIVE_UP_MS, () => resolve(undefined));
      const onAbort = (by: AbortSignal | undefined, note: () => void) => {
        const stop = () => {
          note();
          this.#group.kill();
          after(GIVE_UP_MS, () => resolve(undefined));
        };
        if (by?.aborted) stop();
        by?.addEventListener("abort", stop, { once: true });
        this.#callOff.push(() => by?.removeEventListener("abort", stop));
      };
      onAbort(signal, () => this.#cancelled = true);
      onAbort(over, () => this.#overLimit = String(over?.reason));
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
