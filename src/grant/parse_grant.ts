/** `MCP_SKILL_RUN`: the owner's rows, each read by itself. */

import { visible } from "../base/text.ts";
import { isRecord, own, shown, unknownKeys } from "../skill/block_values.ts";
import { parseHostPattern } from "../skill/host_pattern.ts";
import type { HostPattern } from "../skill/types.ts";
import { readGrantedEnv, strayEnvKeys } from "./granted_env.ts";
import {
  digestIn,
  parseList,
  type Read,
  rowName,
  wordIn,
  workspaceIn,
} from "./row_values.ts";
import type { Grant, GrantNote, GrantRow } from "./types.ts";

const ROW_KEYS = [
  "skill",
  "script",
  "env",
  "egress",
  "bundle",
  "workspace",
  "sockets",
];
const SHAPE =
  'Write a JSON array of rows such as {"skill":"weather","script":"scripts/forecast.js","env":["WEATHER_API_KEY"],"egress":["api.weather.example"]}.';

/**
 * Reads the grant. Unset or blank text leaves the default: nothing when
 * `hosted`, the declarations otherwise. Text that is no JSON array grants
 * nothing (`grant-unreadable`); a bad row voids itself alone (`grant-row`);
 * an unknown key is ignored (`grant-key`). Never throws.
 */
export function readGrant(text: string | undefined, hosted: boolean): Grant {
  if (text === undefined || text.trim() === "") {
    const from = hosted ? "hosted-default" : "declaration";
    return { from, rows: [], notes: [] };
  }
  const list = parseList(text);
  if ("why" in list) {
    const notes: GrantNote[] = [{
      severity: "error",
      reason: "grant-unreadable",
      detail:
        `MCP_SKILL_RUN ${list.why}, so nothing is granted and no script runs until it is fixed.`,
      hint: SHAPE,
    }];
    return { from: "MCP_SKILL_RUN", rows: [], notes };
  }
  const rows: GrantRow[] = [];
  const notes: GrantNote[] = [];
  for (const [index, item] of list.value.entries()) {
    const row = readRow(item, index);
    if ("why" in row) notes.push(badRow(index, row.why));
    else rows.push(row.value);
    if (isRecord(item)) notes.push(...strayKeys(item, index));
  }
  return { from: "MCP_SKILL_RUN", rows, notes };
}

function readRow(item: unknown, index: number): Read<GrantRow> {
  if (!isRecord(item)) return { why: `it is ${shown(item)}, not an object` };
  const skill = wordIn(item, "skill");
  if ("why" in skill) return skill;
  const script = wordIn(item, "script");
  if ("why" in script) return script;
  const env = readGrantedEnv(own(item, "env"));
  if ("why" in env) return env;
  const egress = readHosts(item);
  if ("why" in egress) return egress;
  const bundle = digestIn(item, "bundle");
  if ("why" in bundle) return bundle;
  const workspace = workspaceIn(item);
  if ("why" in workspace) return workspace;
  const sockets = readSockets(own(item, "sockets"));
  if ("why" in sockets) return sockets;
  return {
    value: {
      index,
      skill: skill.value,
      script: script.value,
      env: env.value,
      egress: egress.value,
      bundle: bundle.value,
      workspace: workspace.value,
      sockets: sockets.value,
    },
  };
}

function readHosts(
  item: Record<string, unknown>,
): Read<readonly HostPattern[] | undefined> {
  const value = own(item, "egress");
  if (value === undefined) return { value };
  if (!Array.isArray(value)) {
    return { why: `its egress is ${shown(value)}, not a list` };
  }
  const hosts = new Map<string, HostPattern>();
  for (const text of value) {
    if (typeof text !== "string") {
      return { why: `its egress holds ${shown(text)}, which is not text` };
    }
    const parsed = parseHostPattern(text);
    if (!parsed.ok) return { why: parsed.message };
    hosts.set(parsed.value.text, parsed.value);
  }
  return { value: [...hosts.values()] };
}

function readSockets(value: unknown): Read<boolean> {
  return value === undefined || typeof value === "boolean"
    ? { value: value ?? false }
    : { why: `its sockets is ${shown(value)}, not true or false` };
}

function badRow(index: number, why: string): GrantNote {
  return {
    severity: "error",
    reason: "grant-row",
    detail: `${rowName(index)} grants nothing: ${why}.`,
    hint: SHAPE,
  };
}

function strayKeys(item: Record<string, unknown>, index: number): GrantNote[] {
  const note =
    (where: string) =>
    ({ key, hint }: { key: string; hint: string }): GrantNote => ({
      severity: "warning",
      reason: "grant-key",
      detail: `${rowName(index)} holds the unknown key "${
        visible(key, 60)
      }"${where}, which is ignored.`,
      hint,
    });
  return [
    ...unknownKeys(item, ROW_KEYS).map(note("")),
    ...strayEnvKeys(own(item, "env")).map(note(" in its env")),
  ];
}
