/** Which rows of `MCP_SKILL_RENDER` a command of a text has. */

import type { RenderGrant, RenderRow } from "./types.ts";
import { isOfWorkspace, type RealPath, whyNotBound } from "./workspace_rows.ts";

/** A command as it stands in a text. */
export interface RenderQuestion {
  /** Name as served. */
  readonly skill: string;
  readonly words: readonly string[];
  /** Real workspace that the skill itself comes from. */
  readonly from: string | undefined;
  /** Real workspace that the command would see. */
  readonly workspace: string | undefined;
}

/** What the rows say. */
export interface RenderPermit {
  /** Accepted digests; undefined: no row pins one. */
  readonly bundles: readonly string[] | undefined;
}

/**
 * The permit of a command, or undefined when no row has exactly its skill and
 * its words. A row with a workspace counts in that one only, by real path; a
 * skill of a workspace needs a row that names it and pins the bundle.
 */
export function renderPermit(
  { skill, words, from, workspace }: RenderQuestion,
  { rows }: RenderGrant,
  realPath: RealPath = Deno.realPathSync,
): RenderPermit | undefined {
  const counting = rows.filter((row) =>
    row.skill === skill && sameWords(row.command, words) &&
    whyNotBound(row, { skill, workspace: from }, realPath) === undefined &&
    (row.workspace === undefined || isAt(row.workspace, workspace, realPath))
  );
  if (counting.length === 0) return undefined;
  // As for scripts: once a row pins, only pinned bundles run.
  const bundles = counting.flatMap(({ bundle }) => bundle ?? []);
  return { bundles: bundles.length === 0 ? undefined : bundles };
}

function isAt(
  path: string,
  real: string | undefined,
  realPath: RealPath,
): boolean {
  try {
    return real !== undefined && realPath(path) === real;
  } catch {
    // Not there.
    return false;
  }
}

/** Whether only rows with a workspace and a bundle count for a skill. */
export function mustPin(
  { skill, from }: Pick<RenderQuestion, "skill" | "from">,
): boolean {
  return isOfWorkspace({ skill, workspace: from });
}

/** The row, as JSON, that would let a command run: harmless to print. */
export function renderRowText(
  { skill, words, from }: RenderQuestion,
  bundle: string | undefined,
): string {
  const row: Partial<RenderRow> = {
    skill,
    command: words,
    ...(bundle === undefined ? {} : { bundle }),
    ...(from === undefined ? {} : { workspace: from }),
  };
  return JSON.stringify(row).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function sameWords(one: readonly string[], two: readonly string[]): boolean {
  return one.length === two.length &&
    one.every((word, at) => word === two[at]);
}
