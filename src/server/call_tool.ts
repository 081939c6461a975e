/** One `tools/call`: from raw arguments to the MCP result. Never throws. */

import type {
  CallToolResult,
  InputRequiredResult,
} from "@modelcontextprotocol/server";
import { refuse } from "../base/refusal.ts";
import type { Snapshot } from "../catalog/types.ts";
import type { Config } from "../config/types.ts";
import { readArguments } from "./arguments.ts";
import type { Engine } from "./engine_types.ts";
import { type Answer, internalRefusal, refused, toResult } from "./errors.ts";
import { type FormDoor, NO_FORMS } from "./forms.ts";
import type { Logger } from "./log.ts";
import { type Meter, metered } from "./meter.ts";
import type { Progress } from "./progress.ts";
import { startedWithoutRuns } from "./run_offer.ts";
import { whileScanning } from "./scan_progress.ts";
import type { Session } from "./session.ts";
import { AS_IT_IS, showAnswer, type ShowPaths } from "./shown_paths.ts";
import type { Tool } from "./tool.ts";

/** What a call needs besides its arguments. */
export interface CallContext {
  readonly config: Config;
  readonly session: Session;
  readonly log: Logger;
  /** Made on first use: the first calls are answered before it exists. */
  readonly engine: () => Promise<Engine>;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** How this machine's directories are shown; undefined: as they are. */
  readonly show?: (engine: Engine, snapshot: Snapshot) => Promise<ShowPaths>;
  /** Hears of the answer. */
  readonly meter?: Meter;
  /** How this client's user is asked; undefined: not at all. */
  readonly forms?: FormDoor;
}

/** Answers a call. Refusals and bugs are results like any other. */
export async function callTool(
  tool: Tool,
  raw: unknown,
  context: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { progress, log, meter } = context;
  const start = performance.now();
  const answer = await answerCall(tool, raw, context)
    .catch((error: unknown) => refused(internalRefusal(error, log)));
  meter?.(metered(tool.name, answer, performance.now() - start));
  await progress.finish();
  return toResult(answer, tool.output !== undefined);
}

async function answerCall(
  tool: Tool,
  raw: unknown,
  context: CallContext,
): Promise<Answer> {
  if (tool.runs && !context.config.runTools) {
    return refused(refuse(
      "RUN_DISABLED",
      `${tool.name} is not offered: the server was started ${
        startedWithoutRuns(context.config)
      }`,
      "Skills can be listed, loaded and read here; nothing runs.",
    ));
  }
  const args = readArguments(tool.input, raw);
  if (!args.ok) return refused(args);
  const { session, progress, signal } = context;
  const engine = await progress.during(context.engine(), () => "starting");
  const snapshot = await whileScanning(
    progress,
    (heard) => engine.catalog.snapshot(heard),
  );
  const show = await context.show?.(engine, snapshot) ?? AS_IT_IS;
  const forms = context.forms ?? NO_FORMS;
  const call = { engine, session, progress, signal, show, forms };
  return showAnswer(await tool.answer(call, args.value), show);
}
