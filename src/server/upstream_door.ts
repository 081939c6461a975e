/** What the tools need of the MCP servers that skills declare. */

import type { Result } from "../base/refusal.ts";
import type { Skill, Snapshot } from "../catalog/types.ts";
import type { SkillProblem } from "../context/types.ts";
import type { Rights } from "../upstream/granted_server.ts";
import type { Pinning } from "../upstream/pinning.ts";
import type {
  ServerState,
  UpstreamAnswer,
  UpstreamPlan,
  UpstreamTools,
} from "../upstream/types.ts";

/** A call of a tool of a declared server. */
export interface UpstreamCall {
  readonly skill: Skill;
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** How one call goes on. */
export interface UpstreamOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (message: string) => void;
}

/** MCP servers that skills declare. */
export interface UpstreamDoor {
  /** Those of a skill, as they stand. Starts none. */
  servers(skill: Skill): Promise<readonly ServerState[]>;
  /** What is wrong with what skills declare. Starts nothing. */
  problems(snapshot: Snapshot): Promise<readonly SkillProblem[]>;
  /** The same of one skill. */
  problemsOf(skill: Skill): Promise<readonly SkillProblem[]>;
  /** Tools of a granted server, which is started for it. */
  tools(skill: Skill, server: string): Promise<Result<UpstreamTools>>;
  /** What a call would do. Starts nothing. */
  plan(call: UpstreamCall): Promise<Result<UpstreamPlan>>;
  /** Makes the call of exactly this Plan. */
  call(
    call: UpstreamCall,
    plan: UpstreamPlan,
    options: UpstreamOptions,
  ): Promise<Result<UpstreamAnswer>>;
  /** What the owner would grant, before it is started once. For the owner. */
  pinning(
    skill: Skill,
    server: string,
    rights: Rights,
  ): Promise<Result<Pinning>>;
  /** Ends every server. */
  close(): Promise<void>;
}
