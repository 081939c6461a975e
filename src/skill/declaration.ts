/** The `mcp-host` block: what a skill asks for. It narrows, it never grants. */

import {
  isRecord,
  listOf,
  own,
  reportUnknownKeys,
  shown,
} from "./block_values.ts";
import { Findings } from "./findings.ts";
import type { Locate } from "./frontmatter.ts";
import { parseHostPattern } from "./host_pattern.ts";
import { readScript } from "./script_entry.ts";
import { readVariable } from "./variable_entry.ts";
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
  const scripts = readRun(own(block, "run"), findings);
  const egress = readEgress(own(block, "egress"), findings);
  const variables = readVariables(own(block, "env"), egress, findings);
  return { scripts, variables, egress };
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

function readVariables(
  env: unknown,
  egress: readonly HostPattern[],
  findings: Findings,
): ServerVariable[] {
  const variables = new Map<string, ServerVariable>();
  const path = ["mcp-host", "env"];
  const context = { findings, egress };
  for (const [i, entry] of listOf(env, path, findings, "variables").entries()) {
    const variable = readVariable(entry, [...path, i], context);
    if (variable === undefined) continue;
    if (variables.has(variable.name)) {
      // Of two entries only one may say whether the value is held back.
      findings.add({
        severity: "warning",
        path: [...path, i, "name"],
        detail: `${variable.name} is proposed already; the first entry stands`,
        hint: "Keep one entry for each variable.",
      });
    } else variables.set(variable.name, variable);
  }
  return [...variables.values()];
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
