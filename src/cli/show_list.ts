/** What `skill_list` answers, for people. */

import { join } from "node:path";
import { visible } from "../base/text.ts";
import type { Problem } from "../catalog/types.ts";
import type { ListedSkill } from "../server/listed_skill.ts";
import type { PromptTable } from "../server/prompts/prompt_table.ts";
import type { Paint, Screen } from "./screen.ts";
import { type Cell, table } from "./table.ts";

/** The skills as a table, without a trailing newline. */
export function showSkills(
  skills: readonly ListedSkill[],
  screen: Screen,
): string {
  if (skills.length === 0) return "No skills.";
  const { paint } = screen;
  const head = ["SKILL", "FILES", "SCRIPTS", "KIND", "DESCRIPTION"].map((
    text,
    i,
  ) => ({
    text,
    paint: paint.quiet,
    right: i === 1,
  }));
  const rows = skills.map((skill): Cell[] => [
    { text: visible(skill.name), paint: paint.strong },
    { text: String(skill.files), right: true },
    { text: scriptCount(skill) },
    { text: kindOf(skill) },
    { text: visible(skill.description) },
  ]);
  return table([head, ...rows], { columns: screen.columns });
}

/** What makes it come up, and whether models are not offered it. */
function kindOf({ kind, hidden }: ListedSkill): string {
  if (kind === "catalogue") return hidden === undefined ? "-" : "hidden";
  // Rules and what is always on are kept from models in any case.
  return hidden === undefined || kind === "path" || kind === "always"
    ? kind
    : `${kind}, hidden`;
}

/** The prompts, without a trailing newline: files by name, those of skills counted. */
export function showPrompts({ rows }: PromptTable): string {
  const files = rows.flatMap(({ kind, name }) =>
    kind === "file" ? visible(name) : []
  );
  const skills = rows.length - files.length;
  const more = skills === 0 ? [] : [`and ${skills} made from skills`];
  return `Prompts: ${[...files, ...more].join(", ")}`;
}

/** `2`, or `1 of 3` when some of the declared ones do not run here. */
function scriptCount(skill: ListedSkill): string {
  const here = skill.scripts.length;
  const declared = here + skill.unavailableScripts.length +
    skill.ungrantedScripts.length;
  return here === declared ? String(here || "-") : `${here} of ${declared}`;
}

/**
 * The problems, worst first, each with its fix; empty when there are none. With
 * several roots, or outside the only one, a path is shown with its root, and a
 * root always as itself.
 */
export function showProblems(
  problems: readonly Problem[],
  screen: Screen,
  roots: readonly string[],
): string {
  const order = ["error", "warning", "note"];
  const sorted = [...problems].sort((a, b) =>
    order.indexOf(a.severity) - order.indexOf(b.severity)
  );
  const rows = sorted.flatMap((problem): Cell[][] => [
    [
      {
        text: problem.severity,
        paint: severityPaint(problem.severity, screen.paint),
      },
      { text: problem.reason },
      { text: `${placeOf(problem, roots)}: ${visible(problem.detail)}` },
    ],
    [
      { text: "" },
      { text: "" },
      { text: visible(problem.hint), paint: screen.paint.quiet },
    ],
  ]);
  return table(rows, { columns: screen.columns });
}

/** The colour of a severity. */
export function severityPaint(
  severity: Problem["severity"],
  paint: Paint,
): (text: string) => string {
  if (severity === "error") return paint.bad;
  return severity === "warning" ? paint.warn : paint.quiet;
}

function placeOf(
  { root, path, line, column }: Problem,
  roots: readonly string[],
): string {
  const position = line === undefined
    ? ""
    : `:${line}${column === undefined ? "" : `:${column}`}`;
  const whole = roots.length > 1 || !roots.includes(root) || path === ".";
  return visible(whole ? join(root, path) : path) + position;
}

/** `2 errors, 1 warning, 0 notes`; `notes`: those that are no problems. */
export function countProblems(
  problems: readonly Problem[],
  notes = 0,
): string {
  const count = (severity: string, word: string, more = 0) => {
    const n = more +
      problems.filter((problem) => problem.severity === severity).length;
    return `${n} ${word}${n === 1 ? "" : "s"}`;
  };
  return [
    count("error", "error"),
    count("warning", "warning"),
    count("note", "note", notes),
  ].join(", ");
}
