/** `skill_load`: the instructions, and what comes with them. */

import type { Skill } from "../../catalog/types.ts";
import { type GivenInputs, missingInputs } from "../../context/inputs.ts";
import { laterProblems } from "../all_problems.ts";
import { badArgument } from "../arguments.ts";
import { type Answer, ask, refused, text } from "../errors.ts";
import { ANSWER_CHARS, encodedLength } from "../fit.ts";
import { refuseHidden } from "../hidden_skills.ts";
import { formFor, formRefusal } from "../input_form.ts";
import { type CommandRow, fitManifest } from "../load_manifest.ts";
import { bundleTexts } from "../reference_rows.ts";
import { type LoadArguments, LoadInput } from "../schemas/inputs.ts";
import type { LoadManifest } from "../schemas/text_shapes.ts";
import { blockedBecause, scriptStates } from "../script_states.ts";
import { prepareText } from "../skill_text.ts";
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

/** The tool. */
export const skillLoad: Tool = defineTool({
  name: "skill_load",
  description: `\
Load a skill before you use it and follow its instructions for the user's task. \
The first content block is the text of its SKILL.md, the second a JSON manifest: \
its files and its shared references (read them with skill_file), and its \
scripts, with whether each can run here (skill_preview, then skill_run).

A task skill asks for inputs: give them by name, with what the user said. \
Commands in a text run only where the owner listed that very command, read-only \
and without network; render: false runs none and gives the text as written.

body: false returns the manifest alone. bundle: true adds the texts of the \
references that fit, and block says which content block holds each. A long list \
of files is cut: pass nextFilesOffset as filesOffset to read on. ${STRANGERS}`,
  input: LoadInput,
  annotations: reads("Load a skill"),
  meta: largeResults,
  runs: false,
  answer,
});

async function answer(
  context: ToolContext,
  args: LoadArguments,
): Promise<Answer> {
  const { engine, show } = context;
  const found = await engine.catalog.find(args.name, { alias: true });
  if (!found.ok) return refused(found);
  const skill = found.value;
  const hidden = refuseHidden(skill);
  if (hidden !== undefined) return refused(hidden);
  const snapshot = await engine.catalog.snapshot();
  const loaded = await bodyOf(context, skill, args);
  if ("kind" in loaded) return loaded;
  const { body, commands, hints } = loaded;
  const bodyLength = body === undefined ? 0 : encodedLength(body);
  const states = await scriptStates(
    engine,
    skill,
    skill.declaration.scripts.length === 0
      ? undefined
      : await blockedBecause(engine),
  );
  const free = ANSWER_CHARS - bodyLength;
  const manifest = fitManifest(
    {
      skill,
      digest: await engine.context.digest(skill.body),
      commands,
      hints,
      problems: await laterProblems(engine, snapshot, skill),
      servers: await engine.upstream.servers(skill),
      states,
      snapshot,
      local: engine.config.http === undefined,
    },
    args.filesOffset ?? 0,
    Math.max(MIN_MANIFEST, args.bundle === true ? free * BUNDLED_SHARE : free),
  );
  const json = (value: LoadManifest) => JSON.stringify(show.value(value));
  const blocks = body === undefined ? [] : [body];
  if (args.bundle !== true) return text(...blocks, json(manifest));
  const bundled = await bundleTexts(engine, snapshot, manifest.references, {
    room: free - encodedLength(json(manifest)) - BUNDLE_RESERVE,
    first: blocks.length + 1,
  });
  const whole = {
    ...manifest,
    references: bundled.rows,
    hints: [...manifest.hints, ...bundled.hints],
  };
  return text(...blocks, json(whole), ...bundled.texts);
}

/** A text to deliver, if one is, and what is said of it. */
interface LoadedBody {
  readonly body: string | undefined;
  readonly commands: readonly CommandRow[];
  readonly hints: readonly string[];
}

async function bodyOf(
  { engine, forms, show, signal }: ToolContext,
  skill: Skill,
  { body, render, inputs }: LoadArguments,
): Promise<LoadedBody | Answer> {
  const raw = render === false || body === false;
  if (raw) {
    if (inputs !== undefined) {
      return refused(badArgument(
        "inputs",
        `inputs with ${body === false ? "body" : "render"}: false`,
        "inputs where they are put into a text",
      ));
    }
    const commands = await engine.context.commands(skill.body);
    return {
      body: body === false ? undefined : skill.body,
      commands: commands.map(({ text }) => ({
        text,
        outcome: "not-run",
        why: undefined,
      })),
      hints: [],
    };
  }
  const given = withForm(inputs ?? {}, forms.answer);
  const prepared = prepareText(engine, skill, given);
  if (!prepared.ok) return refused(prepared);
  const { missing, open } = prepared.value;
  if (missing.length > 0) {
    const said = forms.answer;
    if (said !== undefined && said.action !== "accept") {
      return refused(formRefusal(said.action, missing));
    }
    return forms.possible && said === undefined
      ? ask(formFor(skill.name, missing, open))
      : refused(missingInputs(missing, "inputs"));
  }
  const { text, commands } = await prepared.value.render(signal, show);
  return { body: text, commands, hints: [] };
}

/** What was filled into a form stands before what the call said already. */
function withForm(
  inputs: GivenInputs,
  answer: ToolContext["forms"]["answer"],
): GivenInputs {
  return answer?.action === "accept" ? { ...inputs, ...answer.texts } : inputs;
}
