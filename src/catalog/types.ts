/** The snapshot: what was found under the roots, and what is served of it. */

import type { Declaration, Finding } from "../skill/types.ts";

/** A finding with its place. Paths are relative to the root, `.` for the root. */
export interface Problem extends Finding {
  /** Name as served, when the problem belongs to one skill. */
  readonly skill?: string;
  /** The root as configured. */
  readonly root: string;
  readonly path: string;
}

/** One served file of a bundle. */
export interface BundleFile {
  /** Relative to the skill, `/`-separated; passes the string rule. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** One served skill. */
export interface Skill {
  /** Path of the real directory below its root, `/`-separated. */
  readonly name: string;
  /** Index into `Snapshot.roots`. */
  readonly rootIndex: number;
  /** Real absolute directory. */
  readonly dir: string;
  /** Real absolute path of SKILL.md. */
  readonly skillFile: string;
  readonly description: string | undefined;
  readonly whenToUse: string | undefined;
  readonly frontmatter: Readonly<Record<string, unknown>> | undefined;
  readonly declaration: Declaration;
  /** Instructions only: frontmatter missing or unreadable; it can run nothing. */
  readonly instructionsOnly: boolean;
  /** Body of SKILL.md, verbatim, at most 256 KiB of file. */
  readonly body: string;
  /** SKILL.md was longer than its cap and `body` is cut. */
  readonly truncated: boolean;
  /** Served files in path order, SKILL.md among them. */
  readonly files: readonly BundleFile[];
  /** Sum of the sizes of `files`. */
  readonly bytes: number;
}

/** A configured root and how reading it went. */
export interface RootState {
  /** As configured, absolute. */
  readonly path: string;
  /** Real path; undefined when it cannot be read. */
  readonly realPath: string | undefined;
}

/** What everything else reads. Never mutated: a rescan makes a new one. */
export interface Snapshot {
  readonly roots: readonly RootState[];
  /** By name, in name order. The one place that says what is served. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** Link name -> served name; accepted by loads, never by grants. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}
