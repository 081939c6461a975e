/** The `mcp-host` block: what a skill asks for. It narrows, it never grants. */

import {
  isRecord,
  listOf,
  own,
  reportUnknownKeys,
  shown,
} from "./block_values.ts";
import { checkEnvName } from "./env_names.ts";
import { Findings } from "./findings.ts";
import type { Locate, PathStep } from "./frontmatter.ts";
import { parseHostPattern } from "./host_pattern.ts";
import { readScript } from "./script_entry.ts";
import type {
  Declaration,
  Finding,
  HostPattern,
  ScriptDeclaration,
  ServerVariable,
} from "./types.ts";

/** The one version of the block that is understood. */
const BLOCK_VERSION = 1;
const BLOCK_KEYS = ["version", "run", "env", "egress", "state"];
const VARIABLE_KEYS = ["name", "description", "secret", "required"];

/** What a skill without a block declares: nothing. */
export const EMPTY_DECLARATION: Declaration = Object.freeze({
  scripts: Object.freeze([]),
  variables: Object.freeze([]),
  egress: Object.freeze([]),
});

/**
 * Reads the value of the frontmatter's `mcp-host` key. What is wrong costs as
 * little as can be (a name, an entry, a host) and is reported; a block that is
 * no mapping or of another version is ignored as a whole.
 */
export function readDeclaration(
  block: unknown,
  locate: Locate,
): { declaration: Declaration; findings: Finding[] } {
  const findings = new Findings("declaration", locate);
  const read = readBlock(block, findings);
  return { declaration: read ?? EMPTY_DECLARATION, findings: findings.list() };
}

function readBlock(
  block: unknown,
  findings: Findings,
): Declaration | undefined {
  const path = ["mcp-host"];
  if (!isRecord(block)) {
    findings.add({
      severity: "error",
      path,
      detail: "is not a mapping; the skill runs nothing",
      hint: "Write version: 1 and run: below it.",
    });
    return undefined;
  }
  if (own(block, "version") !== BLOCK_VERSION) {
    const given = own(block, "version");
    findings.add({
      severity: "error",
      path: [...path, "version"],
      detail: given === undefined
        ? "is missing; the whole block is ignored"
        : `${shown(given)} is not understood; the whole block is ignored`,
      hint: `Write version: ${BLOCK_VERSION}.`,
    });
    return undefined;
  }
  reportUnknownKeys(block, BLOCK_KEYS, path, findings);
  return {
    scripts: readRun(own(block, "run"), findings),
    variables: readVariables(own(block, "env"), findings),
    egress: readEgress(own(block, "egress"), findings),
  };
}

function readRun(run: unknown, findings: Findings): ScriptDeclaration[] {
  const scripts = new Map<string, ScriptDeclaration>();
  const path = ["mcp-host", "run"];
  for (const [i, entry] of listOf(run, path, findings, "scripts").entries()) {
    const script = readScript(entry, [...path, i], findings);
    if (script === undefined) continue;
    if (scripts.has(script.script)) {
      findings.add({
        severity: "warning",
        path: [...path, i, "script"],
        detail: `${
          shown(script.script)
        } is declared already; the first entry stands`,
        hint: "Keep one entry for each script.",
      });
    } else scripts.set(script.script, script);
  }
  return [...scripts.values()];
}

function readVariables(env: unknown, findings: Findings): ServerVariable[] {
  const variables = new Map<string, ServerVariable>();
  const path = ["mcp-host", "env"];
  for (const [i, entry] of listOf(env, path, findings, "variables").entries()) {
    const variable = readVariable(entry, [...path, i], findings);
    if (variable !== undefined && !variables.has(variable.name)) {
      variables.set(variable.name, variable);
    }
  }
  return [...variables.values()];
}

function readVariable(
  entry: unknown,
  path: readonly PathStep[],
  findings: Findings,
): ServerVariable | undefined {
  const name = isRecord(entry) ? own(entry, "name") : undefined;
  if (!isRecord(entry) || typeof name !== "string") {
    findings.add({
      severity: "warning",
      path,
      detail: "is not a mapping with a name; left out",
      hint: "Write - name: SOME_VARIABLE.",
    });
    return undefined;
  }
  reportUnknownKeys(entry, VARIABLE_KEYS, path, findings);
  const checked = checkEnvName(name);
  if (!checked.ok) {
    const { message, hint } = checked;
    findings.add({
      severity: "warning",
      path: [...path, "name"],
      detail: message,
      hint,
    });
    return undefined;
  }
  const description = own(entry, "description");
  return {
    name,
    ...(typeof description === "string" ? { description } : {}),
    secret: readFlag(entry, "secret", path, findings),
    required: readFlag(entry, "required", path, findings),
  };
}

function readFlag(
  entry: Record<string, unknown>,
  key: "secret" | "required",
  path: readonly PathStep[],
  findings: Findings,
): boolean {
  const value = own(entry, key);
  if (value === undefined || typeof value === "boolean") return value ?? false;
  findings.add({
    severity: "warning",
    path: [...path, key],
    detail: `${shown(value)} is neither true nor false; true is taken`,
    hint: "Write true or false.",
  });
  return true;
}

function readEgress(egress: unknown, findings: Findings): HostPattern[] {
  const hosts = new Map<string, HostPattern>();
  const path = ["mcp-host", "egress"];
  for (const [i, host] of listOf(egress, path, findings, "hosts").entries()) {
    const parsed = typeof host === "string"
      ? parseHostPattern(host)
      : { ok: false as const, message: `${shown(host)} is not text`, hint: "" };
    if (parsed.ok) {
      hosts.set(parsed.value.text, parsed.value);
      continue;
    }
    findings.add({
      severity: "warning",
      path: [...path, i],
      detail: `${parsed.message}; left out`,
      hint: parsed.hint || "Quote the host.",
    });
  }
  return [...hosts.values()];
}
