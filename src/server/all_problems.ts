/** Everything that is wrong with what is served, skills and prompts. */

import { Pacer } from "../base/pacer.ts";
import { below } from "../base/place.ts";
import type { Problem, Skill, Snapshot } from "../catalog/types.ts";
import type { SkillProblem } from "../context/types.ts";
import type { Engine } from "./engine_types.ts";
import { ofKey } from "./kept.ts";

/** What problems are collected from. */
type Doors = Pick<Engine, "prompts" | "context" | "upstream">;

/**
 * Problems of the skills, of what makes them come up and of the servers they
 * declare, then of prompt files (`root`: the file or directory as configured)
 * and of skills that have no prompt, then of context files (`root`: the
 * workspace).
 */
export async function allProblems(
  doors: Doors,
  snapshot: Snapshot,
): Promise<readonly Problem[]> {
  const { prompts, context } = doors;
  const files = await prompts.snapshot();
  const offered = await prompts.offered();
  const document = await context.document(snapshot);
  return [
    ...snapshot.problems,
    ...await laterProblems(doors, snapshot),
    ...files.problems.map(({ source, ...rest }) => ({ root: source, ...rest })),
    ...offered.problems,
    ...(document?.files.problems ?? []).map(({ workspace, path, why }) => ({
      severity: "warning" as const,
      reason: "context-file",
      root: workspace,
      path: path === "" ? "." : path,
      detail: `it is not delivered: ${why}`,
      hint:
        "Make it a regular file of UTF-8 text in the workspace, at most 64 KiB, or remove it.",
    })),
  ];
}

/**
 * What is found in skills after the scan, in their triggers and in the servers
 * they declare; with `skill` of that one alone.
 */
export async function laterProblems(
  { context, upstream }: Omit<Doors, "prompts">,
  snapshot: Snapshot,
  skill?: Skill,
): Promise<readonly Problem[]> {
  const { problems } = await context.triggers(snapshot);
  const placed = placing(snapshot);
  const found = skill === undefined
    ? [
      ...problems,
      ...await commandProblems(snapshot)(context),
      ...await upstream.problems(snapshot),
    ]
    : [
      ...problems.filter((each) => each.skill === skill.name),
      ...await context.commandProblems(skill),
      ...await upstream.problemsOf(skill),
    ];
  return found.map(placed);
}

/** Of all skills, looked for once. */
const commandProblems = ofKey(({ skills }: Snapshot) => {
  let found: Promise<readonly SkillProblem[]> | undefined;
  return (context: Doors["context"]) => found ??= collect(context, skills);
});

async function collect(
  context: Doors["context"],
  skills: Snapshot["skills"],
): Promise<readonly SkillProblem[]> {
  const found: SkillProblem[] = [];
  const pacer = new Pacer();
  for (const skill of skills.values()) {
    found.push(...await context.commandProblems(skill));
    if (pacer.due()) await pacer.pause();
  }
  return found;
}

/** Puts the place of its skill to a problem. */
const placing = ofKey(({ skills, roots }: Snapshot) =>
(
  problem: SkillProblem,
): Problem => {
  const skill = skills.get(problem.skill);
  const root = skill && roots[skill.rootIndex];
  return {
    ...problem,
    root: root?.path ?? "",
    path: skill === undefined || root?.realPath === undefined
      ? problem.skill
      : below(skill.skillFile, root.realPath),
  };
});
