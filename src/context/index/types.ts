/** What is kept of a scan, so that a hook need not make one. */

import type { HiddenFromModels } from "../../catalog/types.ts";
import type { SkillRoot } from "../../config/types.ts";
import type { Activation } from "../../skill/types.ts";

/** What decides which skills there are. */
export interface IndexGround {
  /** The program's own: another one may read skills otherwise. */
  readonly version: string;
  readonly roots: readonly Pick<
    SkillRoot,
    "path" | "include" | "ignore" | "flat"
  >[];
  readonly maxSkills: number;
  /** Absolute real paths, the first wins. */
  readonly workspaces: readonly string[];
}

/** One skill: when it comes up and where it lies, but nothing it says. */
export interface IndexedSkill {
  readonly name: string;
  /** Real absolute path of its SKILL.md, or of the flat file. */
  readonly file: string;
  readonly activation: Activation;
  readonly hidden: HiddenFromModels | undefined;
  readonly flat: boolean;
  readonly workspace: string | undefined;
}

/**
 * A skill as it is written, so that looking at a thousand is quick: its file,
 * the file's stamp, its needles (`needlesOf`), and the skill as JSON.
 */
export type IndexEntry = readonly [
  file: string,
  stamp: string,
  needles: readonly string[],
  skill: string,
];

/** The index of one ground. */
export interface MatchIndex {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly madeMs: number;
  /** In name order. */
  readonly skills: readonly IndexEntry[];
  /** Directories and ignore files that were read, with stamps; "": not there. */
  readonly watched: readonly (readonly [path: string, stamp: string])[];
  /** Something had changed so lately that its stamp does not tell the next change. */
  readonly unsure: boolean;
}
