/** The door to declared MCP servers: listed always, started when granted. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { canonicalJson, sha256 } from "../base/digest.ts";
import { nearest } from "../base/nearest.ts";
import { Pacer } from "../base/pacer.ts";
import { visible } from "../base/text.ts";
import type { Skill } from "../catalog/types.ts";
import type { SkillProblem } from "../context/types.ts";
import { UPSTREAM_MARK } from "../config/variables.ts";
import type { ServerDeclaration } from "./declared.ts";
import type { DoorDeps } from "./door_deps.ts";
import {
  grantedServer,
  notesOf,
  permissionsOf,
  type Rights,
} from "./granted_server.ts";
import {
  declaredServer,
  heldWords,
  type Judged,
  notGranted,
  rowFor,
  staleServer,
} from "./judge.ts";
import { Pinning } from "./pinning.ts";
import { recordDigest, recordOf } from "./server_record.ts";
import { ServerMemory } from "./server_memory.ts";
import { errorAnswer, shownAnswer } from "./shown_answer.ts";
import { shownTools } from "./shown_tools.ts";
import { declarationsOf, type SkillLook, SkillLooks } from "./skill_look.ts";
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
/** Characters of a call's arguments as JSON. */
const MAX_ARGUMENTS = 262_144;
const MAX_SHOWN = 2_000;

/** Everything that others need of declared servers. */
export class UpstreamDoor {
  readonly #deps: DoorDeps;
  readonly #looks: SkillLooks;
  readonly #memory: ServerMemory;
  readonly #slots: Slots;

  constructor(deps: DoorDeps) {
    this.#deps = deps;
    this.#looks = new SkillLooks(deps.digests);
    this.#memory = new ServerMemory(deps.cacheDir);
    this.#slots = new Slots(deps, this.#memory);
  }

  /** The servers that a skill declares. Starts nothing. */
  async declared(skill: Skill): Promise<readonly DeclaredServer[]> {
    const look = await this.#look(skill);
    return look.servers.map((server) => declaredServer(server, look));
  }

  /** The same, with what the owner says to each. Starts nothing. */
  async states(skill: Skill): Promise<readonly ServerState[]> {
    const look = await this.#look(skill);
    const judged = await Promise.all(
      look.servers.map((server) => this.#judge(skill, server, look)),
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
    const judged = await this.#granted(skill, server);
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
    const judged = await this.#granted(skill, server);
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
    const judged = await this.#granted(skill, plan.server);
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
    );
    return used.ok ? used.value : used;
  }

  /** A server as it would be pinned with these rights. Starts nothing yet. */
  async pinning(
    skill: Skill,
    server: string,
    rights: Rights,
  ): Promise<Result<Pinning>> {
    const marked = this.#marked();
    if (marked !== undefined) return marked;
    const look = await this.#look(skill);
    const declared = look.servers.find(({ name }) => name === server);
    if (declared === undefined) return unknownServer(skill, server, look);
    const { bundle } = look;
    if (!bundle.ok) return bundle;
    const ground = await this.#ground();
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

  async #look(skill: Skill): Promise<SkillLook> {
    const { roots } = await this.#deps.snapshot();
    const account = await this.#deps.account();
    return await this.#looks.look(
      skill,
      roots[skill.rootIndex]?.realPath ?? skill.dir,
      account.ok ? account.value : undefined,
    );
  }

