/**
 * How an owner would let a script have what it was denied. For the command line
 * and its reader alone: a script must not put such a line before a model.
 */

import { visible } from "../base/text.ts";
import { NOT_GRANTED } from "../proxy/reasons.ts";
import { checkEnvName } from "../skill/env_names.ts";
import { parseHostPattern } from "../skill/host_pattern.ts";
import { admits } from "../skill/host_sets.ts";
import { isPrivateHost } from "../skill/private_hosts.ts";
import type { HostPattern } from "../skill/types.ts";
import { readDestination } from "./destinations.ts";
import type { Evidence, NetEntry } from "./types.ts";

/** What the skill declares, and for which script the lines are. */
export interface Declared {
  readonly skill: string;
  readonly script: string;
  readonly env: readonly string[];
  readonly egress: readonly HostPattern[];
}

/** One thing that could be declared or granted. */
export interface GrantLine {
  /** A variable's name or a host pattern. */
  readonly name: string;
  /** `declare`: its author must ask for it first; `grant`: the owner may. */
  readonly step: "declare" | "grant";
  /** In words, with the text to write. */
  readonly line: string;
}

/** Lines at most: more than this is no mistake in a grant. */
const LINES = 8;
/** Ports that a pattern without one admits. */
const DEFAULT_PORTS: readonly number[] = [443, 80];

/**
 * The lines for denied hosts and variables. None for what was denied although
 * it is granted, for a name that can never be granted, a private host, an
 * address, or what is no name at all.
 */
export function grantLines(
  evidence: Evidence,
  declared: Declared,
): GrantLine[] {
  const denied = (kind: "net" | "env") =>
    (evidence[kind] as readonly NetEntry[]).filter(({ verdict, reason }) =>
      verdict === "denied" && (reason === undefined || reason === NOT_GRANTED)
    ).map(({ what }) => what);
  const lines = [
    ...denied("net").flatMap((what) => hostLine(what, declared)),
    ...denied("env").flatMap((name) => variableLine(name, declared)),
  ];
  const distinct = new Map(lines.map((line) => [line.line, line]));
  return [...distinct.values()].slice(0, LINES);
}

function hostLine(what: string, declared: Declared): GrantLine[] {
  const { host, port } = readDestination(what);
  if (port === undefined) return [];
  const pattern = parseHostPattern(
    DEFAULT_PORTS.includes(port) ? host : `${host}:${port}`,
  );
  if (!pattern.ok || pattern.value.kind !== "name") return [];
  if (isPrivateHost(pattern.value)) return [];
  const name = pattern.value.text;
  return admits(declared.egress, host, port)
    ? [granted(name, "egress", declared)]
    : [{
      name,
      step: "declare",
      line: `mcp-host.egress of ${visible(declared.skill)}: ${
        JSON.stringify(name)
      }`,
    }];
}

function variableLine(name: string, declared: Declared): GrantLine[] {
  if (!checkEnvName(name).ok) return [];
  return declared.env.includes(name) ? [granted(name, "env", declared)] : [{
    name,
    step: "declare",
    line: `mcp-host.run[].env of ${visible(declared.skill)}, script ${
      visible(declared.script)
    }: ${JSON.stringify(name)}`,
  }];
}

function granted(
  name: string,
  key: "egress" | "env",
  { skill, script }: Declared,
): GrantLine {
  const row = JSON.stringify({ skill, script, [key]: [name] });
  return {
    name,
    step: "grant",
    line: `MCP_SKILL_RUN, added to its row: ${row}`,
  };
}
