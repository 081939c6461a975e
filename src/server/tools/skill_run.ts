/** `skill_run`: one confirmed run of exactly what was shown. */

import type { Plan } from "../../fence/types.ts";
import { changedWhileWaiting, confirmRun } from "../confirmation.ts";
import { type Answer, previewed, refused, structured } from "../errors.ts";
import { prepareRun } from "../prepare.ts";
import { recordedCall } from "../run_call.ts";
import { runAnswer } from "../run_answer.ts";
import { type RunArguments, RunInput } from "../schemas/inputs.ts";
import { RunOutput } from "../schemas/outputs.ts";
import { asksUser, defineTool, type Tool, type ToolContext } from "../tool.ts";

/** The tool. */
export const skillRun: Tool = defineTool({
  name: "skill_run",
  description: `\
Runs a skill's script. First call skill_preview with the same arguments and \
show the user the plan. Call skill_run with confirm: true only after the user \
has agreed, with exactly the same arguments and planDigest set to the digest \
the user saw. If the user declines, do NOT call it again. confirm: true stands \
for the user's decision, never for your own.

Without confirm: true nothing starts and the same plan comes back. With a \
planDigest, nothing runs unless what would happen is exactly that plan. Only \
scripts that the skill declares and the owner allows run, behind a permission \
fence, which does not make a script trustworthy.

The result has exitCode, stdout and stderr (long output is cut in the middle: \
raise outputLimit), and outputs: files to read with skill_file and out:<id>. A \
non-zero exitCode is an ordinary result.

For owners: models are known to set confirm by themselves, so it proves \
nothing about a person. Stronger: let the client ask at every call of this \
tool, SKILLFENCE_CONFIRM=plan (only a preview of this session, once), or \
--no-run.`,
  input: RunInput,
  output: RunOutput,
  annotations: {
    title: "Run a skill's script",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  meta: asksUser,
  runs: true,
  answer,
});

async function answer(
  { engine, session, progress, signal }: ToolContext,
  args: RunArguments,
): Promise<Answer> {
  const { record } = engine;
  const call = recordedCall(args);
  const prepared = await prepareRun(engine, args);
  if (!prepared.ok) {
    record.refusal(call, prepared);
    return refused(prepared);
  }
  const { plan } = prepared.value;
  const verdict = confirmRun(plan, args, {
    mode: engine.config.confirm,
    previews: session.previews,
  });
  if (verdict.kind === "preview") {
    record.preview(call, plan);
    return previewed({ ...plan, digest: verdict.shown }, verdict.hint);
  }
  if (verdict.kind === "refuse") {
    record.refusal(call, verdict.refusal, plan);
    return refused(verdict.refusal, { ...plan, digest: verdict.shown });
  }

  let fresh: Plan | undefined;
  record.begin(call, plan);
  const ran = await engine.runner.run(prepared.value, {
    signal,
    onProgress: (message) => progress.report(message),
    // Files may have changed while other runs were under way.
    afterWaiting: async () => {
      const again = await prepareRun(engine, args);
      if (!again.ok || again.value.plan.digest === plan.digest) return again;
      const { plan: now } = again.value;
      fresh = { ...now, digest: session.previews.remember(now.digest) };
      return changedWhileWaiting();
    },
  });
  if (ran.ok) {
    record.run(call, plan, ran.value);
    await engine.planner.confirmed(plan);
    return structured(runAnswer(ran.value, args.outputLimit));
  }
  record.refusal(call, ran, plan);
  // Nothing started: the person's answer still stands.
  if (verdict.taken !== undefined) session.previews.giveBack(verdict.taken);
  return refused(ran, fresh);
}
