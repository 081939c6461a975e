/** For each declared script: may it run here, and if not, why. */

import { join } from "node:path";
import type { Skill } from "../catalog/types.ts";
import type { Engine } from "./engine_types.ts";
import { startedWithoutRuns } from "./run_offer.ts";

/** A declared script as listings show it. */
export interface ScriptState {
  readonly script: string;
  readonly interpreter: string;
  readonly timeoutMs: number;
  /** Names it may be handed; what it asks for where nothing is granted. */
  readonly env: readonly string[];
  /** Hosts it may reach, or declares where nothing is granted. */
  readonly egress: readonly string[];
  readonly state: "runnable" | "unavailable" | "ungranted";
  /** Why it is not runnable. */
  readonly reason?: string;
}

/**
 * The states of a skill's scripts, in declared order. `blocked` is a reason
 * that holds for every script of this server, if there is one.
 */
export async function scriptStates(
  engine: Engine,
  skill: Skill,
  blocked: string | undefined,
): Promise<readonly ScriptState[]> {
  const { scripts, egress } = skill.declaration;
  if (scripts.length === 0) return [];
  const { granted } = engine.permits(skill);
  const permitOf = new Map(
    granted.map((permit) => [permit.declared.script, permit]),
  );
  return await Promise.all(scripts.map(async (declared) => {
    const { script, interpreter, timeoutMs } = declared;
    const permit = permitOf.get(script);
    const base = { script, interpreter, timeoutMs };
    const shown = {
      ...base,
      env: permit?.env ?? declared.env,
      egress: (permit?.egress ?? egress).map(({ text }) => text),
    };
    // Before the grant: no row of the owner's could make it run here.
    const unfit = engine.interpreterProblem(interpreter);
    if (unfit === undefined && permit === undefined) {
      return {
        ...shown,
        state: "ungranted" as const,
        reason: `not granted: ${ungrantedBecause(engine, skill)}`,
      };
    }
    const reason = unfit ?? await missing(skill, script) ?? blocked;
    return reason === undefined
      ? { ...shown, state: "runnable" as const }
      : { ...shown, state: "unavailable" as const, reason };
  }));
}

/** A reason why no script of this server runs; undefined when some may. */
export async function blockedBecause(
  engine: Engine,
): Promise<string | undefined> {
  const { config } = engine;
  if (!config.runTools) {
    return `this server was started ${startedWithoutRuns(config)}`;
  }
  if (config.complaints.length > 0) {
    return "the server's configuration has mistakes (see notes of skill_list)";
  }
  const runtime = await engine.runtime();
  return runtime.ok ? undefined : runtime.message;
}

function ungrantedBecause(engine: Engine, { workspace }: Skill): string {
  if (workspace !== undefined) {
    return "a skill of a workspace runs only what a row of MCP_SKILL_RUN with its workspace and its bundle names";
  }
  return engine.grant.from === "hosted-default"
    ? "a hosted server grants nothing until its owner sets MCP_SKILL_RUN"
    : "no row of MCP_SKILL_RUN names it";
}

/** A script off the list may be hidden or ignored, which still runs. */
async function missing(
  skill: Skill,
  script: string,
): Promise<string | undefined> {
  if (skill.files.some(({ path }) => path === script)) return undefined;
  try {
    const info = await Deno.stat(join(skill.dir, script));
    return info.isFile ? undefined : "it is not a regular file";
  } catch {
    return "there is no such file in the skill";
  }
}
