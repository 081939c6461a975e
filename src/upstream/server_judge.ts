/** The one place where it is decided whether a declared server may start. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { Skill } from "../catalog/types.ts";
import { UPSTREAM_MARK } from "../config/variables.ts";
import type { ServerDeclaration } from "./declared.ts";
import type { DoorDeps } from "./door_deps.ts";
import { grantedServer, type Ground } from "./granted_server.ts";
import {
  declaredServer,
  heldWords,
  type Judged,
  notGranted,
  rowFor,
  staleServer,
} from "./judge.ts";
import { recordDigest, recordOf } from "./server_record.ts";
import type { ServerMemory } from "./server_memory.ts";
import { type SkillLook, SkillLooks } from "./skill_look.ts";
import type { Slots } from "./slots.ts";
import type { ServerState } from "./types.ts";

/** Looks at skills as they are now, and holds the owner's rows against them. */
export class ServerJudge {
  readonly #deps: DoorDeps;
  readonly #looks: SkillLooks;
  readonly #memory: ServerMemory;
  readonly #slots: Slots;

  constructor(deps: DoorDeps, memory: ServerMemory, slots: Slots) {
    this.#deps = deps;
    this.#looks = new SkillLooks(deps.digests);
    this.#memory = memory;
    this.#slots = slots;
  }

  /** What a skill declares now, and what pins it. */
  async look(skill: Skill): Promise<SkillLook> {
    const { roots } = await this.#deps.snapshot();
    const account = await this.#deps.account();
    return await this.#looks.look(
      skill,
      roots[skill.rootIndex]?.realPath ?? skill.dir,
      account.ok ? account.value : undefined,
    );
  }

  /** What of this machine a start depends on. */
  async ground(): Promise<Ground> {
    const { config, ourselves } = this.#deps;
    const [account, os] = await Promise.all([
      this.#deps.account(),
      this.#deps.os(),
    ]);
    return { config, account, os, ourselves };
  }

  /** `RUN_DISABLED` when this server was itself started for a skill. */
  marked(): Result<never> | undefined {
    return this.#deps.config.env(UPSTREAM_MARK) === undefined
      ? undefined
      : refuse(
        "RUN_DISABLED",
        "this server was itself started for a skill, so it starts no further servers",
        "Use the server that a person started.",
      );
  }

  /** A server that may be used now, or the refusal. */
  async granted(skill: Skill, server: string): Promise<Result<Judged>> {
    const look = await this.look(skill);
    const declared = look.servers.find(({ name }) => name === server);
    if (declared === undefined) return unknownServer(skill, server, look);
    const judged = await this.judge(skill, declared, look);
    if (judged.refusal === undefined) return ok(judged);
    return judged.refusal;
  }

  /** What a declared server is to the owner, and whether it can start here. */
  async judge(
    skill: Skill,
    declared: ServerDeclaration,
    look: SkillLook,
  ): Promise<Judged> {
    const { grant } = this.#deps;
    const row = rowFor(grant, skill, declared.name);
    const ground = await this.ground();
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
    const marked = this.marked();
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
}

/** A server that the skill does not declare. */
export function unknownServer(
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
