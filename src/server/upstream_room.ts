/** Declared MCP servers, loaded when they are first needed. */

import type { Result } from "../base/refusal.ts";
import type { Skill, Snapshot } from "../catalog/types.ts";
import type { SkillProblem } from "../context/types.ts";
import type { Declarations } from "../upstream/declared.ts";
import type { DoorDeps } from "../upstream/door_deps.ts";
import type { Rights } from "../upstream/granted_server.ts";
import type { Pinning } from "../upstream/pinning.ts";
import type { UpstreamDoor as Servers } from "../upstream/upstreams.ts";
import type {
  ServerState,
  UpstreamAnswer,
  UpstreamPlan,
  UpstreamTools,
} from "../upstream/types.ts";
import type {
  UpstreamCall,
  UpstreamDoor,
  UpstreamOptions,
} from "./upstream_door.ts";
import { ofKey, once } from "./kept.ts";

/** The door to what `src/upstream/` does. */
export class UpstreamRoom implements UpstreamDoor {
  readonly #servers: () => Promise<Servers>;
  #open: Servers | undefined;
  #closed = false;
  /** What is wrong with all declarations of a snapshot. */
  readonly #problems = ofKey(({ skills }: Snapshot) =>
    this.#servers().then((servers) => servers.problems(skills.values()))
  );

  constructor(deps: () => Promise<DoorDeps>) {
    this.#servers = once(async () => {
      const { UpstreamDoor } = await import("../upstream/upstreams.ts");
      const servers = new UpstreamDoor(await deps());
      if (this.#closed) servers.closeSync();
      return this.#open = servers;
    });
  }

  async servers(skill: Skill): Promise<readonly ServerState[]> {
    return (await declarations(skill)).servers.length > 0
      ? await (await this.#servers()).states(skill)
      : [];
  }

  problems(snapshot: Snapshot): Promise<readonly SkillProblem[]> {
    return this.#problems(snapshot);
  }

  async problemsOf(skill: Skill): Promise<readonly SkillProblem[]> {
    return (await declarations(skill)).problems;
  }

  async tools(skill: Skill, server: string): Promise<Result<UpstreamTools>> {
    return await (await this.#servers()).tools(skill, server);
  }

  async plan(
    { skill, server, tool, arguments: args }: UpstreamCall,
  ): Promise<Result<UpstreamPlan>> {
    return await (await this.#servers()).plan(skill, server, tool, args);
  }

  async call(
    { skill, arguments: args }: UpstreamCall,
    plan: UpstreamPlan,
    { signal, onProgress }: UpstreamOptions,
  ): Promise<Result<UpstreamAnswer>> {
    return await (await this.#servers()).call(skill, plan, args, {
      signal,
      onProgress: (message, progress, total) =>
        onProgress?.(
          `${progress}${total === undefined ? "" : ` of ${total}`}${
            message === "" ? "" : `: ${message}`
          }`,
        ),
    });
  }

  async pinning(
    skill: Skill,
    server: string,
    rights: Rights,
  ): Promise<Result<Pinning>> {
    return await (await this.#servers()).pinning(skill, server, rights);
  }

  async close(): Promise<void> {
    await this.#open?.close();
  }

  closeSync(): void {
    this.#closed = true;
    this.#open?.closeSync();
  }
}

/** Asked of every skill that is loaded, so without what talks to servers. */
async function declarations(skill: Skill): Promise<Declarations> {
  const { declarationsOf } = await import("../upstream/skill_look.ts");
  return declarationsOf(skill);
}
