/** One `tools/call`: from raw arguments to the MCP result. Never throws. */

import type { CallToolResult } from "@modelcontextprotocol/server";
import { refuse } from "../base/refusal.ts";
import type { Config } from "../config/types.ts";
import { readArguments } from "./arguments.ts";
import type { Engine } from "./engine_types.ts";
import { type Answer, internalRefusal, refused, toResult } from "./errors.ts";
import type { Logger } from "./log.ts";
import type { Progress } from "./progress.ts";
import { whileScanning } from "./scan_progress.ts";
import type { Session } from "./session.ts";
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
}

/** Answers a call. Refusals and bugs are results like any other. */
export async function callTool(
  tool: Tool,
  raw: unknown,
  context: CallContext,
): Promise<CallToolResult> {
  const { progress, log } = context;
  const answer = await answerCall(tool, raw, context)
    .catch((error: unknown) => refused(internalRefusal(error, log)));
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
      `${tool.name} is not offered: the server was started with --no-run`,
      "Skills can be listed, loaded and read here; nothing runs.",
    ));
  }
  const args = readArguments(tool.input, raw);
  if (!args.ok) return refused(args);
  const { session, progress, signal } = context;
  const engine = await progress.during(context.engine(), () => "starting");
  await whileScanning(progress, (heard) => engine.catalog.snapshot(heard));
  return await tool.answer({ engine, session, progress, signal }, args.value);
}
