/** One entry of `mcp-host.run`. */

import {
  isRecord,
  listOf,
  own,
  reportUnknownKeys,
  shown,
} from "./block_values.ts";
import { checkEnvName } from "./env_names.ts";
import type { Findings } from "./findings.ts";
import type { PathStep } from "./frontmatter.ts";
import { readLimits } from "./limit_wishes.ts";
import { checkPath } from "./paths.ts";
import type { ScriptDeclaration } from "./types.ts";

/** Milliseconds a script gets when it asks for nothing. */
export const DEFAULT_TIMEOUT_MS = 60_000;
/** Milliseconds no script gets more of. */
export const MAX_TIMEOUT_MS = 300_000;

const SCRIPT_KEYS = [
  "script",
  "interpreter",
  "env",
  "timeout",
  "workspace",
  "sockets",
  "limits",
];

/**
 * Reads one entry; undefined when it names no usable script or interpreter.
 * Smaller faults cost only what they are about. All are reported.
 */
export function readScript(
  entry: unknown,
  path: readonly PathStep[],
  findings: Findings,
): ScriptDeclaration | undefined {
  if (!isRecord(entry)) {
    return drop(path, "is not a mapping", "Write script: and interpreter:.");
  }
  reportUnknownKeys(entry, SCRIPT_KEYS, path, findings);
  const script = own(entry, "script");
  if (typeof script !== "string") {
    return drop(
      [...path, "script"],
      script === undefined ? "is missing" : `${shown(script)} is not text`,
      "Name a file of the skill, such as scripts/run.js.",
    );
  }
  const checked = checkPath(script);
  if (!checked.ok) {
    return drop([...path, "script"], checked.message, checked.hint);
  }
  const interpreter = own(entry, "interpreter");
  if (typeof interpreter !== "string" || interpreter.trim() === "") {
    return drop(
      [...path, "interpreter"],
      interpreter === undefined
        ? "is missing"
        : `${shown(interpreter)} is not a name`,
      "Write interpreter: deno or interpreter: node.",
    );
  }
  const workspace = readWorkspace(own(entry, "workspace"), path, findings);
  return {
    script,
    interpreter,
    env: readNames(own(entry, "env"), [...path, "env"], findings),
    timeoutMs: readTimeout(own(entry, "timeout"), path, findings),
    ...(workspace === undefined ? {} : { workspace }),
    sockets: readSockets(own(entry, "sockets"), path, findings),
    limits: readLimits(own(entry, "limits"), [...path, "limits"], findings),
  };

  function drop(
    place: readonly PathStep[],
    why: string,
    hint: string,
  ): undefined {
    findings.add({
      severity: "error",
      path: place,
      detail: `${why}; the entry is left out`,
      hint,
    });
    return undefined;
  }
}

function readNames(
  env: unknown,
  path: readonly PathStep[],
  findings: Findings,
): string[] {
  const names = new Set<string>();
  for (const [i, name] of listOf(env, path, findings, "variables").entries()) {
    const checked = typeof name === "string"
      ? checkEnvName(name)
      : { ok: false as const, message: `${shown(name)} is not text`, hint: "" };
    if (checked.ok) {
      names.add(checked.value);
      continue;
    }
    findings.add({
      severity: "warning",
      path: [...path, i],
      detail: `${checked.message}; left out`,
      hint: checked.hint || "Write the variable's name as text.",
    });
  }
  return [...names];
}

function readTimeout(
  timeout: unknown,
  path: readonly PathStep[],
  findings: Findings,
): number {
  if (timeout === undefined) return DEFAULT_TIMEOUT_MS;
  const valid = typeof timeout === "number" && timeout > 0;
  const asked = valid ? Math.round(timeout * 1000) : DEFAULT_TIMEOUT_MS;
  const given = Math.min(Math.max(asked, 1), MAX_TIMEOUT_MS);
  if (!valid || given !== asked) {
    findings.add({
      severity: "warning",
      path: [...path, "timeout"],
      detail: valid
        ? `${timeout} s is out of range; ${given / 1000} s is used`
        : `${shown(timeout)} is not a number of seconds above 0; ${
          given / 1000
        } s is used`,
      hint: `Write seconds, above 0 and at most ${MAX_TIMEOUT_MS / 1000}.`,
    });
  }
  return given;
}

function readWorkspace(
  workspace: unknown,
  path: readonly PathStep[],
  findings: Findings,
): "read" | "write" | undefined {
  if (
    workspace === undefined || workspace === "read" || workspace === "write"
  ) return workspace;
  findings.add({
    severity: "warning",
    path: [...path, "workspace"],
    detail: `${shown(workspace)} is neither read nor write; no workspace`,
    hint: "Write workspace: read or workspace: write.",
  });
  return undefined;
}

function readSockets(
  sockets: unknown,
  path: readonly PathStep[],
  findings: Findings,
): boolean {
  if (sockets === undefined || typeof sockets === "boolean") {
    return sockets ?? false;
  }
  findings.add({
    severity: "warning",
    path: [...path, "sockets"],
    detail: `${shown(sockets)} is neither true nor false; false is taken`,
    hint: "Write sockets: true only for a script that needs raw sockets.",
  });
  return false;
}
