/** What a declared server is to the owner: granted, suspended, able to start. */

import { realPathSoFar } from "../fence/preflight.ts";
import { type Refusal, refuse, type Result } from "../base/refusal.ts";
import type { Skill } from "../catalog/types.ts";
import type { McpGrant, McpRow } from "../grant/types.ts";
import type { Account } from "../os/types.ts";
import type { OsState } from "../fence/os_layer.ts";
import type { ServerDeclaration } from "./declared.ts";
import { fenceFor, type GrantedServer } from "./granted_server.ts";
import { fenceWords } from "./server_words.ts";
import { recordDigest, recordOf, type ServerRecord } from "./server_record.ts";
import type { SkillLook } from "./skill_look.ts";
import type { DeclaredServer, ServerState } from "./types.ts";

/** A declared server, with what became of its row. */
export interface Judged {
  readonly state: ServerState;
  readonly row: McpRow | undefined;
  /** Set when the row's digest holds and it can start here. */
  readonly server: GrantedServer | undefined;
  /** Undefined when the bundle cannot be looked at. */
  readonly pinned:
    | {
      readonly record: ServerRecord;
      readonly files: ReadonlyMap<string, string>;
    }
    | undefined;
  /** What a refused use is answered with; undefined when it is ready. */
  readonly refusal: Refusal | undefined;
}

/** A declaration with its digest. */
export function declaredServer(
  declared: ServerDeclaration,
  look: Pick<SkillLook, "bundle">,
): DeclaredServer {
  const { bundle } = look;
  return {
    ...declared,
    digest: bundle.ok
      ? recordDigest(recordOf(declared, bundle.value.bundle.digest))
      : undefined,
  };
}

/** The row for a server: of a workspace's skill only one that names the workspace. */
export function rowFor(
  grant: McpGrant,
  skill: Pick<Skill, "name" | "workspace">,
  server: string,
): McpRow | undefined {
  return grant.rows.find((row) =>
    row.skill === skill.name && row.server === server &&
    (skill.workspace === undefined
      ? row.workspace === undefined
      : row.workspace !== undefined &&
        sameDirectory(row.workspace, skill.workspace))
  );
}

function sameDirectory(path: string, real: string): boolean {
  try {
    return realPathSoFar(path) === real;
  } catch {
    return false;
  }
}

/** How it is held, or why nothing holds it, in words. */
export function heldWords(
  declared: ServerDeclaration,
  row: Pick<McpRow, "unfenced" | "net"> | undefined,
  { os, account }: {
    readonly os: OsState;
    readonly account: Result<Account | undefined>;
  },
): string | undefined {
  if (declared.transport.kind === "http") {
    return "no process here: requests go to its address alone";
  }
  if (!account.ok) return undefined;
  const rights = row ?? { unfenced: false, net: false };
  const fence = fenceFor(rights, os, account.value);
  return fence.ok
    ? fenceWords(fence.value, account.value, rights.net)
    : undefined;
}

/** A row that pins something else, with what is known of the change. */
export function staleServer(
  name: string,
  row: McpRow,
  now: string,
  changes: string | undefined,
): Refusal {
  return refuse(
    "GRANT_STALE",
    `the row pins ${row.digest}, and the server ${name} is ${now} now: ${
      changes === undefined || changes === ""
        ? "what changed cannot be told, since the pinned one is not remembered here"
        : changes
    }`,
    "Look at the change; `skillfence mcp pin` prints the row that allows it as it is now.",
  );
}

/** A server that nobody granted. */
export function notGranted(skill: string, server: string): Refusal {
  return refuse(
    "NOT_GRANTED",
    `no row of MCP_SKILL_MCP grants the server ${server} of ${skill}`,
    `The owner can grant it: \`skillfence mcp pin ${skill} ${server}\` shows what it is and prints the row.`,
  );
}
