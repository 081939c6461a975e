/** `skill_list`: what this server has, page by page. */

import type { Problem, Skill, Snapshot } from "../../catalog/types.ts";
import { allProblems } from "../all_problems.ts";
import { badArgument, cameText } from "../arguments.ts";
import type { Engine } from "../engine_types.ts";
import { type Answer, refused, structured } from "../errors.ts";
import {
  ANSWER_CHARS,
  boundedText,
  structuredLength,
  takeFitting,
} from "../fit.ts";
import {
  firstPosition,
  type ListOf,
  type ListPosition,
  readCursor,
  writeCursor,
} from "../list_cursor.ts";
import { listNotes } from "../list_notes.ts";
import { movedRow, watchNotes, watchRows } from "../moved.ts";
import {
  DEFAULT_PAGE,
  type ListArguments,
  ListInput,
} from "../schemas/inputs.ts";
import { type ListAnswer, ListOutput } from "../schemas/outputs.ts";
import { whileScanning } from "../scan_progress.ts";
import { blockedBecause } from "../script_states.ts";
import { type ListedSkill, listedSkill, shrinkEntry } from "../listed_skill.ts";
import {
  defineTool,
  largeResults,
  reads,
  STRANGERS,
  type Tool,
  type ToolContext,
} from "../tool.ts";

/** Longest `detail`, `hint` and paths of a problem in a listing. */
const MAX_PROBLEM_TEXT = 600;
/** What one skill may take of a page before it is listed in part. */
const MAX_ENTRY = 8000;
/** Share of a page that problems take while skills are still to come. */
const PROBLEM_SHARE = 0.25;
/** Kept free for the cursor, the notes written last and the braces. */
const RESERVE = 1500;

/** The tool. */
export const skillList: Tool = defineTool({
  name: "skill_list",
  description: `\
Look here before you start a task: finds the skills this server has, best match \
first with a query, by name without one. Then call skill_load with the name of \
the one that fits.

Each skill comes with its description, the scripts that may run here, those \
that may not (unavailableScripts with the reason, ungrantedScripts) and the \
hosts it declares. hidden: true lists those that are kept from models, and why. moved says what a reload found changed. notes says what the owner allows, problems what is wrong \
with skills on disk. When there is more, pass nextCursor as cursor. ${STRANGERS}`,
  input: ListInput,
  output: ListOutput,
  annotations: reads("List skills"),
  meta: largeResults,
  runs: false,
  answer,
});

async function answer(
  { engine, progress }: ToolContext,
  args: ListArguments,
): Promise<Answer> {
  const of: ListOf = {
    query: args.query?.trim() || undefined,
    hidden: args.hidden === true,
  };
  const start = args.cursor === undefined
    ? firstPosition(of)
    : readCursor(args.cursor, of);
  if (start === undefined) {
    return refused(badArgument(
      "cursor",
      cameText(args.cursor),
      "the nextCursor of an answer to the same query",
    ));
  }
  const changes = args.reload === true
    ? await whileScanning(progress, (heard) => engine.live.reload(heard))
    : undefined;
  const snapshot = await engine.catalog.snapshot();
  const moved = changes === undefined ? undefined : movedRow(changes);
  const page = await fillPage(engine, snapshot, of, start, {
    limit: args.limit ?? DEFAULT_PAGE,
    moved,
  });
  return structured(page);
}

