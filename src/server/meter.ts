/** What is counted of a call: fixed words and numbers, nothing of its content. */

import type { RefusalCode } from "../base/refusal.ts";
import { type Kind, KINDS } from "../evidence/permission_record.ts";
import type { EvidenceEntry } from "../evidence/types.ts";
import type { Answer } from "./errors.ts";
import type { RunAnswer } from "./schemas/outputs.ts";

/** How a run ended. */
export type RunEnd = "zero" | "non-zero" | "signal" | "timeout" | "over-limit";

/** One answered call. */
export interface MeteredCall {
  /** Name of one of the tools. */
  readonly tool: string;
  readonly code: RefusalCode | undefined;
  readonly ms: number;
  /** Undefined when nothing ran. */
  readonly run: MeteredRun | undefined;
}

/** One run that was started. */
export interface MeteredRun {
  readonly end: RunEnd;
  readonly denied: Readonly<Record<Kind, number>>;
}

/** Hears of every answered call. */
export type Meter = (call: MeteredCall) => void;

/** What is counted of an answer. */
export function metered(tool: string, answer: Answer, ms: number): MeteredCall {
  return {
    tool,
    code: answer.kind === "refused" ? answer.refusal.code : undefined,
    ms,
    run: answer.kind === "structured" ? runIn(answer.value) : undefined,
  };
}

function runIn(value: object): MeteredRun | undefined {
  const run = value as RunAnswer;
  if (run.status !== "done") return undefined;
  const denied = (entries: readonly EvidenceEntry[] = []) =>
    entries.reduce(
      (sum, { verdict, times }) => sum + (verdict === "denied" ? times : 0),
      0,
    );
  return {
    end: endOf(run),
    denied: Object.fromEntries(
      KINDS.map((kind) => [kind, denied(run.evidence?.[kind])]),
    ) as MeteredRun["denied"],
  };
}

function endOf({ overLimit, timedOut, signal, exitCode }: RunAnswer): RunEnd {
  if (overLimit !== undefined) return "over-limit";
  if (timedOut === true) return "timeout";
  if (signal !== undefined) return "signal";
  return exitCode === 0 ? "zero" : "non-zero";
}
