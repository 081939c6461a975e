/** One entry of `mcp-host.env`: a variable the skill proposes to its owner. */

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
import { parseHostPattern } from "./host_pattern.ts";
import { admits } from "./host_sets.ts";
import type { HostPattern, ServerVariable } from "./types.ts";

const VARIABLE_KEYS = ["name", "description", "secret", "required", "hosts"];

/** What an entry is read against. */
export interface VariableContext {
  readonly findings: Findings;
  /** The declared hosts: a value is never sent anywhere else. */
  readonly egress: readonly HostPattern[];
}

/** Reads one entry; undefined when it has no usable name. All faults are reported. */
export function readVariable(
  entry: unknown,
  path: readonly PathStep[],
  context: VariableContext,
): ServerVariable | undefined {
  const { findings } = context;
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
  const secret = readFlag(entry, "secret", path, findings);
  const hosts = readHosts(entry, secret, [...path, "hosts"], context);
  return {
    name,
    ...(typeof description === "string" ? { description } : {}),
    secret,
    required: readFlag(entry, "required", path, findings),
    ...(hosts === undefined ? {} : { hosts }),
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

/**
 * Undefined only where the key is absent or the variable is no secret. A list
 * of which nothing is left still holds the value back: from everybody.
 */
function readHosts(
  entry: Record<string, unknown>,
  secret: boolean,
  path: readonly PathStep[],
  { findings, egress }: VariableContext,
): HostPattern[] | undefined {
  const value = own(entry, "hosts");
  if (value === undefined) return undefined;
  if (!secret) {
    findings.add({
      severity: "warning",
      path,
      detail: "stands without secret: true and is ignored",
      hint: "Add secret: true, so that the value is sent to these hosts only.",
    });
    return undefined;
  }
  const hosts = new Map<string, HostPattern>();
  for (const [i, text] of listOf(value, path, findings, "hosts").entries()) {
    const read = readHost(text, egress);
    if ("host" in read) hosts.set(read.host.text, read.host);
    else {
      findings.add({
        severity: "warning",
        path: [...path, i],
        detail: `${read.why}; left out`,
        hint: "Name a host exactly, with the port under which egress has it.",
      });
    }
  }
  if (hosts.size === 0) {
    findings.add({
      severity: "warning",
      path,
      detail: "names no usable host; the value is held back from all of them",
      hint: "Name the hosts, each also under egress, or remove hosts.",
    });
  }
  return [...hosts.values()];
}

function readHost(
  text: unknown,
  egress: readonly HostPattern[],
): { readonly host: HostPattern } | { readonly why: string } {
  if (typeof text !== "string") return { why: `${shown(text)} is not text` };
  const parsed = parseHostPattern(text);
  if (!parsed.ok) return { why: parsed.message };
  const host = parsed.value;
  if (host.kind === "wildcard") {
    return {
      why: `${shown(text)} is a wildcard, and a value needs exact hosts`,
    };
  }
  return host.ports.every((port) => admits(egress, host.host, port))
    ? { host }
    : { why: `${shown(text)} is not within the declared egress` };
}
