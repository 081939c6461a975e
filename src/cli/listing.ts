/** All that `skill_list` would answer over all its pages. */

import type { Problem, Snapshot } from "../catalog/types.ts";
import { allProblems } from "../server/all_problems.ts";
import type { Engine } from "../server/engine_types.ts";
import { listNotes } from "../server/list_notes.ts";
import { blockedBecause } from "../server/script_states.ts";
import { type ListedSkill, listedSkill } from "../server/listed_skill.ts";

/** The answer's own shape, without paging. */
export interface Listing {
  readonly roots: readonly string[];
  readonly rootsFrom: string;
  readonly grantFrom: string;
  readonly notes: readonly string[];
  readonly skills: readonly ListedSkill[];
  readonly problems: readonly Problem[];
}

/** Builds it from the functions that the tool uses, so both say the same. */
export async function fullListing(
  engine: Engine,
  snapshot: Snapshot,
): Promise<Listing> {
  const blocked = await blockedBecause(engine);
  const skills: ListedSkill[] = [];
  for (const skill of snapshot.skills.values()) {
    skills.push(await listedSkill(engine, skill, blocked));
  }
  return {
    roots: snapshot.roots.map(({ path }) => path),
    rootsFrom: engine.config.rootsFrom,
    grantFrom: engine.grant.from,
    notes: await listNotes(engine, snapshot, []),
    skills,
    problems: await allProblems(engine, snapshot),
  };
}
