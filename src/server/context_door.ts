/** What the tools need of what comes up by itself. */

import type { Skill, Snapshot } from "../catalog/types.ts";
import type { OfferedCommand } from "../context/render.ts";
import type {
  ContextFile,
  ContextFiles,
  FoundCommand,
  Hit,
  Rendered,
  SkillProblem,
  Triggers,
} from "../context/types.ts";

/** A text that is to be rendered. */
export interface RenderRequest {
  readonly skill: Skill;
  readonly text: string;
  /** Puts inputs into what stands between commands; never into those. */
  readonly literal: (text: string) => string;
  /** How what stands in a command's place is shown; undefined: as it is. */
  readonly shown?: ((put: string) => string) | undefined;
  readonly signal: AbortSignal;
}

/** A nested context file that speaks of a path. */
export interface RuleHit {
  readonly file: ContextFile;
  /** The first such path, relative to its workspace. */
  readonly path: string;
}

/** The context as one document. */
export interface ContextDocument {
  readonly uri: string;
  readonly text: string;
  /** `sha256:<hex>` of the text. */
  readonly digest: string;
  /** How many files and always-on skills it holds. */
  readonly parts: number;
  /** Their texts, each by itself. */
  readonly texts: readonly string[];
  readonly files: ContextFiles;
}

/** What comes up by itself. What does the work is loaded when first needed. */
export interface ContextDoor {
  /** Absolute real directories that are worked in, the first wins. */
  workspaces(): Promise<readonly string[]>;
  /** The triggers of a snapshot, compiled once for it. */
  triggers(snapshot: Snapshot): Promise<Triggers>;
  /** The commands in a text, in order. Starts none. */
  commands(text: string): Promise<readonly FoundCommand[]>;
  /** Commands of one skill's text that can never run. */
  commandProblems(skill: Skill): Promise<readonly SkillProblem[]>;
  /** The same with the row that each has or needs. Starts none. */
  offered(skill: Skill, text: string): Promise<readonly OfferedCommand[]>;
  /** Runs the commands that the owner listed, and says what became of all. */
  render(request: RenderRequest): Promise<Rendered>;
  /** `sha256:<hex>` of a text as its author wrote it. */
  digest(text: string): Promise<string>;
  /** A hit as one block of text; the content cannot end it. */
  block(hit: Hit, content: string): Promise<string>;
  /** Nested context files that speak of these paths, outer ones first. */
  rules(paths: readonly string[]): Promise<readonly RuleHit[]>;
  /** A rule as one block of text. */
  ruleBlock(rule: RuleHit): Promise<string>;
  /**
   * Context files as they are on disk now, for the connected client, and the
   * always-on skills. Undefined when no workspace is known and no skill is.
   */
  document(snapshot: Snapshot): Promise<ContextDocument | undefined>;
}
