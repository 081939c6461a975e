/** What a walk is given, and what it finds before anything is settled. */

import type { Bundle } from "./bundle.ts";
import type { Hiding } from "./hidden.ts";
import type { IgnoreRules } from "./ignore_rules.ts";
import type { ScanLimits } from "./limits.ts";
import type { Listing } from "./listing.ts";
import type { Pacer } from "../base/pacer.ts";
import type { ProblemLog } from "./problem_log.ts";
import type { ScanFs } from "./scan_fs.ts";
import type { Top, TopLevel } from "./top_level.ts";
import type { Subtree, WalkMemory } from "./walk_memory.ts";

/** What a walk asks, tells and obeys. */
export interface WalkContext {
  readonly fs: ScanFs;
  readonly limits: ScanLimits;
  readonly log: ProblemLog;
  /** Markdown files outside skills are skills by themselves. */
  readonly flat?: boolean | undefined;
  readonly pacer: Pacer;
  /** What earlier walks of this root found. */
  readonly memory?: WalkMemory | undefined;
  /** Called at each pause with the directories walked so far. */
  readonly onPause: (directories: number) => void;
}

/** A directory still to be walked. */
export interface Task {
  readonly abs: string;
  readonly rel: string;
  readonly depth: number;
  readonly rules: IgnoreRules;
  readonly chain: readonly Bundle[];
  readonly top: Top | undefined;
  /** The outermost skill it lies in, for the next walk. */
  readonly subtree: Subtree | undefined;
}

/** A symbolic link on the way. */
export interface FoundLink {
  readonly abs: string;
  /** Below the root. */
  readonly rel: string;
  readonly name: string;
  /** The skills it lies in, outermost first. */
  readonly chain: readonly Bundle[];
  readonly top: Top | undefined;
}

/** A directory whose SKILL.md is another skill's. */
export interface FoundAlias {
  readonly rel: string;
  /** Real path of the directory it leads to. */
  readonly target: string;
  /** Something else lies beside a linked SKILL.md, and is not served. */
  readonly leftovers: boolean;
}

/** What one root holds. */
export interface RootFindings {
  readonly bundles: readonly Bundle[];
  readonly links: readonly FoundLink[];
  readonly aliases: readonly FoundAlias[];
  /** Directories (below the root) with a SKILL.md of any kind. */
  readonly claims: ReadonlySet<string>;
  /** Directories (below the root) outside all skills that were listed. */
  readonly open: ReadonlySet<string>;
  readonly tops: TopLevel;
  readonly hiding: Hiding;
  readonly listing: Listing;
}
