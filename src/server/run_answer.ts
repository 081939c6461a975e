/** How a run ended, as `skill_run` answers it. */

import type { RunResult } from "../fence/types.ts";
import { ANSWER_CHARS, structuredLength, takeFitting } from "./fit.ts";
import type { RunAnswer } from "./schemas/outputs.ts";
import { shownStreams, type StreamLimits } from "./shown_streams.ts";

/** Bytes of both streams together when the caller sets no limit. */
const DEFAULT_OUTPUT = 12_000;
/** Bytes of one stream. */
const MAX_STREAM = 1_048_576;
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
  const rest = {
    status: "done" as const,
    skill: result.skill,
    script: result.script,
    interpreter: result.interpreter,
    ...(result.exitCode === null ? {} : { exitCode: result.exitCode }),
    ...(result.signal === null ? {} : { signal: result.signal }),
    timedOut: result.timedOut,
    outputs,
    durationMs: Math.round(result.durationMs),
    env: result.env,
    planDigest: result.planDigest,
  };
  const hints = [
    ...result.hints,
    ...(left === 0
      ? []
      : [`${left} more files were left behind than are listed here.`]),
  ];
  const limits: StreamLimits = {
    together: outputLimit ?? DEFAULT_OUTPUT,
    each: MAX_STREAM,
    encoded: outputLimit === undefined
      ? ANSWER_CHARS - RESERVE - structuredLength({ ...rest, hints })
      : Infinity,
  };
  const { stdout, stderr } = shownStreams(result, limits);
  const truncated = {
    stdout: stdout.omitted > 0,
    stderr: stderr.omitted > 0,
  };
  return {
    ...rest,
    stdout: stdout.text,
    stderr: stderr.text,
    truncated,
    omittedBytes: { stdout: stdout.omitted, stderr: stderr.omitted },
    encoding: { stdout: stdout.encoding, stderr: stderr.encoding },
    hints: truncated.stdout || truncated.stderr
      ? [...hints, moreOutput(result)]
      : hints,
  };
}

function moreOutput({ stdout, stderr }: RunResult): string {
  const total = stdout.total + stderr.total;
  return `Output was cut: ${total} bytes in all. outputLimit raises what is returned, up to 1 MiB a stream; a script that writes more should leave a file in SKILL_OUT.`;
}
