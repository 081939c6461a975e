/** Declared MCP servers, loaded when they are first needed. */

import { type Refusal, refuse } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import type { Skill } from "../catalog/types.ts";
import type { SkillProblem } from "../context/types.ts";
import type { GrantNote } from "../grant/types.ts";
import type { ServerState } from "../upstream/types.ts";
import type { UpstreamCall, UpstreamDoor } from "./engine_types.ts";

/** The door to what `src/upstream/` does. */
export class UpstreamRoom implements UpstreamDoor {
  servers(): Promise<readonly ServerState[]> {
    return Promise.resolve([]);
  }

  problems(): Promise<readonly SkillProblem[]> {
    return Promise.resolve([]);
  }

  tools(skill: Skill, server: string): Promise<Refusal> {
    return Promise.resolve(noServer(skill.name, server));
  }

  prepare({ skill, server }: UpstreamCall): Promise<Refusal> {
    return Promise.resolve(noServer(skill.name, server));
  }

  call({ skill, server }: UpstreamCall): Promise<Refusal> {
    return Promise.resolve(noServer(skill.name, server));
  }

  notes(): Promise<readonly GrantNote[]> {
    return Promise.resolve([]);
  }
}

function noServer(skill: string, server: string): Refusal {
  return refuse(
    "NOT_DECLARED",
    `"${visible(skill)}" declares no MCP server "${visible(server, 80)}"`,
    "skill_tools with the skill's name lists the servers it declares.",
  );
}
