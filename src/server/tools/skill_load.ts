/** `skill_load`: the instructions verbatim, and what comes with them. */

import { skillUri } from "../../catalog/skill_uri.ts";
import type { Problem, Skill, Snapshot } from "../../catalog/types.ts";
import { type Answer, refused, text } from "../errors.ts";
import {
  ANSWER_CHARS,
  boundedText,
  encodedLength,
  structuredLength,
  takeFitting,
} from "../fit.ts";
import { bundleTexts, referenceRow } from "../reference_rows.ts";
import { skillMetadata } from "../resources/metadata.ts";
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
/** The manifest's share when texts of references come with it. */
const BUNDLED_SHARE = 0.3;
/** For the hint about what did not fit, and the numbers of blocks. */
const BUNDLE_RESERVE = 4000;
const MAX_DESCRIPTION = 4000;
const MAX_METADATA = 4000;
const MAX_PROBLEM_TEXT = 400;

/** The tool. */
export const skillLoad: Tool = defineTool({
  name: "skill_load",
  description: `\
Load a skill before you use it and follow its instructions for the user's task. \
The first content block is the text of its SKILL.md as it stands, the second a \
JSON manifest: its files and its shared references (read them with skill_file), \
and its scripts, with whether each can run here (skill_preview, then skill_run).

body: false returns the manifest alone. bundle: true adds the texts of the \
references that fit, and block says which content block holds each. A long list of files is cut: pass \
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
  const free = ANSWER_CHARS - bodyLength;
  const manifest = fitManifest(
    { skill, states, snapshot, local: engine.config.http === undefined },
    args.filesOffset ?? 0,
    Math.max(MIN_MANIFEST, args.bundle === true ? free * BUNDLED_SHARE : free),
  );
  const json = (value: LoadManifest) => JSON.stringify(show.value(value));
  const body = withBody ? [skill.body] : [];
  if (args.bundle !== true) return text(...body, json(manifest));
  const bundled = await bundleTexts(engine, snapshot, manifest.references, {
    room: free - encodedLength(json(manifest)) - BUNDLE_RESERVE,
    first: body.length + 1,
  });
  const whole = {
    ...manifest,
    references: bundled.rows,
    hints: [...manifest.hints, ...bundled.hints],
  };
  return text(...body, json(whole), ...bundled.texts);
}

/** A skill, and what is known about it here. */
interface Loaded {
  readonly skill: Skill;
  readonly states: readonly ScriptState[];
  readonly snapshot: Snapshot;
  /** The client is on this machine. */
  readonly local: boolean;
}

/**
 * The manifest in `budget` encoded characters. Scripts come first, then
 * problems, then as many files as fit; what is left out is counted.
 */
function fitManifest(
  { skill, states, snapshot, local }: Loaded,
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
    ...(skill.leftOut === undefined
      ? { uri: skillUri(skill.name, "SKILL.md") }
      : {}),
  };
  // Room for counts, hints and punctuation.
  let left = budget - structuredLength(head) - 800;
  const scripts = takeFitting(
    states.map(manifestScript),
    left * 0.5,
  );
  left -= structuredLength(scripts);
  const references = takeFitting(
    skill.references.map((each) => referenceRow(each, skill, local)),
    left * 0.5,
  );
  left -= structuredLength(references);
  const metadata = skillMetadata(skill, local);
  const metadataLength = lengthOf(metadata);
  const withMetadata = metadataLength <= Math.min(MAX_METADATA, left * 0.5);
  if (withMetadata) left -= metadataLength;
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
    ...(withMetadata ? { metadata } : {}),
    references,
    scripts,
    problems,
    hints: [
      ...(skill.truncated
        ? ["The body is cut: read the rest of SKILL.md with skill_file."]
        : []),
      ...(filesLeft === 0
        ? []
        : [`${filesLeft} more files: pass nextFilesOffset as filesOffset.`]),
      ...(withMetadata
        ? []
        : ["The metadata is left out: read SKILL.md with skill_file."]),
      ...omitted(skill.references.length - references.length, "references"),
      ...omitted(states.length - scripts.length, "scripts"),
      ...omitted(own.length - problems.length, "problems"),
    ],
  };
}

/** As `structuredLength`; endless for what has no JSON form. */
function lengthOf(value: unknown): number {
  try {
    return structuredLength(value);
  } catch {
    return Infinity;
  }
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
