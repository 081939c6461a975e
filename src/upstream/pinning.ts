/** A declared server on its way to a row of the owner's. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { type GrantedServer } from "./granted_server.ts";
import { notesOf, permissionsOf } from "./server_words.ts";
import type { Session } from "./session.ts";
import type { ServerMemory } from "./server_memory.ts";
import {
  recordDigest,
  type ServerRecord,
  toolRecord,
  toolsDigest,
} from "./server_record.ts";
import { shownTools } from "./shown_tools.ts";
import type { UpstreamTool } from "./types.ts";

/** What a pinning is made from. */
export interface PinningDeps {
  readonly server: GrantedServer;
  readonly record: ServerRecord;
  readonly files: ReadonlyMap<string, string>;
  /** How it will be held, in words. */
  readonly fence: string;
  readonly memory: ServerMemory;
  readonly open: (signal: AbortSignal) => Promise<Result<Session>>;
}

/** What was found when it was started once. */
export interface Pinned {
  /** The row as JSON, for MCP_SKILL_MCP. */
  readonly row: Readonly<Record<string, unknown>>;
  readonly tools: readonly UpstreamTool[];
  /** What was cut or left out, in words. */
  readonly notes: readonly string[];
}

/** Shown first, started once, and then a row. */
export class Pinning {
  readonly #deps: PinningDeps;

  constructor(deps: PinningDeps) {
    this.#deps = deps;
  }

  /** How it will be held, in words. */
  get fence(): string {
    return this.#deps.fence;
  }

  /** Command line or address, values put in nowhere. */
  get transport(): GrantedServer["declared"]["transport"] {
    return this.#deps.server.declared.transport;
  }

  /** One sentence each. */
  get permissions(): readonly string[] {
    return permissionsOf(this.#deps.server);
  }

  /** What is worth knowing beside. */
  get notes(): readonly string[] {
    return notesOf(this.#deps.server);
  }

  /** Starts it, lists its tools, ends it; keeps what it saw for later. */
  async start(signal: AbortSignal): Promise<Result<Pinned>> {
    const opened = await this.#deps.open(signal);
    if (!opened.ok) return opened;
    try {
      const listed = await opened.value.listTools();
      if (!listed.ok) return listed;
      const tools = toolRecord(listed.value);
      if (tools.size !== listed.value.length) {
        return refuse(
          "SPAWN_FAILED",
          "it lists two tools of one name",
          "Such a server cannot be pinned.",
        );
      }
      const { record, files, memory } = this.#deps;
      const digest = recordDigest(record);
      await memory.keepServer(digest, { record, files });
      await memory.keepTools(toolsDigest(tools), tools);
      return ok({
        row: this.#row(digest, toolsDigest(tools)),
        ...shownTools(listed.value, []),
      });
    } finally {
      await opened.value.close();
    }
  }

  #row(digest: string, tools: string): Record<string, unknown> {
    const { skill, declared, rights } = this.#deps.server;
    return {
      skill: skill.name,
      server: declared.name,
      digest,
      tools,
      ...rights.env.length === 0 ? {} : { env: rights.env },
      ...rights.net ? { net: true } : {},
      ...rights.unfenced ? { unfenced: true } : {},
      ...rights.url === undefined ? {} : { url: rights.url },
      ...skill.workspace === undefined ? {} : { workspace: skill.workspace },
    };
  }
}
