/** The manifest of `skill_load`, in what room its answer leaves. */

import { skillUri } from "../catalog/skill_uri.ts";
import type { Problem, Skill, Snapshot } from "../catalog/types.ts";
import type { RenderedCommand } from "../context/types.ts";
import { boundedText, structuredLength, takeFitting } from "./fit.ts";
import { referenceRow } from "./reference_rows.ts";
import { skillMetadata } from "./resources/metadata.ts";
import type { LoadManifest } from "./schemas/text_shapes.ts";
import type { TaskInput } from "../skill/types.ts";
import type { ScriptState } from "./script_states.ts";
import type { ServerState } from "../upstream/types.ts";
import { inputsOf } from "./skill_inputs.ts";
import { serverRow } from "./upstream_rows.ts";

const MAX_DESCRIPTION = 4000;
const MAX_METADATA = 4000;
const MAX_PROBLEM_TEXT = 400;
/** Longest keyword, glob, choice or command, and reasons. */
const MAX_WORD = 200;
const MAX_WHY = 600;
/** Keywords or globs, and choices of one input. */
const MAX_WORDS = 50;

/** A skill, and what is known about it here. */
export interface Loaded {
  readonly skill: Skill;
  /** Of its text, as written. */
  readonly digest: string;
  /** What became of the commands in its text. */
  readonly commands: readonly CommandRow[];
  /** What is said of the text beside what the manifest says. */
  readonly hints: readonly string[];
  /** Of its triggers, commands and servers. */
  readonly problems: readonly Problem[];
  /** The MCP servers it declares. */
  readonly servers: readonly ServerState[];
  readonly states: readonly ScriptState[];
  readonly snapshot: Snapshot;
  /** The client is on this machine. */
  readonly local: boolean;
}

/** A command of a text, and what became of it. */
export type CommandRow =
  & Pick<RenderedCommand, "text" | "why">
  & { readonly outcome: RenderedCommand["outcome"] | "not-run" };

/**
 * The manifest in `budget` encoded characters. Scripts come first, then
 * problems, then as many files as fit; what is left out is counted.
 */
export function fitManifest(
  loaded: Loaded,
  filesOffset: number,
  budget: number,
): LoadManifest {
  const { skill, states, snapshot, local } = loaded;
  const head = {
    name: skill.name,
    description: boundedText(skill.description ?? "", MAX_DESCRIPTION),
    ...(skill.whenToUse === undefined
      ? {}
      : { whenToUse: boundedText(skill.whenToUse, MAX_DESCRIPTION) }),
    source: snapshot.roots[skill.rootIndex]?.path ?? "",
    digest: loaded.digest,
    activation: activationRow(skill),
    ...(skill.workspace === undefined
      ? {}
      : { untrusted: true, workspace: skill.workspace }),
    truncated: skill.truncated,
    ...(skill.leftOut === undefined
      ? { uri: skillUri(skill.name, "SKILL.md") }
      : {}),
  };
  // Room for counts, hints and punctuation.
  let left = budget - structuredLength(head) - 800;
  const inputs = takeFitting(inputsOf(skill).map(inputRow), left * 0.3);
  left -= structuredLength(inputs);
  const commands = takeFitting(loaded.commands.map(commandRow), left * 0.3);
  left -= structuredLength(commands);
  const servers = takeFitting(loaded.servers.map(serverRow), left * 0.3);
  left -= structuredLength(servers);
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
  const own = [...snapshot.problems, ...loaded.problems]
    .filter((each) => each.skill === skill.name);
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
    ...(inputs.length === 0 ? {} : { inputs }),
    ...(commands.length === 0 ? {} : { commands }),
    ...(servers.length === 0 ? {} : { mcpServers: servers }),
    files,
    ...(filesLeft === 0 ? {} : { nextFilesOffset: filesOffset + files.length }),
    ...(withMetadata ? { metadata } : {}),
    references,
    scripts,
    problems,
    hints: [
      ...loaded.hints,
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
      ...omitted(inputsOf(skill).length - inputs.length, "inputs"),
      ...omitted(loaded.commands.length - commands.length, "commands"),
      ...omitted(loaded.servers.length - servers.length, "MCP servers"),
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

function activationRow({ activation }: Skill): LoadManifest["activation"] {
  const words = (all: readonly string[]) =>
    all.slice(0, MAX_WORDS).map((word) => boundedText(word, MAX_WORD));
  switch (activation.kind) {
    case "catalogue":
    case "always":
      return { kind: activation.kind };
    case "keyword":
    case "task":
      return { kind: activation.kind, keywords: words(activation.keywords) };
    case "path":
      return { kind: activation.kind, globs: words(activation.globs) };
  }
}

function inputRow(
  { name, description, required, choices }: TaskInput,
): NonNullable<LoadManifest["inputs"]>[number] {
  return {
    name: boundedText(name, MAX_WORD),
    ...(description === undefined
      ? {}
      : { description: boundedText(description, MAX_WHY) }),
    required,
    ...(choices.length === 0 ? {} : {
      choices: choices.slice(0, MAX_WORDS)
        .map((choice) => boundedText(choice, MAX_WORD)),
    }),
  };
}

function commandRow(
  { text, outcome, why }: CommandRow,
): NonNullable<LoadManifest["commands"]>[number] {
  return {
    command: boundedText(text, MAX_WORD),
    outcome,
    ...(why === undefined ? {} : { why: boundedText(why, MAX_WHY) }),
  };
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
