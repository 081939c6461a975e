/** `MCP_SKILL_MCP`: the owner's rows for declared MCP servers, each by itself. */

import { visible } from "../base/text.ts";
import { isRecord, own, shown, unknownKeys } from "../skill/block_values.ts";
import { checkEnvName } from "../skill/env_names.ts";
import {
  digestIn,
  parseList,
  type Read,
  rowName,
  wordIn,
  workspaceIn,
} from "./row_values.ts";
import type { GrantNote, McpGrant, McpRow } from "./types.ts";

const ROW_KEYS = [
  "skill",
  "server",
  "digest",
  "tools",
  "env",
  "net",
  "trusted",
  "unfenced",
  "url",
  "workspace",
];
const SHAPE =
  "Write a JSON array of the rows that `skillfence mcp pin SKILL SERVER` prints.";
/** Names in one list of a row. */
const MOST = 256;

/**
 * Reads the grant. Unset or blank text grants nothing. Text that is no JSON
 * array grants nothing (`mcp-unreadable`); a bad row voids itself alone
 * (`mcp-row`), as does a second one for the same server of the same skill and
 * workspace; an unknown key is ignored (`mcp-key`). Never throws.
 */
export function readMcpGrant(text: string | undefined): McpGrant {
  if (text === undefined || text.trim() === "") return { rows: [], notes: [] };
  const list = parseList(text);
  if ("why" in list) {
    return {
      rows: [],
      notes: [{
        severity: "error",
        reason: "mcp-unreadable",
        detail:
          `MCP_SKILL_MCP ${list.why}, so no declared server starts until it is fixed.`,
        hint: SHAPE,
      }],
    };
  }
  const rows = new Map<string, McpRow>();
  const notes: GrantNote[] = [];
  for (const [index, item] of list.value.entries()) {
    const row = readRow(item, index);
    if ("why" in row) notes.push(badRow(index, row.why));
    else {
      const { skill, server, workspace } = row.value;
      const key = JSON.stringify([skill, server, workspace]);
      const first = rows.get(key);
      if (first === undefined) rows.set(key, row.value);
      else {
        const why = `${rowName(first.index)} is for the same server`;
        notes.push(badRow(index, why));
      }
    }
    if (isRecord(item)) notes.push(...strayKeys(item, index));
  }
  return { rows: [...rows.values()], notes };
}

function readRow(item: unknown, index: number): Read<McpRow> {
  if (!isRecord(item)) return { why: `it is ${shown(item)}, not an object` };
  const skill = wordIn(item, "skill");
  if ("why" in skill) return skill;
  const server = wordIn(item, "server");
  if ("why" in server) return server;
  const digest = pinIn(item, "digest");
  if ("why" in digest) return digest;
  const tools = pinIn(item, "tools");
  if ("why" in tools) return tools;
  const env = names(item, "env");
  if ("why" in env) return env;
  for (const name of env.value) {
    const checked = checkEnvName(name);
    if (!checked.ok) return { why: `in its env, ${checked.message}` };
  }
  const trusted = names(item, "trusted");
  if ("why" in trusted) return trusted;
  const net = flag(item, "net");
  if ("why" in net) return net;
  const unfenced = flag(item, "unfenced");
  if ("why" in unfenced) return unfenced;
  const url = addressIn(item);
  if ("why" in url) return url;
  const workspace = workspaceIn(item);
  if ("why" in workspace) return workspace;
  return {
    value: {
      index,
      skill: skill.value,
      server: server.value,
      digest: digest.value,
      tools: tools.value,
      env: env.value,
      net: net.value,
      trusted: trusted.value,
      unfenced: unfenced.value,
      url: url.value,
      workspace: workspace.value,
    },
  };
}

function pinIn(
  item: Record<string, unknown>,
  key: "digest" | "tools",
): Read<string> {
  const read = digestIn(item, key);
  if ("why" in read) return read;
  const { value } = read;
  return value === undefined ? { why: `it has no ${key}` } : { value };
}

function names(
  item: Record<string, unknown>,
  key: "env" | "trusted",
): Read<readonly string[]> {
  const value = own(item, key);
  if (value === undefined) return { value: [] };
  if (!Array.isArray(value)) {
    return { why: `its ${key} is ${shown(value)}, not a list` };
  }
  if (value.length > MOST) {
    return { why: `its ${key} holds over ${MOST} names` };
  }
  for (const name of value) {
    if (typeof name !== "string" || name === "") {
      return { why: `its ${key} holds ${shown(name)}, which is no name` };
    }
  }
  return { value: [...new Set<string>(value)] };
}

function flag(
  item: Record<string, unknown>,
  key: "net" | "unfenced",
): Read<boolean> {
  const value = own(item, key) ?? false;
  return typeof value === "boolean"
    ? { value }
    : { why: `its ${key} is ${shown(value)}, not true or false` };
}

function addressIn(
  item: Record<string, unknown>,
): Read<string | undefined> {
  const value = own(item, "url");
  if (value === undefined) return { value };
  return typeof value === "string" && isHttp(value)
    ? { value }
    : { why: `its url is ${shown(value)}, not an address` };
}

function isHttp(value: string): boolean {
  return /^https?:\/\//.test(value) && URL.canParse(value);
}

function badRow(index: number, why: string): GrantNote {
  return {
    severity: "error",
    reason: "mcp-row",
    detail: `${rowName(index)} of MCP_SKILL_MCP starts nothing: ${why}.`,
    hint: SHAPE,
  };
}

function strayKeys(item: Record<string, unknown>, index: number): GrantNote[] {
  return unknownKeys(item, ROW_KEYS).map(({ key, hint }) => ({
    severity: "warning",
    reason: "mcp-key",
    detail: `${rowName(index)} of MCP_SKILL_MCP holds the unknown key "${
      visible(key, 60)
    }", which is ignored.`,
    hint,
  }));
}
