/** `MCP_SKILL_RENDER`: commands that may run when a text is loaded. */

import { visible } from "../base/text.ts";
import { isRecord, own, shown, unknownKeys } from "../skill/block_values.ts";
import {
  digestIn,
  parseList,
  type Read,
  rowName,
  wordIn,
  workspaceIn,
} from "./row_values.ts";
import type { GrantNote, RenderGrant, RenderRow } from "./types.ts";

const ROW_KEYS = ["skill", "command", "bundle", "workspace"];
const SHAPE =
  'Write a JSON array of rows such as {"skill":"review","command":["git","branch","--show-current"]}.';

/**
 * Reads the rows. Unset, blank or unreadable text lets nothing run; a bad row
 * voids itself alone; an unknown key is ignored and noted. Never throws.
 */
export function readRenderGrant(text: string | undefined): RenderGrant {
  if (text === undefined || text.trim() === "") return { rows: [], notes: [] };
  const list = parseList(text);
  if ("why" in list) {
    return {
      rows: [],
      notes: [{
        severity: "error",
        reason: "render-unreadable",
        detail:
          `MCP_SKILL_RENDER ${list.why}, so no command of any text runs until it is fixed.`,
        hint: SHAPE,
      }],
    };
  }
  const rows: RenderRow[] = [];
  const notes: GrantNote[] = [];
  for (const [index, item] of list.value.entries()) {
    const row = readRow(item, index);
    if ("value" in row) rows.push(row.value);
    else {
      notes.push({
        severity: "error",
        reason: "render-row",
        detail: `${
          rowName(index)
        } of MCP_SKILL_RENDER lets nothing run: ${row.why}.`,
        hint: SHAPE,
      });
    }
    if (isRecord(item)) notes.push(...strayKeys(item, index));
  }
  return { rows, notes };
}

function readRow(item: unknown, index: number): Read<RenderRow> {
  if (!isRecord(item)) return { why: `it is ${shown(item)}, not an object` };
  const skill = wordIn(item, "skill");
  if ("why" in skill) return skill;
  const command = readCommand(own(item, "command"));
  if ("why" in command) return command;
  const bundle = digestIn(item, "bundle");
  if ("why" in bundle) return bundle;
  const workspace = workspaceIn(item);
  if ("why" in workspace) return workspace;
  return {
    value: {
      index,
      skill: skill.value,
      command: command.value,
      bundle: bundle.value,
      workspace: workspace.value,
    },
  };
}

function readCommand(value: unknown): Read<readonly string[]> {
  if (value === undefined) return { why: "it has no command" };
  if (!Array.isArray(value) || value.length === 0) {
    return { why: `its command is ${shown(value)}, not a list of words` };
  }
  const odd = value.find((word) => typeof word !== "string");
  if (odd !== undefined || !value.every((word) => typeof word === "string")) {
    return { why: `its command holds ${shown(odd)}, which is no word` };
  }
  return value[0] === ""
    ? { why: "the first word of its command is empty" }
    : { value };
}

function strayKeys(item: Record<string, unknown>, index: number): GrantNote[] {
  return unknownKeys(item, ROW_KEYS).map(({ key, hint }) => ({
    severity: "warning",
    reason: "render-key",
    detail: `${rowName(index)} of MCP_SKILL_RENDER holds the unknown key "${
      visible(key, 60)
    }", which is ignored.`,
    hint,
  }));
}
