/** One skill as `skill_list` shows it, bounded whatever its author wrote. */

import type { Skill } from "../catalog/types.ts";
import type { Engine } from "./engine_types.ts";
import { boundedText, cutText, structuredLength } from "./fit.ts";
import type { ListAnswer } from "./schemas/outputs.ts";
import { whyHidden } from "./hidden_skills.ts";
import { type ScriptState, scriptStates } from "./script_states.ts";

/** Longest description shown; `skill_load` shows all of it. */
const MAX_DESCRIPTION = 1536;
const MAX_REASON = 300;

/** The entry. `hint` is there when something is left out. */
export type ListedSkill = NonNullable<ListAnswer["skills"]>[number];

/** Builds the entry of a skill. */
export async function listedSkill(
  engine: Engine,
  skill: Skill,
  blocked: string | undefined,
): Promise<ListedSkill> {
  const states = await scriptStates(engine, skill, blocked);
  const of = (state: ScriptState["state"]) =>
    states.filter((each) => each.state === state);
  return {
    name: skill.name,
    description: boundedText(skill.description ?? "", MAX_DESCRIPTION),
    ...(skill.whenToUse === undefined
      ? {}
      : { whenToUse: boundedText(skill.whenToUse, MAX_DESCRIPTION) }),
    files: skill.files.length,
    bytes: skill.bytes,
    scripts: of("runnable").map(({ script, interpreter, timeoutMs, env }) => ({
      script,
      interpreter,
      timeoutMs,
      env,
    })),
    unavailableScripts: of("unavailable").map(({ script, reason }) => ({
      script,
      reason: boundedText(reason ?? "", MAX_REASON),
    })),
    ungrantedScripts: of("ungranted").map(({ script }) => script),
    declaredEgress: skill.declaration.egress.map(({ text }) => text),
    kind: skill.activation.kind,
    ...(skill.hidden === undefined ? {} : { hidden: whyHidden(skill.hidden) }),
    ...(skill.workspace === undefined ? {} : { untrusted: true }),
  };
}

/**
 * The entry in at most `max` encoded characters: the longest lists are halved,
 * then the texts, until it fits, and a hint says so.
 */
export function shrinkEntry(entry: ListedSkill, max: number): ListedSkill {
  if (structuredLength(entry) <= max) return entry;
  let shown: ListedSkill = {
    ...entry,
    hint: "Listed in part: skill_load shows all of it.",
  };
  while (structuredLength(shown) > max) {
    const [key, length] = longestList(shown);
    shown = length > 0
      ? { ...shown, [key]: shown[key].slice(0, length >> 1) }
      : {
        ...shown,
        description: cutText(shown.description, shown.description.length >> 1),
        whenToUse: cutText(
          shown.whenToUse ?? "",
          (shown.whenToUse ?? "").length >> 1,
        ),
      };
  }
  return shown;
}

const LISTS = [
  "scripts",
  "unavailableScripts",
  "ungrantedScripts",
  "declaredEgress",
] as const;

/** The list that takes most room, so that small ones stay whole. */
function longestList(entry: ListedSkill): [typeof LISTS[number], number] {
  const sized = LISTS.map((key) => [key, structuredLength(entry[key])] as const)
    .filter(([key]) => entry[key].length > 0)
    .sort(([, a], [, b]) => b - a);
  const key = sized[0]?.[0] ?? LISTS[0];
  return [key, entry[key].length];
}
