/** `skill_match`: the skills and rules that come up by themselves. */

import { ok, type Result } from "../../base/refusal.ts";
import { badArgument } from "../arguments.ts";
import { type Answer, refused, text } from "../errors.ts";
import { matchAnswer, type Matched } from "../match_answer.ts";
import { candidatesOf } from "../match_candidates.ts";
import {
  DEFAULT_MATCHES,
  type MatchArguments,
  MatchInput,
} from "../schemas/inputs.ts";
import {
  defineTool,
  largeResults,
  reads,
  STRANGERS,
  type Tool,
  type ToolContext,
} from "../tool.ts";

/** The tool. */
export const skillMatch: Tool = defineTool({
  name: "skill_match",
  description: `\
Call this before you start a task, with the user's message word for word, and \
before you read or edit files, with their paths: it gives the skills and rules \
that come up by themselves for these words and paths. Follow those that fit \
the task.

The first content block is JSON: each hit with what matched and where, what \
nearly matched and why not, and the address of what holds for the whole \
workspace. block is the index of the content block with a hit's text. While \
you have a text, pass name@digest (of its skill or file) in exclude: it is then \
named and not repeated, and comes again when it has changed. Texts come as they \
were written: no command in them is run, no input put in; skill_load does that.

${STRANGERS}`,
  input: MatchInput,
  annotations: reads("Match skills"),
  meta: largeResults,
  runs: false,
  answer,
});

async function answer(
  context: ToolContext,
  args: MatchArguments,
): Promise<Answer> {
  const { engine } = context;
  const { message, paths } = args;
  if (message === undefined && paths === undefined) {
    return refused(
      badArgument("message", "neither message nor paths", "one of them"),
    );
  }
  const had = await excluded(args.exclude ?? []);
  if (!had.ok) return refused(had);
  const snapshot = await engine.catalog.snapshot();
  const triggers = await engine.context.triggers(snapshot);
  const found = await triggers.match({ message, paths });
  const rules = await engine.context.rules(paths ?? []);
  const candidates = await candidatesOf(
    engine,
    found.hits,
    rules,
    args.limit ?? DEFAULT_MATCHES,
  );
  return text(
    ...await matchAnswer(context, snapshot, {
      found,
      candidates,
      args,
      had: had.value,
    }),
  );
}

/**
 * `name@digest`, or a name alone: whatever its text is. What looks like a digest
 * and is none is refused, or a text would come again without a word.
 */
async function excluded(
  exclude: readonly string[],
): Promise<Result<Matched["had"]>> {
  if (exclude.length === 0) return ok(() => false);
  const { parseExclude } = await import("../../context/triggers.ts");
  const known = new Set(exclude);
  for (const text of exclude) {
    if (!/@sha\d/i.test(text)) continue;
    const read = parseExclude(text);
    if (!read.ok) return read;
  }
  return ok((name, digest) =>
    known.has(name) || known.has(`${name}@${digest}`)
  );
}
