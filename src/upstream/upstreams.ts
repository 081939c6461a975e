/** The door to declared MCP servers: listed always, started when granted. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { Pacer } from "../base/pacer.ts";
import type { Skill } from "../catalog/types.ts";
import type { SkillProblem } from "../context/types.ts";
import { callPlan, unknownTool } from "./call_plan.ts";
import type { DoorDeps } from "./door_deps.ts";
import { grantedServer, type Rights } from "./granted_server.ts";
import { declaredServer, heldWords, type Judged } from "./judge.ts";
import { Pinning } from "./pinning.ts";
import { ServerJudge, unknownServer } from "./server_judge.ts";
import { recordOf } from "./server_record.ts";
import { ServerMemory } from "./server_memory.ts";
import { errorAnswer, shownAnswer } from "./shown_answer.ts";
import { shownTools } from "./shown_tools.ts";
import { declarationsOf } from "./skill_look.ts";
import { Slots } from "./slots.ts";
import type {
  DeclaredServer,
  ServerState,
  UpstreamAnswer,
  UpstreamPlan,
  UpstreamTools,
} from "./types.ts";

/** What one call may be told. */
export interface UpstreamCall {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?:
    | ((message: string, progress: number, total: number | undefined) => void)
    | undefined;
  /** Without progress; default 60,000. */
  readonly timeoutMs?: number | undefined;
}

const CALL_MS = 60_000;

/** Everything that others need of declared servers. */
export class UpstreamDoor {
  readonly #judge: ServerJudge;
  readonly #memory: ServerMemory;
  readonly #slots: Slots;

  constructor(deps: DoorDeps) {
    this.#memory = new ServerMemory(deps.cacheDir);
    this.#slots = new Slots(deps, this.#memory);
    this.#judge = new ServerJudge(deps, this.#memory, this.#slots);
  }

  /** The servers that a skill declares. Starts nothing. */
  async declared(skill: Skill): Promise<readonly DeclaredServer[]> {
    const look = await this.#judge.look(skill);
    return look.servers.map((server) => declaredServer(server, look));
  }

  /** The same, with what the owner says to each. Starts nothing. */
  async states(skill: Skill): Promise<readonly ServerState[]> {
    const look = await this.#judge.look(skill);
    const judged = await Promise.all(
      look.servers.map((server) => this.#judge.judge(skill, server, look)),
    );
    return judged.map(({ state }) => state);
  }

  /** What is wrong with what these skills declare. Starts nothing. */
  async problems(skills: Iterable<Skill>): Promise<readonly SkillProblem[]> {
    const problems: SkillProblem[] = [];
    const pacer = new Pacer();
    for (const skill of skills) {
      problems.push(...declarationsOf(skill).problems);
      if (pacer.due()) await pacer.pause();
    }
    return problems;
  }

  /** The tools of a granted server, which is started for that. */
  async tools(skill: Skill, server: string): Promise<Result<UpstreamTools>> {
    const judged = await this.#judge.granted(skill, server);
    if (!judged.ok) return judged;
    const used = await this.#slots.use(
      judged.value,
      (open) => Promise.resolve(open.tools),
    );
    if (!used.ok) return used;
    const { row } = judged.value;
    const shown = shownTools(used.value, row?.trusted ?? []);
    return ok({ ...shown, digest: row?.tools ?? "" });
  }

  /**
   * What a call would do. Starts nothing; whether the tool is there is known
   * only while the server runs.
   */
  async plan(
    skill: Skill,
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<Result<UpstreamPlan>> {
    const judged = await this.#judge.granted(skill, server);
    return judged.ok ? this.#plan(judged.value, tool, args) : judged;
  }

  /**
   * Makes the planned call. `PLAN_CHANGED` when it would not be that very plan
   * any more; `CANCELLED` when it was; what goes wrong in the server or on the
   * way there is an answer.
   */
  async call(
    skill: Skill,
    plan: UpstreamPlan,
    args: Readonly<Record<string, unknown>>,
    { signal, onProgress, timeoutMs = CALL_MS }: UpstreamCall = {},
  ): Promise<Result<UpstreamAnswer>> {
    const judged = await this.#judge.granted(skill, plan.server);
    if (!judged.ok) return judged;
    const now = this.#plan(judged.value, plan.tool, args);
    if (!now.ok) return now;
    if (now.value.digest !== plan.digest) {
      return refuse(
        "PLAN_CHANGED",
        `the call is no longer the one that was planned: it is ${now.value.digest} now`,
        "Preview it again.",
      );
    }
    if (signal?.aborted) return cancelled();
    const used = await this.#slots.use(
      judged.value,
      async ({ session, tools }) => {
        if (!tools.some(({ name }) => name === plan.tool)) {
          return unknownTool(plan.tool, tools.map(({ name }) => name));
        }
        const outcome = await session.call(plan.tool, args, {
          signal,
          onProgress,
          timeoutMs,
        });
        if ("result" in outcome) {
          this.#slots.answered(judged.value);
          return ok(shownAnswer(outcome.result));
        }
        switch (outcome.failed) {
          case "cancelled":
            return cancelled();
          case "timeout":
            return ok(errorAnswer(
              `The server ${plan.server} did not answer within ${
                timeoutMs / 1000
              } s.`,
            ));
          case "gone":
            return ok(errorAnswer(
              `The server ${plan.server} did not answer: ${
                session.whyGone() ?? "it ended"
              }.`,
            ));
          case "error":
            this.#slots.answered(judged.value);
            return ok(errorAnswer(outcome.message));
        }
      },
      signal,
    );
    return used.ok ? used.value : used;
  }

  /** A server as it would be pinned with these rights. Starts nothing yet. */
  async pinning(
    skill: Skill,
    server: string,
    rights: Rights,
  ): Promise<Result<Pinning>> {
    const marked = this.#judge.marked();
    if (marked !== undefined) return marked;
    const look = await this.#judge.look(skill);
    const declared = look.servers.find(({ name }) => name === server);
    if (declared === undefined) return unknownServer(skill, server, look);
    const { bundle } = look;
    if (!bundle.ok) return bundle;
    const ground = await this.#judge.ground();
    const granted = await grantedServer(
      { skill, declared, rights, checked: bundle.value.checked },
      ground,
    );
    if (!granted.ok) return granted;
    const record = recordOf(declared, bundle.value.bundle.digest);
    return ok(
      new Pinning({
        server: granted.value,
        record,
        files: bundle.value.bundle.manifest,
        fence: heldWords(declared, rights, ground) ?? "",
        memory: this.#memory,
        open: (signal) => this.#slots.open(granted.value, signal),
      }),
    );
  }

  /** Ends every server. */
  async close(): Promise<void> {
    await this.#slots.close();
  }

  /** Ends every server at once. For signal handlers. */
  closeSync(): void {
    this.#slots.closeSync();
  }

  #plan(
    judged: Judged,
    tool: string,
    args: Readonly<Record<string, unknown>>,
  ): Result<UpstreamPlan> {
    const known = this.#slots.tools(judged)?.map(({ name }) => name);
    return callPlan(judged, { tool, args, known });
  }
}

function cancelled(): Result<never> {
  return refuse("CANCELLED", "The call was cancelled.", "Call again.");
}
