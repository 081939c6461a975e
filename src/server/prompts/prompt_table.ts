/** Every prompt that is offered: prompt files first, then one per skill. */

import { byCodeUnit } from "../../base/order.ts";
import type { Problem, Skill, Snapshot } from "../../catalog/types.ts";
import type { PromptFile, PromptSnapshot } from "../../prompt/types.ts";

/** One offered prompt. */
export type OfferedPrompt =
  | { readonly kind: "file"; readonly name: string; readonly file: PromptFile }
  | { readonly kind: "skill"; readonly name: string; readonly skill: Skill };

/** All offered prompts, and who has none because its name was taken. */
export interface PromptTable {
  /** Files in the order in which they claimed names, then skills by name. */
  readonly rows: readonly OfferedPrompt[];
  readonly byName: ReadonlyMap<string, OfferedPrompt>;
  readonly problems: readonly Problem[];
}

/**
 * A skill's name as the name of its prompt. A slash would end a slash command
 * in most clients; a dot stands in all of them.
 */
export function skillPromptName(skillName: string): string {
  return skillName.replaceAll("/", ".");
}

/** Puts the prompts of both snapshots in order; the first claim wins. */
export function promptTable(
  files: PromptSnapshot,
  skills: Snapshot,
): PromptTable {
  const byName = new Map<string, OfferedPrompt>();
  const problems: Problem[] = [];
  for (const [name, file] of files.prompts) {
    byName.set(name, { kind: "file", name, file });
  }
  for (const skill of skills.skills.values()) {
    const name = skillPromptName(skill.name);
    const earlier = byName.get(name);
    if (earlier === undefined) byName.set(name, { kind: "skill", name, skill });
    else problems.push(taken(skill, earlier, skills));
  }
  return { rows: [...byName.values()], byName, problems };
}

/** Where a list goes on after a row; the row may have gone meanwhile. */
export interface TablePosition {
  readonly name: string;
  /** Name of its skill; undefined: it is a file. */
  readonly skill: string | undefined;
  readonly index: number;
}

/** The position after row `index`. */
export function positionAfter(
  { rows }: PromptTable,
  index: number,
): TablePosition {
  const row = rows[index]!;
  return {
    name: row.name,
    skill: row.kind === "skill" ? row.skill.name : undefined,
    index,
  };
}

/** Index of the first row after a position: none is repeated while it stands. */
export function rowAfter({ rows }: PromptTable, at: TablePosition): number {
  const same = rows.findIndex(({ name }) => name === at.name);
  if (same >= 0) return same + 1;
  const files = rows.filter(({ kind }) => kind === "file").length;
  // A row that went shifted those after it by one.
  if (at.skill === undefined) return Math.min(at.index, files);
  const later = rows.findIndex((row) =>
    row.kind === "skill" && byCodeUnit(row.skill.name, at.skill!) > 0
  );
  return later >= 0 ? later : rows.length;
}

function taken(
  skill: Skill,
  earlier: OfferedPrompt,
  { roots }: Snapshot,
): Problem {
  const whose = earlier.kind === "file"
    ? "a prompt file"
    : `the skill ${earlier.skill.name}`;
  return {
    severity: "note",
    reason: "prompt-name-taken",
    skill: skill.name,
    root: roots[skill.rootIndex]?.path ?? "",
    path: skill.name,
    detail:
      `${whose} has the prompt ${earlier.name}, so this skill has none; the tools serve it all the same`,
    hint: "Rename one of them, if its prompt is wanted.",
  };
}
