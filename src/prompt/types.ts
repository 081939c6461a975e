/** Prompt files as they are served. */

import type { FileStamp } from "../catalog/types.ts";

/** One prompt from a file. */
export interface PromptFile {
  /** Frontmatter `name`, else the file's stem; `[A-Za-z0-9_.-]{1,128}`. */
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Without frontmatter, trimmed; never empty. */
  readonly body: string;
  /** Real absolute path; for the server alone. */
  readonly realPath: string;
  readonly stamp: FileStamp;
  /** Milliseconds since the epoch; null where unknown. */
  readonly createdMs: number | null;
}

/** Something wrong with a prompt source, in words that hold no secret. */
export interface PromptProblem {
  readonly severity: "error" | "warning" | "note";
  /** Stable kebab-case word. */
  readonly reason: string;
  /** The file or directory as configured, or the file's name below it. */
  readonly path: string;
  readonly detail: string;
  readonly hint: string;
}

/** All prompt files at one moment. Never mutated. */
export interface PromptSnapshot {
  /** By name, in the order in which names were claimed. */
  readonly prompts: ReadonlyMap<string, PromptFile>;
  readonly problems: readonly PromptProblem[];
}
