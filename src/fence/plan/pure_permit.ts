/** The rights of a pure run: what its owner wrote down lets it run, no more. */

import type { Skill } from "../../catalog/types.ts";
import type { Permit } from "../../grant/types.ts";
import { INTERPRETER_NAMES } from "../interpreters.ts";

/** Milliseconds that a command of a text may take. */
export const PURE_TIMEOUT_MS = 10_000;

/** What a pure run is told. */
export interface PureRights {
  /** Accepted digests; undefined: any. */
  readonly bundles: readonly string[] | undefined;
  /** Absolute real directory that is read, and that it starts in. */
  readonly workspace: string | undefined;
}

/**
 * No network, no variable, no data directory, and the usual bounds. A declared
 * script keeps its interpreter; another one is read as Node reads it.
 */
export function purePermit(
  { declaration }: Pick<Skill, "declaration">,
  script: string,
  { bundles, workspace }: PureRights,
): Permit {
  const named = declaration.scripts.find((each) => each.script === script)
    ?.interpreter;
  return {
    declared: {
      script,
      interpreter: named !== undefined && INTERPRETER_NAMES.includes(named)
        ? named
        : "node",
      env: [],
      timeoutMs: PURE_TIMEOUT_MS,
      ...(workspace === undefined ? {} : { workspace: "read" }),
      sockets: false,
      limits: {},
    },
    env: [],
    egress: [],
    bundles,
    workspace,
    exactHosts: [],
    selfGranted: false,
    sockets: false,
    secrets: [],
  };
}
