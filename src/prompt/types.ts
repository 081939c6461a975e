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
  /** The file or directory as configured, absolute. */
  readonly source: string;
  /** A file's name directly below it, or `.` for the source itself. */
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

/** Bounds of one scan of prompts. */
export interface PromptLimits {
  /** Prompts served. */
  readonly prompts: number;
  /** Entries looked at per directory. */
  readonly entries: number;
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Code units of all prompts together, since they stay in memory. */
  readonly total: number;
  /** Problems told. */
  readonly problems: number;
}

/** The bounds of the product. */
export const PROMPT_LIMITS: PromptLimits = {
  prompts: 1_000,
  entries: 10_000,
  fileBytes: 256 * 1024,
  total: 16 * 1024 * 1024,
  problems: 200,
};
