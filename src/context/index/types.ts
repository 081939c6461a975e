/** What is kept of a scan, so that a hook need not make one. */

import type { FileStamp, HiddenFromModels } from "../../catalog/types.ts";
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
  readonly stamp: FileStamp;
  readonly activation: Activation;
  readonly hidden: HiddenFromModels | undefined;
  readonly flat: boolean;
  readonly workspace: string | undefined;
}

/** The index of one ground. */
export interface MatchIndex {
  readonly key: string;
  /** In name order. */
  readonly skills: readonly IndexedSkill[];
  /** Directories and ignore files that were read; null: it is not there. */
  readonly watched: readonly {
    readonly path: string;
    readonly stamp: FileStamp | null;
  }[];
  /** Something had changed so lately that its stamp does not tell the next change. */
  readonly unsure: boolean;
}
