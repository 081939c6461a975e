/** Commands of a text before anything runs, for listings and `check`. */

import type { Skill } from "../../catalog/types.ts";
import type { PureRuns } from "../../fence/pure_runs.ts";
import {
  mustPin,
  renderPermit,
  type RenderQuestion,
  renderRowText,
} from "../../grant/render_rule.ts";
import type { RenderGrant } from "../../grant/types.ts";
import { findMarks } from "./find_commands.ts";
import { splitWords } from "./words.ts";

/** What the answer is made from. */
export interface OfferDeps {
  readonly grant: RenderGrant;
  /** Absolute real directories that are worked in, the first wins. */
  readonly workspaces: () => Promise<readonly string[]>;
  readonly runs: Pick<PureRuns, "bundleDigest">;
}

/** A command of a text, before anything runs. */
export interface OfferedCommand {
  readonly text: string;
  /** In words, or why it has none. */
  readonly words:
    | { readonly ok: true; readonly words: readonly string[] }
    | { readonly ok: false; readonly why: string };
  readonly granted: boolean;
  /** The row that would let it run, as JSON; undefined without words. */
  readonly row: string | undefined;
}

/** Every command of a text with the row it has or needs. Starts nothing. */
export async function offered(
  skill: Skill,
  text: string,
  deps: OfferDeps,
): Promise<readonly OfferedCommand[]> {
  const { commands } = await findMarks(text);
  if (commands.length === 0) return [];
  const workspace = skill.workspace ?? (await deps.workspaces())[0];
  const pin = mustPin({ skill: skill.name, from: skill.workspace })
    ? await deps.runs.bundleDigest(skill)
    : undefined;
  return commands.map(({ text }) => {
    const split = splitWords(text);
    if (!split.ok) {
      return { text, words: split, granted: false, row: undefined };
    }
    const question = questionOf(skill, split.words, workspace);
    return {
      text,
      words: split,
      granted: renderPermit(question, deps.grant) !== undefined,
      row: renderRowText(question, pin?.ok ? pin.value : undefined),
    };
  });
}

/** A command as the rows are asked about it. */
export function questionOf(
  { name, workspace: from }: Skill,
  words: readonly string[],
  workspace: string | undefined,
): RenderQuestion {
  return { skill: name, words, from, workspace };
}
