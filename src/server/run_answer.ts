/** How a run ended, as `skill_run` answers it. */

import { KEPT_OF_STREAM } from "../fence/capture.ts";
import type { RunResult } from "../fence/types.ts";
import { ANSWER_CHARS, structuredLength, takeFitting } from "./fit.ts";
import { DEFAULT_OUTPUT } from "./schemas/inputs.ts";
import type { RunAnswer } from "./schemas/outputs.ts";
import { shownStreams } from "./shown_streams.ts";

/** Encoded characters for the list of outputs. */
const OUTPUTS_ROOM = 12_000;
/** Kept free for braces and names. */
const RESERVE = 1000;

/** The answer. Without `outputLimit` it is also held to what fits an answer. */
export function runAnswer(
  result: RunResult,
  outputLimit: number | undefined,
): RunAnswer {
  const outputs = takeFitting(result.outputs, OUTPUTS_ROOM);
  const left = result.outputs.length - outputs.length;
  const hints = [
    ...result.hints,
    ...(left === 0
      ? []
      : [`${left} more files were left behind than are listed here.`]),
  ];
  const head = {
    status: "done" as const,
    skill: result.skill,
    script: result.script,
    interpreter: result.interpreter,
    ...(result.exitCode === null ? {} : { exitCode: result.exitCode }),
    ...(result.signal === null ? {} : { signal: result.signal }),
    timedOut: result.timedOut,
    ...(result.overLimit === null ? {} : { overLimit: result.overLimit }),
  };
  const rest = {
    outputs,
    durationMs: Math.round(result.durationMs),
    env: result.env,
    planDigest: result.planDigest,
    evidence: result.evidence,
    limits: result.limits,
  };
  const { stdout, stderr } = shownStreams(result, {
    together: outputLimit ?? DEFAULT_OUTPUT,
    each: KEPT_OF_STREAM,
    encoded: outputLimit === undefined
      ? ANSWER_CHARS - RESERVE - structuredLength({ ...head, ...rest, hints })
      : Infinity,
  });
  const cut = stdout.omitted > 0 || stderr.omitted > 0;
  return {
    ...head,
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: { stdout: stdout.omitted > 0, stderr: stderr.omitted > 0 },
    omittedBytes: { stdout: stdout.omitted, stderr: stderr.omitted },
    encoding: { stdout: stdout.encoding, stderr: stderr.encoding },
    ...rest,
    hints: cut ? [...hints, moreOutput(result)] : hints,
  };
}

function moreOutput({ stdout, stderr }: RunResult): string {
  const total = stdout.total + stderr.total;
  return `Output was cut: ${total} bytes in all. outputLimit raises what is returned, up to 1 MiB a stream; a script that writes more should leave a file in SKILL_OUT.`;
}
