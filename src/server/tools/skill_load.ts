/** `skill_load`: the instructions verbatim, and what comes with them. */

import type { Problem, Skill, Snapshot } from "../../catalog/types.ts";
import { type Answer, refused, text } from "../errors.ts";
import {
  ANSWER_CHARS,
  boundedText,
  encodedLength,
  structuredLength,
  takeFitting,
} from "../fit.ts";
import { type LoadArguments, LoadInput } from "../schemas/inputs.ts";
import type { LoadManifest } from "../schemas/text_shapes.ts";
import {
  blockedBecause,
  type ScriptState,
  scriptStates,
} from "../script_states.ts";
import {
  defineTool,
  largeResults,
  reads,
  STRANGERS,
  type Tool,
  type ToolContext,
} from "../tool.ts";

/** The manifest's share when the body alone fills the answer. */
const MIN_MANIFEST = 8000;
const MAX_DESCRIPTION = 4000;
const MAX_PROBLEM_TEXT = 400;

/** The tool. */
export const skillLoad: Tool = defineTool({
  name: "skill_load",
  description: `\
Load a skill before you use it and follow its instructions for the user's task. \
The first content block is the text of its SKILL.md as it stands, the second a \
JSON manifest: its files (read them with skill_file) and its scripts, with \
whether each can run here (skill_preview, then skill_run).

body: false returns the manifest alone. A long list of files is cut: pass \
nextFilesOffset as filesOffset to read on. ${STRANGERS}`,
  input: LoadInput,
  annotations: reads("Load a skill"),
  meta: largeResults,
  runs: false,
  answer,
});

async function answer(
  { engine, show }: ToolContext,
  args: LoadArguments,
): Promise<Answer> {
  const found = await engine.catalog.find(args.name, { alias: true });
  if (!found.ok) return refused(found);
  const skill = found.value;
  const snapshot = await engine.catalog.snapshot();
  const withBody = args.body !== false;
  const bodyLength = withBody ? encodedLength(skill.body) : 0;
  const states = await scriptStates(
    engine,
    skill,
    skill.declaration.scripts.length === 0
      ? undefined
      : await blockedBecause(engine),
  );
  const manifest = fitManifest(
    skill,
    states,
    snapshot,
    args.filesOffset ?? 0,
    Math.max(MIN_MANIFEST, ANSWER_CHARS - bodyLength),
  );
  const json = JSON.stringify(show.value(manifest));
  return withBody ? text(skill.body, json) : text(json);
}

/**
 * The manifest in `budget` encoded characters. Scripts come first, then
 * problems, then as many files as fit; what is left out is counted.
 */
function fitManifest(
  skill: Skill,
  states: readonly ScriptState[],
  snapshot: Snapshot,
  filesOffset: number,
  budget: number,
): LoadManifest {
  const head = {
    name: skill.name,
    description: boundedText(skill.description ?? "", MAX_DESCRIPTION),
    ...(skill.whenToUse === undefined
      ? {}
      : { whenToUse: boundedText(skill.whenToUse, MAX_DESCRIPTION) }),
    source: snapshot.roots[skill.rootIndex]?.path ?? "",
    truncated: skill.truncated,
  };
  // Room for counts, hints and punctuation.
  let left = budget - structuredLength(head) - 800;
  const scripts = takeFitting(
    states.map(manifestScript),
    left * 0.5,
  );
  left -= structuredLength(scripts);
  const own = snapshot.problems.filter((each) => each.skill === skill.name);
  const problems = takeFitting(
    own.map(manifestProblem),
    left * 0.3,
  );
  left -= structuredLength(problems);
  const rest = skill.files.slice(filesOffset)
    .map(({ path, size }) => ({ path, size }));
  const files = takeFitting(rest, left, 1);
  const filesLeft = rest.length - files.length;
  return {
    ...head,
    files,
    ...(filesLeft === 0 ? {} : { nextFilesOffset: filesOffset + files.length }),
    scripts,
    problems,
    hints: [
      ...(skill.truncated
        ? ["The body is cut: read the rest of SKILL.md with skill_file."]
        : []),
      ...(filesLeft === 0
        ? []
        : [`${filesLeft} more files: pass nextFilesOffset as filesOffset.`]),
      ...omitted(states.length - scripts.length, "scripts"),
      ...omitted(own.length - problems.length, "problems"),
    ],
  };
}

function omitted(count: number, what: string): string[] {
  return count === 0 ? [] : [
    `${count} more ${what} are left out: call again with body: false, or read SKILL.md.`,
  ];
}

function manifestScript(state: ScriptState): LoadManifest["scripts"][number] {
  const { script, interpreter, timeoutMs, env, egress, reason } = state;
  return {
    script,
    interpreter,
    runnableHere: state.state === "runnable",
    ...(reason === undefined ? {} : { reason: boundedText(reason, 300) }),
    timeoutMs,
    env,
    egress,
  };
}

function manifestProblem(
  problem: Problem,
): LoadManifest["problems"][number] {
  const { severity, path, reason, detail, hint, line, column } = problem;
  return {
    severity,
    path: boundedText(path, MAX_PROBLEM_TEXT),
    reason,
    detail: boundedText(detail, MAX_PROBLEM_TEXT),
    hint: boundedText(hint, MAX_PROBLEM_TEXT),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}
