/** `MCP_SKILL_MCP`: the owner's rows for declared MCP servers, each by itself. */

import { isAbsolute } from "node:path";
import { visible } from "../base/text.ts";
import { isRecord, own, shown, unknownKeys } from "../skill/block_values.ts";
import { checkEnvName } from "../skill/env_names.ts";
import { rowName } from "./parse_grant.ts";
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
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** Names in one list of a row. */
const MOST = 256;

/** A value read, or why it cannot be. */
type Read<T> = { readonly value: T } | { readonly why: string };

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

function parseList(text: string): Read<readonly unknown[]> {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value)
      ? { value }
      : { why: `holds ${shown(value)}, not a JSON array` };
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    return { why: `is not valid JSON (${visible(message, 120)})` };
  }
}

function readRow(item: unknown, index: number): Read<McpRow> {
  if (!isRecord(item)) return { why: `it is ${shown(item)}, not an object` };
  const skill = word(item, "skill");
  if ("why" in skill) return skill;
  const server = word(item, "server");
  if ("why" in server) return server;
  const digest = digestIn(item, "digest");
  if ("why" in digest) return digest;
  const tools = digestIn(item, "tools");
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
  const url = optional(item, "url", "an address", isHttp);
  if ("why" in url) return url;
  const workspace = optional(item, "workspace", "an absolute path", isPath);
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

function word(
  item: Record<string, unknown>,
  key: "skill" | "server",
): Read<string> {
  const value = own(item, key);
  if (typeof value === "string" && value !== "") return { value };
  return value === undefined
    ? { why: `it has no ${key}` }
    : { why: `its ${key} is ${shown(value)}, not a name` };
}

function digestIn(
  item: Record<string, unknown>,
  key: "digest" | "tools",
): Read<string> {
  const value = own(item, key);
  if (value === undefined) return { why: `it has no ${key}` };
  const digest = typeof value === "string" ? value.toLowerCase() : "";
  return DIGEST.test(digest)
    ? { value: digest }
    : { why: `its ${key} is ${shown(value)}, not sha256: and 64 hex digits` };
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

function optional(
  item: Record<string, unknown>,
  key: "url" | "workspace",
  what: string,
  holds: (value: string) => boolean,
): Read<string | undefined> {
  const value = own(item, key);
  if (value === undefined) return { value };
  return typeof value === "string" && holds(value)
    ? { value }
    : { why: `its ${key} is ${shown(value)}, not ${what}` };
}

function isHttp(value: string): boolean {
  return /^https?:\/\//.test(value) && URL.canParse(value);
}

function isPath(value: string): boolean {
  return isAbsolute(value) && !value.includes("\0");
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
