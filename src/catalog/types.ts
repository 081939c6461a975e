/** The snapshot: what was found under the roots, and what is served of it. */

import type { Activation, Declaration, Finding } from "../skill/types.ts";

/** A finding with its place. Paths are relative to the root, `.` for the root. */
export interface Problem extends Finding {
  /** Name as served, when the problem belongs to one skill. */
  readonly skill?: string;
  /** The root as configured. */
  readonly root: string;
  readonly path: string;
}

/** What tells whether a file is still what it was; null where unknown. */
export interface FileStamp {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number | null;
  /** When anything about it last changed, in whole seconds as Deno tells it. */
  readonly changedMs: number | null;
  readonly ino: number | null;
}

/** One served file of a bundle. */
export interface BundleFile extends FileStamp {
  /** Relative to the skill, `/`-separated; passes the string rule. */
  readonly path: string;
}

/** A file that skills share: outside their bundles, in their root. */
export interface SharedFile extends FileStamp {
  /** `<root number>:<path below the root>`, root numbers from 1. */
  readonly id: string;
  readonly rootIndex: number;
  /** Below the root, `/`-separated. */
  readonly path: string;
  /** Real absolute path; for the server alone. */
  readonly realPath: string;
  /** Milliseconds since the epoch; null where unknown. */
  readonly createdMs: number | null;
  /** Its frontmatter's `name`, else its file name without the extension. */
  readonly name: string;
  /** Its own frontmatter, when it has one. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** Names of the skills that declare it, in name order. */
  readonly citedBy: readonly string[];
}

/** One declared reference, in its declared position. */
export type Reference =
  | {
    readonly status: "found";
    readonly file: SharedFile;
    /** Below the skill, `references/...`; undefined: no copy is served. */
    readonly copy: string | undefined;
  }
  | {
    readonly status: "not-found";
    /** The last segment of what was declared, without the extension. */
    readonly name: string;
  };

/** Why a skill is kept from models. */
export type HiddenFromModels =
  | "disable-model-invocation"
  | "path-rule"
  | "always-on";

/** One served skill. */
export interface Skill {
  /** Path of the real directory below its root, `/`-separated. */
  readonly name: string;
  /** Index into `Snapshot.roots`. */
  readonly rootIndex: number;
  /** Real absolute directory; of a flat skill, the one its file lies in. */
  readonly dir: string;
  /** Real absolute path of SKILL.md, or of the flat skill's file. */
  readonly skillFile: string;
  readonly skillStamp: FileStamp;
  /** Birth of SKILL.md in milliseconds since the epoch; null where unknown. */
  readonly createdMs: number | null;
  readonly description: string | undefined;
  readonly whenToUse: string | undefined;
  readonly frontmatter: Readonly<Record<string, unknown>> | undefined;
  readonly declaration: Declaration;
  readonly activation: Activation;
  /**
   * Why models are not offered it (listings, the index, `skill_load`); its
   * triggers and its prompt work all the same. Undefined: they are.
   */
  readonly hidden: HiddenFromModels | undefined;
  /** One markdown file that is a skill by itself: it has no other files. */
  readonly flat: boolean;
  /**
   * Absolute real path of the workspace it comes from: it is named
   * `workspace/...` and untrusted. Undefined: it is a root's.
   */
  readonly workspace: string | undefined;
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
  /** Declared under `references:`, in that order. */
  readonly references: readonly Reference[];
  /**
   * Why the Skills extension and the resources leave it out, in words; a
   * problem says the same, for flat skills one a root. Undefined: they serve it.
   */
  readonly leftOut: string | undefined;
}

/** A configured root and how reading it went. */
export interface RootState {
  /** As configured, absolute. */
  readonly path: string;
  /** Real path; undefined when it cannot be read. */
  readonly realPath: string | undefined;
  /** It is a directory of this workspace (absolute, real), not a root. */
  readonly workspace: string | undefined;
}

/** What everything else reads. Never mutated: a rescan makes a new one. */
export interface Snapshot {
  readonly roots: readonly RootState[];
  /** By name, in name order. The one place that says what is served. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** Link name -> served name; accepted by loads, never by grants. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  /** Every shared file that a served skill declares, by id. */
  readonly shared: ReadonlyMap<string, SharedFile>;
}
