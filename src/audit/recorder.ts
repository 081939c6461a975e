/** What is written down about calls, whoever makes them. */

import type { Refusal } from "../base/refusal.ts";
import { summaryOf } from "../evidence/summary.ts";
import type { Layer, RunResult } from "../fence/types.ts";
import type { AuditEventName, Outcome } from "./audit_line.ts";
import type { AuditLog } from "./audit_log.ts";

/** The part of a call that is written down; of the arguments only a digest. */
export interface RecordedCall {
  /** As it was called: strangers' text. */
  readonly skill: string;
  readonly script: string;
  readonly args: readonly string[];
}

/** What of a Plan is written down. */
export interface RecordedPlan {
  readonly digest: string;
  /** Of a script; a call of a declared server has none. */
  readonly scriptSha256?: string;
  readonly layers: readonly Pick<Layer, "name" | "on">[];
}

/** How a call of a declared server came out. */
export interface RecordedAnswer {
  readonly isError: boolean;
  readonly durationMs: number;
}

/** A call whose end is not known yet. */
interface Begun {
  readonly plan: RecordedPlan;
  /** Milliseconds of the monotonic clock. */
  readonly since: number;
}

/** How a program ended. */
export type RenderedEnd = Pick<
  RunResult,
  "exitCode" | "signal" | "timedOut" | "cancelled" | "durationMs"
>;

/** Records previews, runs, refusals and cancellations, where a log is kept. */
export class Recorder {
  readonly #log: AuditLog | undefined;
  readonly #begun = new Map<RecordedCall, Begun>();

  constructor(log: AuditLog | undefined) {
    this.#log = log;
  }

  /** A Plan was shown and nothing started. */
  preview(call: RecordedCall, plan: RecordedPlan): void {
    this.#append("preview", call, plan, null);
  }

  /**
   * A confirmed call is on its way: `run` or `refusal` with the same object
   * tells how it came out. Where neither does, `end` writes it down.
   */
  begin(call: RecordedCall, plan: RecordedPlan): void {
    this.#begun.set(call, { plan, since: performance.now() });
  }

  /** Nothing started, with the Plan where there was one. */
  refusal(call: RecordedCall, { code }: Refusal, plan?: RecordedPlan): void {
    this.#begun.delete(call);
    const event = code === "CANCELLED" ? "cancellation" : "refusal";
    this.#append(event, call, plan, { code });
  }

  /** A script ran to its end, or until it was stopped. */
  run(call: RecordedCall, plan: RecordedPlan, result: RunResult): void {
    this.#begun.delete(call);
    const { exitCode, signal, timedOut, cancelled, durationMs } = result;
    this.#append(cancelled ? "cancellation" : "run", call, plan, {
      exitCode,
      signal,
      timedOut,
      cancelled,
      durationMs,
    }, result);
  }

  /** A declared server answered. `exitCode` 1 stands for an error of its tool. */
  answered(
    call: RecordedCall,
    plan: RecordedPlan,
    { isError, durationMs }: RecordedAnswer,
  ): void {
    this.#begun.delete(call);
    this.#append("call", call, plan, {
      exitCode: isError ? 1 : 0,
      signal: null,
      timedOut: false,
      cancelled: false,
      durationMs: Math.round(durationMs),
    });
  }

  /** A script ran as a text was loaded. */
  rendered(call: RecordedCall, plan: RecordedPlan, result: RunResult): void {
    this.#append("render", call, plan, outcomeOf(result), result);
  }

  /** A program of the host did; `layers` are the names of those in force. */
  renderedHost(
    { skill, script, args }: RecordedCall,
    end: RenderedEnd,
    layers: readonly string[],
  ): void {
    const outcome = outcomeOf(end);
    this.#log?.append({
      event: "render",
      skill,
      script,
      args,
      outcome,
      layers,
    });
  }

  /** Writes what waits at once. For signal handlers. */
  flushSync(): void {
    this.#log?.flushSync();
  }

  /**
   * The process ends with calls on their way, whose scripts were killed: each
   * is a cancellation. Writes at once. For signal handlers.
   */
  endSync(): void {
    this.#giveUp();
    this.flushSync();
  }

  /** The same where there is time: for two seconds at most. */
  async close(): Promise<void> {
    this.#giveUp();
    await this.#log?.close();
  }

  #giveUp(): void {
    for (const [call, { plan, since }] of this.#begun) {
      this.#append("cancellation", call, plan, {
        exitCode: null,
        signal: "SIGKILL",
        timedOut: false,
        cancelled: true,
        durationMs: Math.round(performance.now() - since),
      });
    }
    this.#begun.clear();
  }

  #append(
    event: AuditEventName,
    { skill, script, args }: RecordedCall,
    plan: RecordedPlan | undefined,
    outcome: Outcome,
    result?: RunResult,
  ): void {
    this.#log?.append({
      event,
      skill,
      script,
      args,
      ...(plan === undefined ? {} : {
        ...(plan.scriptSha256 === undefined
          ? {}
          : { scriptSha256: plan.scriptSha256 }),
        planDigest: plan.digest,
      }),
      outcome,
      layers: plan?.layers.filter(({ on }) => on).map(({ name }) => name) ?? [],
      ...(result === undefined
        ? {}
        : { evidence: summaryOf(result.evidence, args) }),
    });
  }
}

function outcomeOf(
  { exitCode, signal, timedOut, cancelled, durationMs }: RenderedEnd,
): Outcome {
  return { exitCode, signal, timedOut, cancelled, durationMs };
}
