/** What is written down about calls, whoever makes them. */

import type { Refusal } from "../base/refusal.ts";
import { summaryOf } from "../evidence/summary.ts";
import type { Plan, RunResult } from "../fence/types.ts";
import type { AuditEventName, Outcome } from "./audit_line.ts";
import type { AuditLog } from "./audit_log.ts";

/** The part of a call that is written down; of the arguments only a digest. */
export interface RecordedCall {
  /** As it was called: strangers' text. */
  readonly skill: string;
  readonly script: string;
  readonly args: readonly string[];
}

/** A call whose end is not known yet. */
interface Begun {
  readonly plan: Plan;
  /** Milliseconds of the monotonic clock. */
  readonly since: number;
}

/** Records previews, runs, refusals and cancellations, where a log is kept. */
export class Recorder {
  readonly #log: AuditLog | undefined;
  readonly #begun = new Map<RecordedCall, Begun>();

  constructor(log: AuditLog | undefined) {
    this.#log = log;
  }

  /** A Plan was shown and nothing started. */
  preview(call: RecordedCall, plan: Plan): void {
    this.#append("preview", call, plan, null);
  }

  /**
   * A confirmed call is on its way: `run` or `refusal` with the same object
   * tells how it came out. Where neither does, `end` writes it down.
   */
  begin(call: RecordedCall, plan: Plan): void {
    this.#begun.set(call, { plan, since: performance.now() });
  }

  /** Nothing started, with the Plan where there was one. */
  refusal(call: RecordedCall, { code }: Refusal, plan?: Plan): void {
    this.#begun.delete(call);
    const event = code === "CANCELLED" ? "cancellation" : "refusal";
    this.#append(event, call, plan, { code });
  }

  /** A script ran to its end, or until it was stopped. */
  run(call: RecordedCall, plan: Plan, result: RunResult): void {
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
    plan: Plan | undefined,
    outcome: Outcome,
    result?: RunResult,
  ): void {
    this.#log?.append({
      event,
      skill,
      script,
      args,
      ...(plan === undefined
        ? {}
        : { scriptSha256: plan.scriptSha256, planDigest: plan.digest }),
      outcome,
      layers: plan?.layers.filter(({ on }) => on).map(({ name }) => name) ?? [],
      ...(result === undefined
        ? {}
        : { evidence: summaryOf(result.evidence, args) }),
    });
  }
}
