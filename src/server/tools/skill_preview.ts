/** `skill_preview`: the Plan of a run, and nothing else happens. */

import { PREVIEW_HINT } from "../confirmation.ts";
import { type Answer, previewed, refused } from "../errors.ts";
import { prepareRun } from "../prepare.ts";
import { recordedCall } from "../run_call.ts";
import { type PreviewArguments, PreviewInput } from "../schemas/inputs.ts";
import { RunOutput } from "../schemas/outputs.ts";
import { defineTool, reads, type Tool, type ToolContext } from "../tool.ts";

/** The tool. */
export const skillPreview: Tool = defineTool({
  name: "skill_preview",
  description: `\
Call this before skill_run and show the user the plan it returns. It starts \
nothing and changes nothing.

The plan is everything that would happen: what the script reads, writes and \
reaches, which variables it is handed (names only), the exact command line, \
limits, and digests of the script, its bundle and its input. plan.digest stands \
for all of it: when the user agrees, call skill_run with the same arguments, \
confirm: true and planDigest set to it.`,
  input: PreviewInput,
  output: RunOutput,
  annotations: reads("Preview a script run"),
  meta: () => ({}),
  runs: true,
  answer,
});

async function answer(
  { engine, session }: ToolContext,
  args: PreviewArguments,
): Promise<Answer> {
  const call = recordedCall(args);
  const prepared = await prepareRun(engine, args);
  if (!prepared.ok) {
    engine.record.refusal(call, prepared);
    return refused(prepared);
  }
  const { plan } = prepared.value;
  engine.record.preview(call, plan);
  const digest = session.previews.remember(plan.digest);
  return previewed({ ...plan, digest }, PREVIEW_HINT);
}
