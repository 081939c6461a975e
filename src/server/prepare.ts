/** From arguments to a prepared run, for the preview and for the run. */

import { type Refusal, refuse, type Result } from "../base/refusal.ts";
import type { PreparedRun } from "../fence/types.ts";
import type { Engine } from "./engine_types.ts";
import { readRunCall } from "./run_call.ts";
import type { PreviewArguments } from "./schemas/inputs.ts";

/** Fail closed: what the owner meant to restrict is not known. */
export function refuseWhenMistaken(
  { config }: Pick<Engine, "config">,
): Refusal | undefined {
  const [mistake] = config.complaints;
  if (mistake === undefined) return undefined;
  return refuse(
    "CONFIG",
    `No script runs while the configuration has mistakes: ${mistake}`,
    "The owner of the server has to correct it and start the server again.",
  );
}

/** Refuses what can never run; otherwise computes the Plan. Starts nothing. */
export async function prepareRun(
  engine: Engine,
  args: PreviewArguments,
): Promise<Result<PreparedRun>> {
  const mistake = refuseWhenMistaken(engine);
  if (mistake !== undefined) return mistake;
  const call = readRunCall(args);
  return call.ok ? await engine.planner.prepare(call.value) : call;
}
