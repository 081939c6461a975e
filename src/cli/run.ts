/** `skillfence run`: the preview of a declared script, or its run. */

import { constants as osConstants } from "node:os";
import { ok, type Refusal, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { Config } from "../config/types.ts";
import type { Flags } from "../config/read_config.ts";
import type { Plan, PreparedRun, RunCall, RunResult } from "../fence/types.ts";
import { createEngine } from "../server/engine.ts";
import type { Engine } from "../server/engine_types.ts";
import { runAnswer } from "../server/run_answer.ts";
import { publishPlan } from "../server/schemas/plan_output.ts";
import type { CliHost } from "./host.ts";
import { interruptible } from "./interrupt.ts";
import { keepOutputs, makeKeptDir } from "./keep_outputs.ts";
import { withProgress } from "./progress.ts";
import { printRefusal } from "./refused.ts";
import { readInputFiles, readInputText } from "./script_input.ts";
import { showPlan } from "./show_plan.ts";
import { showResult, wouldLetIt } from "./show_result.ts";
import { startConfig } from "./start.ts";

/** What `run` was asked for. */
export interface RunRequest {
  readonly skill: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly confirm: boolean;
  readonly planDigest: string | undefined;
  /** Paths of files to hand in. */
  readonly files: readonly string[];
  /** Pass standard input on. */
  readonly stdin: boolean;
  /** Directory for what the script leaves in `SKILL_OUT`. */
  readonly out: string | undefined;
  readonly json: boolean;
}

/** As `timeout(1)` answers. */
const TIMED_OUT = 124;
const BY_SIGNAL = 128;
/** Bytes of both streams: all that is captured. */
const ALL_OUTPUT = 2 * 1024 * 1024;

/**
 * Previews or runs. Returns 0 after a preview, 2 after a refusal, else the exit
 * code of the script (124 at its deadline, 128 and more for a signal).
 */
export async function run(
  host: CliHost,
  flags: Flags,
  request: RunRequest,
): Promise<number> {
  const config = await startConfig(host, flags);
  if (config === undefined) return 2;
  const { json } = request;
  const engine = createEngine(config);
  try {
    const call = await readCall(host, config, request);
    if (!call.ok) {
      engine.record.refusal(request, call);
      return printRefusal(host.screen, call, { json });
    }
    const prepared = await withProgress(
      host.screen,
      "Reading the skill",
      () => engine.planner.prepare(call.value),
    );
    if (!prepared.ok) {
      engine.record.refusal(call.value, prepared);
      return printRefusal(host.screen, prepared, { json });
    }
    const { plan } = prepared.value;
    const refusal = changed(plan, request.planDigest) ??
      (request.confirm ? unconfirmed(config, plan, request) : undefined);
    if (!request.confirm && refusal === undefined) {
      engine.record.preview(call.value, plan);
      return preview(host, plan, request);
    }
    if (refusal !== undefined) {
      engine.record.refusal(call.value, refusal, plan);
      return printRefusal(host.screen, refusal, { json, plan });
    }
    return await execute(host, engine, prepared.value, request);
  } finally {
    engine.runner.closeSync();
    await engine.record.close();
  }
}

async function readCall(
  host: CliHost,
  config: Config,
  request: RunRequest,
): Promise<Result<RunCall>> {
  if (!config.runTools) {
    return refuse(
      "RUN_DISABLED",
      "--no-run was given: nothing is run or previewed",
      "Leave --no-run out.",
    );
  }
  const [mistake] = config.complaints;
  if (mistake !== undefined) {
    return refuse(
      "CONFIG",
      "no script runs while the configuration has mistakes",
      mistake,
    );
  }
  const files = await readInputFiles(request.files, host.cwd);
  if (!files.ok) return files;
  const stdin = request.stdin
    ? await readInputText(Deno.stdin.readable)
    : ok(undefined);
  if (!stdin.ok) return stdin;
  const { skill, script, args } = request;
  return ok({ skill, script, args, files: files.value, stdin: stdin.value });
}

function changed(
  plan: Plan,
  planDigest: string | undefined,
): Refusal | undefined {
  return planDigest === undefined || planDigest === plan.digest
    ? undefined
    : refuse(
      "PLAN_CHANGED",
      `the Plan is no longer ${visible(planDigest, 80)}`,
      `Look at it again; it is now ${plan.digest}.`,
    );
}

function unconfirmed(
  config: Config,
  plan: Plan,
  { planDigest }: Pick<RunRequest, "planDigest">,
): Refusal | undefined {
  const needed = config.confirm === "plan"
    ? "SKILLFENCE_CONFIRM=plan asks for the digest of a preview"
    : plan.selfGranted.length > 0
    ? `nobody granted ${plan.selfGranted.join(", ")} to this script`
    : undefined;
  if (needed === undefined || planDigest !== undefined) return undefined;
  return refuse(
    "CONFIRM_PLAN",
    `${needed}, so --confirm alone does not run it`,
    `Preview it, then add: --plan-digest ${plan.digest}`,
  );
}

function preview(host: CliHost, plan: Plan, request: RunRequest): number {
  const { screen } = host;
  if (request.json) {
    const answer = { status: "preview", plan: publishPlan(plan) };
    screen.out(`${JSON.stringify(answer, null, 2)}\n`);
    return 0;
  }
  screen.out(`${showPlan(plan, screen, { full: true })}\n\n`);
  screen.out(
    "Nothing was run. To run exactly this, add: " +
      screen.paint.strong(`--confirm --plan-digest ${plan.digest}`) + "\n",
  );
  return 0;
}

async function execute(
  host: CliHost,
  engine: Engine,
  prepared: PreparedRun,
  request: RunRequest,
): Promise<number> {
  const { screen } = host;
  if (request.out !== undefined) {
    const made = await makeKeptDir(request.out);
    if (!made.ok) {
      engine.record.refusal(request, made, prepared.plan);
      return printRefusal(screen, made, { json: request.json });
    }
  }
  return await interruptible(async (interrupt) => {
    engine.record.begin(request, prepared.plan);
    await engine.planner.confirmed(prepared.plan);
    const ended = await withProgress(
      screen,
      `Running ${request.script}`,
      (report) =>
        engine.runner.run(prepared, {
          signal: interrupt.signal,
          onProgress: report,
        }),
    );
    if (!ended.ok) {
      engine.record.refusal(request, ended, prepared.plan);
      return printRefusal(screen, ended, { json: request.json });
    }
    engine.record.run(request, prepared.plan, ended.value);
    const kept = request.out === undefined ? undefined : await keepOutputs(
      ended.value.outputs,
      engine.runner.outputs,
      request.out,
    );
    if (request.json) {
      const answer = {
        ...runAnswer(ended.value, ALL_OUTPUT),
        ...(kept === undefined ? {} : { kept: kept.paths }),
      };
      screen.out(`${JSON.stringify(answer, null, 2)}\n`);
    } else {
      showResult(host, ended.value, kept?.paths);
      for (const text of await wouldLetIt(engine, prepared.plan, ended.value)) {
        screen.err(`  ${visible(text, 400)}\n`);
      }
    }
    if (kept?.refusal !== undefined) {
      return printRefusal(screen, kept.refusal, { json: false });
    }
    return interrupt.exitCode() ?? exitCodeOf(ended.value);
  }, () => {
    engine.runner.closeSync();
    engine.record.endSync();
  });
}

function exitCodeOf({ exitCode, signal, timedOut }: RunResult): number {
  if (timedOut) return TIMED_OUT;
  if (exitCode !== null) return exitCode;
  const numbers: Readonly<Record<string, number>> = osConstants.signals;
  return BY_SIGNAL + (signal === null ? 0 : numbers[signal] ?? 0);
}
