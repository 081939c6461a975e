/** What is worth saying about `MCP_SKILL_RENDER` and `MCP_SKILL_MCP`. */

import { visible } from "../base/text.ts";
import type { Skill, Snapshot } from "../catalog/types.ts";
import type { GrantNote, McpRow } from "../grant/types.ts";
import { rowName } from "../grant/row_values.ts";
import type { Engine } from "./engine_types.ts";

/** A note, and the variable it is about. */
export interface LaterNote {
  readonly variable: "MCP_SKILL_RENDER" | "MCP_SKILL_MCP";
  readonly note: GrantNote;
}

type Doors = Pick<Engine, "renderGrant" | "mcpGrant" | "upstream">;

/** Notes of the reading, then of rows that do nothing here. Starts nothing. */
export async function laterGrantNotes(
  { renderGrant, mcpGrant, upstream }: Doors,
  { skills }: Pick<Snapshot, "skills">,
): Promise<readonly LaterNote[]> {
  const notes: LaterNote[] = [
    ...renderGrant.notes.map((note) => ({
      variable: "MCP_SKILL_RENDER" as const,
      note,
    })),
    ...renderGrant.rows.filter(({ skill }) => !skills.has(skill))
      .map(({ index, skill }) => ({
        variable: "MCP_SKILL_RENDER" as const,
        note: noSkill("render-row", index, skill),
      })),
    ...mcpGrant.notes.map((note) => ({
      variable: "MCP_SKILL_MCP" as const,
      note,
    })),
  ];
  for (const row of mcpGrant.rows) {
    const skill = skills.get(row.skill);
    const note = skill === undefined
      ? noSkill("mcp-row", row.index, row.skill)
      : await serverNote(upstream, skill, row);
    if (note !== undefined) notes.push({ variable: "MCP_SKILL_MCP", note });
  }
  return notes;
}

/** Undefined: the server can be started. */
async function serverNote(
  upstream: Doors["upstream"],
  skill: Skill,
  { index, server }: McpRow,
): Promise<GrantNote | undefined> {
  const states = await upstream.servers(skill);
  const found = states.find(({ declared }) => declared.name === server);
  if (found?.state === "ready") return undefined;
  const what = `${rowName(index)} (${visible(skill.name)}, ${visible(server)})`;
  return found === undefined
    ? {
      severity: "warning",
      reason: "mcp-row",
      detail: `${what} names a server that the skill does not declare.`,
      hint: "Use a name that skill_tools shows, or remove the row.",
    }
    : {
      severity: "warning",
      reason: "mcp-row",
      detail: `${what} starts nothing, ${found.state}: ${found.why ?? ""}`,
      hint: 'Look at it with "skillfence mcp pin" and set its new row.',
    };
}

function noSkill(reason: string, index: number, skill: string): GrantNote {
  return {
    severity: "warning",
    reason,
    detail: `${rowName(index)} names the skill "${
      visible(skill)
    }", which is not served.`,
    hint: "Use a name that skillfence list shows, or remove the row.",
  };
}
