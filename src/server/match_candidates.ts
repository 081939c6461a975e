/** Hits of `skill_match` with all that an answer may say of them. */

import type { Skill } from "../catalog/types.ts";
import type { Hit } from "../context/types.ts";
import type { RuleHit } from "./context_door.ts";
import type { Engine } from "./engine_types.ts";
import { boundedText } from "./fit.ts";
import type { MatchRow } from "./schemas/text_shapes.ts";
import { inputsOf } from "./skill_inputs.ts";

const MAX_WORDS = 200;
const MAX_PATH = 400;
/** Files of a hidden skill that are named. */
const MAX_FILES = 20;
/** Milliseconds in which commands are counted, in all texts together. */
const COUNT_MS = 500;
/** Milliseconds after which a count may have been given up. */
const SLOW_MS = 200;

/** One hit, before it is decided what of it is shown. */
export interface Candidate {
  /** The skill's name, or the path of a context file. */
  readonly name: string;
  readonly row: MatchRow;
  /** Undefined: it is a context file. */
  readonly skill: Skill | undefined;
  /** How to get the text when it is not in the answer. */
  readonly hint: string;
  block(): Promise<string>;
}

/**
 * Skills first, in the matcher's order, then context files. Only the texts of
 * the first `shown` are read for commands.
 */
export async function candidatesOf(
  { context }: Pick<Engine, "context">,
  hits: readonly Hit[],
  rules: readonly RuleHit[],
  shown: number,
): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  let left = COUNT_MS;
  for (const [index, hit] of hits.entries()) {
    const { skill, kind, matched, at } = hit;
    const digest = await context.digest(skill.body);
    const since = performance.now();
    // A text that takes long to read has at most as many as it has marks.
    const most = skill.body.split("!`").length - 1;
    const counted = index < shown && most > 0 && left > 0
      ? (await context.commands(skill.body)).length
      : most;
    const took = performance.now() - since;
    left -= took;
    candidates.push({
      name: skill.name,
      skill,
      hint: howToGet(skill),
      block: () => context.block(hit, skill.body),
      row: {
        skill: skill.name,
        kind,
        matched: boundedText(matched, MAX_WORDS),
        at: at.in === "message"
          ? { ...at, text: boundedText(at.text, MAX_WORDS) }
          : { ...at, path: boundedText(at.path, MAX_PATH) },
        digest,
        ...(skill.workspace === undefined ? {} : { untrusted: true }),
        commands: took < SLOW_MS ? counted : most,
        ...inputNames(skill),
        ...filesOf(skill),
      },
    });
  }
  for (const rule of rules) {
    const { file, path } = rule;
    const digest = await context.digest(file.text);
    candidates.push({
      name: file.path,
      skill: undefined,
      hint:
        "It does not fit here: skill_file reads it in skillfence://context.",
      block: () => context.ruleBlock(rule),
      row: {
        file: boundedText(file.path, MAX_PATH),
        kind: "path",
        matched: boundedText(`${file.scope}/**`, MAX_PATH),
        at: { in: "path", path: boundedText(path, MAX_PATH) },
        digest,
        untrusted: true,
        commands: 0,
      },
    });
  }
  return candidates;
}

function howToGet({ name, hidden, skillFile }: Skill): string {
  const file = skillFile.slice(skillFile.lastIndexOf("/") + 1);
  return hidden === undefined
    ? `Its text does not fit here: skill_load gives it with name ${name}.`
    : `Its text does not fit here: skill_file reads it in parts with name ${name} and path ${file}.`;
}

function inputNames(skill: Skill): Pick<MatchRow, "inputs"> {
  const inputs = inputsOf(skill);
  return inputs.length === 0 ? {} : {
    inputs: inputs.map(({ name, required }) => ({ name, required })),
  };
}

/** `skill_load` would list them, where it gives the skill at all. */
function filesOf({ hidden, files }: Skill): Pick<MatchRow, "files"> {
  if (hidden === undefined) return {};
  const others = files.map(({ path }) => path)
    .filter((path) => path !== "SKILL.md");
  return others.length === 0 ? {} : {
    files: others.slice(0, MAX_FILES)
      .map((path) => boundedText(path, MAX_PATH)),
  };
}
