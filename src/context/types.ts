/** What comes up by itself: matches, rendered texts, context files. */

import type { Skill } from "../catalog/types.ts";
import type { Finding } from "../skill/types.ts";

/** What is to be matched. */
export interface MatchRequest {
  /** The user's words. */
  readonly message?: string | undefined;
  /** Files touched: absolute, or relative to the first workspace. */
  readonly paths?: readonly string[] | undefined;
}

/** Where a trigger matched. */
export type MatchedAt =
  | {
    readonly in: "message";
    /** Offset into the message, in UTF-16 units. */
    readonly offset: number;
    /** The words as they stand there. */
    readonly text: string;
  }
  | {
    readonly in: "path";
    /** Relative to its workspace, `/`-separated. */
    readonly path: string;
  };

/** One skill that comes up. */
export interface Hit {
  readonly skill: Skill;
  readonly kind: "keyword" | "task" | "path";
  /** The keyword or glob, as the skill writes it. */
  readonly matched: string;
  readonly at: MatchedAt;
}

/** A skill that nearly came up. */
export interface NearMiss {
  readonly skill: string;
  readonly kind: Hit["kind"];
  readonly matched: string;
  /** In words, e.g. `"git" stands inside the word "digit"`. */
  readonly why: string;
}

/** What a request came to. */
export interface MatchResult {
  /**
   * `/slash` words first, then other task and keyword hits, then path hits;
   * each group by name.
   */
  readonly hits: readonly Hit[];
  /** At most 20, in the same order. */
  readonly near: readonly NearMiss[];
  /** Paths that were not looked at, and why. */
  readonly refusedPaths: readonly {
    readonly path: string;
    readonly why: string;
  }[];
}

/** A problem of one skill's triggers, commands or declared servers. */
export interface SkillProblem extends Finding {
  /** Name as served. */
  readonly skill: string;
}

/** The triggers of one snapshot, compiled. */
export interface Triggers {
  /** What cannot be compiled, or can never match. */
  readonly problems: readonly SkillProblem[];
  /** Never fails; what it needs beyond the snapshot is loaded when first used. */
  match(request: MatchRequest): Promise<MatchResult>;
}

/** A command in a text: an inline code span right after an unescaped `!`. */
export interface FoundCommand {
  /** Offsets into the text, in UTF-16 units, from the `!` to the last backtick. */
  readonly start: number;
  readonly end: number;
  /** What stands between the backticks. */
  readonly text: string;
}

/** What became of one command. */
export interface RenderedCommand {
  readonly text: string;
  readonly outcome: "ran" | "failed" | "refused" | "not-granted" | "limit";
  /** In words; undefined when it ran. */
  readonly why: string | undefined;
}

/** A text with its commands replaced. */
export interface Rendered {
  readonly text: string;
  readonly commands: readonly RenderedCommand[];
}

/** One file of the context. */
export interface ContextFile {
  /** e.g. `AGENTS.md`, `CLAUDE.md`; as found on disk. */
  readonly fileName: string;
  /** Absolute real path. */
  readonly realPath: string;
  /** Below its workspace, `/`-separated. */
  readonly path: string;
  /** Absolute real path of the workspace. */
  readonly workspace: string;
  /**
   * The directory it speaks of, below the workspace; `""`: everything. A nested
   * file is a rule for what lies in its directory.
   */
  readonly scope: string;
  readonly text: string;
}

/** A context file that is not delivered, and why. */
export interface LeftContext {
  readonly path: string;
  readonly workspace: string;
  /** In words, e.g. `claude-code loads it itself`. */
  readonly why: string;
}

/** The context files of the workspaces, for one client. */
export interface ContextFiles {
  readonly files: readonly ContextFile[];
  /** Skipped since the client loads them itself, or the same by a link. */
  readonly skipped: readonly LeftContext[];
  /** What was refused: too long, not UTF-8, leading out, not a file. */
  readonly problems: readonly LeftContext[];
}