  async #ground(): Promise<Parameters<typeof grantedServer>[1]> {
    const { config, ourselves } = this.#deps;
    const [account, os] = await Promise.all([
      this.#deps.account(),
      this.#deps.os(),
    ]);
    return { config, account, os, ourselves };
  }

  #marked(): Result<never> | undefined {
    return this.#deps.config.env(UPSTREAM_MARK) === undefined
      ? undefined
      : refuse(
        "RUN_DISABLED",
        "this server was itself started for a skill, so it starts no further servers",
        "Use the server that a person started.",
      );
  }

  async #granted(skill: Skill, server: string): Promise<Result<Judged>> {
    const look = await this.#look(skill);
    const declared = look.servers.find(({ name }) => name === server);
    if (declared === undefined) return unknownServer(skill, server, look);
    const judged = await this.#judge(skill, declared, look);
    if (judged.refusal === undefined) return ok(judged);
    return judged.refusal;
  }

  /** The one place where it is decided whether a server may start. */
  async #judge(
    skill: Skill,
    declared: ServerDeclaration,
    look: SkillLook,
  ): Promise<Judged> {
    const { grant } = this.#deps;
    const row = rowFor(grant, skill, declared.name);
    const ground = await this.#ground();
    const shown = declaredServer(declared, look);
    const { bundle } = look;
    const pinned = bundle.ok
      ? {
        record: recordOf(declared, bundle.value.bundle.digest),
        files: bundle.value.bundle.manifest,
      }
      : undefined;
    const key = { skill: skill.name, server: declared.name };
    const judged = (
      state: ServerState["state"],
      refusal: Judged["refusal"],
      server?: Judged["server"],
    ): Judged => {
      if (state === "not-granted" || state === "suspended") {
        this.#slots.drop(key);
      }
      return {
        state: {
          declared: shown,
          state,
          why: refusal?.message,
          fence: heldWords(declared, row, ground),
        },
        row,
        server,
        pinned,
        refusal,
      };
    };
    if (row === undefined) {
      return judged("not-granted", notGranted(skill.name, declared.name));
    }
    if (!bundle.ok) return judged("unavailable", bundle);
    const digest = recordDigest(pinned!.record);
    if (digest !== row.digest) {
      const changes = await this.#memory.sinceServer(row.digest, pinned!);
      const stale = staleServer(declared.name, row, digest, changes);
      return judged("suspended", stale);
    }
    const marked = this.#marked();
    if (marked?.ok === false) return judged("unavailable", marked);
    const server = await grantedServer(
      { skill, declared, rights: row, checked: bundle.value.checked },
      ground,
    );
    if (!server.ok) return judged("unavailable", server);
    const held = this.#slots.obstacle(key, digest);
    if (held?.ok === false) {
      const state = held.code === "GRANT_STALE" ? "suspended" : "unavailable";
      return judged(state, held, server.value);
    }
    return judged("ready", undefined, server.value);
  }

  #plan(
    { server, row, pinned, state }: Judged,
    tool: string,
    args: Readonly<Record<string, unknown>>,
  ): Result<UpstreamPlan> {
    if (server === undefined || row === undefined || pinned === undefined) {
      return refuse("INTERNAL", "a plan without a grant", "Call again.");
    }
    const { skill, declared } = server;
    const text = canonicalJson(args);
    if (text.length > MAX_ARGUMENTS) {
      return refuse(
        "TOO_LARGE",
        `the arguments are longer than ${MAX_ARGUMENTS / 1024} KiB`,
        "Pass less, or the path of a file.",
      );
    }
    const running = this.#slots.tools({
      skill: skill.name,
      server: declared.name,
    });
    const known = running?.map(({ name }) => name);
    if (known !== undefined && !known.includes(tool)) {
      return unknownTool(tool, known);
    }
    const plan: Omit<UpstreamPlan, "digest"> = {
      skill: skill.name,
      server: declared.name,
      tool,
      reaches: reachesOf(declared),
      permissions: [
        ...permissionsOf(server),
        ...state.fence === undefined ? [] : [`is held by: ${state.fence}`],
      ],
      notes: notesOf(server),
      env: Object.keys(server.values).sort(),
      argumentsSha256: sha256(text),
      serverDigest: row.digest,
      toolsDigest: row.tools,
      trusted: row.trusted.includes(tool),
    };
    return ok({ ...plan, digest: sha256(canonicalJson(plan)) });
  }
}

/** Command line or address, as declared: no value is in it. */
export function reachesOf({ transport }: ServerDeclaration): string {
  return transport.kind === "stdio"
    ? visible([transport.command, ...transport.args].join(" "), MAX_SHOWN)
    : visible(transport.url, MAX_SHOWN);
}

function cancelled(): Result<never> {
  return refuse("CANCELLED", "The call was cancelled.", "Call again.");
}

function unknownServer(
  skill: Skill,
  server: string,
  { servers }: SkillLook,
): Result<never> {
  const names = servers.map(({ name }) => name);
  return refuse(
    "NOT_FOUND",
    `${skill.name} declares no server ${visible(server, 80)}`,
    names.length === 0
      ? "It declares none."
      : `It declares: ${names.join(", ")}.`,
  );
}

function unknownTool(tool: string, names: readonly string[]): Result<never> {
  const near = nearest(tool, names, 3).map((name) => visible(name, 80));
  return refuse(
    "NOT_FOUND",
    `the server has no tool ${visible(tool, 80)}`,
    near.length === 0 ? "It has no tools." : `Nearest: ${near.join(", ")}.`,
  );
}
