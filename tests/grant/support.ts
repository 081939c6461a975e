/** Declarations and grants for these tests. */

import { parseHostPattern } from "../../src/skill/host_pattern.ts";
import { readGrant } from "../../src/grant/parse_grant.ts";
import type { Grant } from "../../src/grant/types.ts";
import type {
  Declaration,
  HostPattern,
  ScriptDeclaration,
} from "../../src/skill/types.ts";

/** A pattern that must parse. */
export function host(text: string): HostPattern {
  const parsed = parseHostPattern(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

/**
 * A declaration of scripts (path -> what it asks for), hosts and secret
 * variables (name -> where its value may go, undefined: anywhere).
 */
export function declares(
  scripts: Record<string, Partial<ScriptDeclaration>>,
  egress: string[] = [],
  secrets: Record<string, string[] | undefined> = {},
): Declaration {
  return {
    scripts: Object.entries(scripts).map(([script, more]) => ({
      script,
      interpreter: "deno",
      env: [],
      timeoutMs: 60_000,
      sockets: false,
      limits: {},
      ...more,
    })),
    variables: Object.entries(secrets).map(([name, hosts]) => ({
      name,
      secret: true,
      required: false,
      ...(hosts === undefined ? {} : { hosts: hosts.map(host) }),
    })),
    egress: egress.map(host),
  };
}

/** The grant of these rows. */
export function grantOf(...rows: unknown[]): Grant {
  return readGrant(JSON.stringify(rows), false);
}