async function fillPage(
  engine: Engine,
  snapshot: Snapshot,
  of: ListOf,
  start: ListPosition,
  { limit, moved }: {
    readonly limit: number;
    readonly moved: ListAnswer["moved"];
  },
): Promise<ListAnswer> {
  const { query } = of;
  const names = await namesFrom(engine, snapshot, of, start);
  const states = engine.live.states();
  const watch = watchRows(states);
  const head = {
    roots: snapshot.roots.map(({ path }) => path),
    rootsFrom: engine.config.rootsFrom,
    grantFrom: engine.grant.from,
  };
  const notes = await listNotes(engine, snapshot, [
    ...queryNotes(names, query),
    ...watchNotes(states, engine.config.pollMs !== undefined),
  ]);
  const news = { ...(moved === undefined ? {} : { moved }), watch };
  const room = ANSWER_CHARS - RESERVE -
    structuredLength({ ...head, notes, ...news });

  // With a query, problems would drown the hits: they are counted instead.
  const all = await allProblems(engine, snapshot);
  const problems = query === undefined ? all.slice(start.problems) : [];
  const shownProblems = takeFitting(
    problems.map(listedProblem),
    names.length > 0 ? room * PROBLEM_SHARE : room,
    names.length > 0 ? 0 : 1,
  );
  const left = room - structuredLength(shownProblems);
  const skills = await entries(engine, snapshot, names.slice(0, limit), left);
  const position: ListPosition = {
    after: query === undefined
      ? skills.at(-1)?.name ?? start.after
      : Number(start.after) + skills.length,
    problems: start.problems + shownProblems.length,
  };
  const more = skills.length < names.length ||
    shownProblems.length < problems.length;
  return {
    ...head,
    notes: [
      ...pageNotes({
        skillsLeft: names.length - skills.length,
        problemsLeft: problems.length - shownProblems.length,
        hiddenProblems: query === undefined ? 0 : all.length,
      }),
      ...notes,
    ],
    ...news,
    skills,
    problems: shownProblems,
    ...(more ? { nextCursor: writeCursor(position, of) } : {}),
  };
}

async function namesFrom(
  engine: Engine,
  snapshot: Snapshot,
  { query, hidden }: ListOf,
  start: ListPosition,
): Promise<readonly string[]> {
  const listed = (name: string) => {
    // The index may be of a newer snapshot than this answer.
    const skill = snapshot.skills.get(name);
    return skill !== undefined && (skill.hidden !== undefined) === hidden;
  };
  if (query !== undefined) {
    const ranked = await engine.rank(query);
    return ranked.filter(listed).slice(Number(start.after));
  }
  const names = [...snapshot.skills.keys()].filter(listed);
  if (start.after === "") return names;
  // By name and not by number: a rescan between pages repeats and skips none.
  const at = names.indexOf(String(start.after));
  return at >= 0
    ? names.slice(at + 1)
    : names.filter((name) => name > String(start.after));
}

async function entries(
  engine: Engine,
  snapshot: Snapshot,
  names: readonly string[],
  room: number,
): Promise<ListedSkill[]> {
  const declares = names.some((name) =>
    snapshot.skills.get(name)!.declaration.scripts.length > 0
  );
  const blocked = declares ? await blockedBecause(engine) : undefined;
  const shown: ListedSkill[] = [];
  let left = room;
  for (const name of names) {
    const skill: Skill = snapshot.skills.get(name)!;
    const entry = shrinkEntry(
      await listedSkill(engine, skill, blocked),
      MAX_ENTRY,
    );
    left -= structuredLength(entry);
    if (left < 0 && shown.length > 0) break;
    shown.push(entry);
  }
  return shown;
}

function listedProblem(problem: Problem): Problem {
  return {
    ...problem,
    path: boundedText(problem.path, MAX_PROBLEM_TEXT),
    detail: boundedText(problem.detail, MAX_PROBLEM_TEXT),
    hint: boundedText(problem.hint, MAX_PROBLEM_TEXT),
  };
}

function queryNotes(
  names: readonly string[],
  query: string | undefined,
): string[] {
  return query !== undefined && names.length === 0
    ? ["No further skill matches the query; without a query all are listed."]
    : [];
}

function pageNotes(left: {
  readonly skillsLeft: number;
  readonly problemsLeft: number;
  readonly hiddenProblems: number;
}): string[] {
  const notes: string[] = [];
  if (left.skillsLeft > 0) {
    notes.push(`${left.skillsLeft} more skills: pass nextCursor as cursor.`);
  }
  if (left.problemsLeft > 0) {
    notes.push(
      `${left.problemsLeft} more problems: pass nextCursor as cursor.`,
    );
  }
  if (left.hiddenProblems > 0) {
    notes.push(
      `Problems are not shown with a query (${left.hiddenProblems}): call skill_list without one.`,
    );
  }
  return notes;
}
