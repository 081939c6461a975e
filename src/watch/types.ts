/** What a rescan moved, and how well changes are noticed. */

import type { SkillChange } from "../catalog/diff.ts";

/** How well one directory is watched. */
export interface WatchState {
  /** As configured, absolute. */
  readonly path: string;
  /** Number of the root from 1; undefined where prompts or workspaces lie. */
  readonly root: number | undefined;
  /** Which folder of skills of a workspace it is, such as `.agents/skills`. */
  readonly folder?: string;
  readonly state: "watching" | "degraded" | "off";
  /** Why it is degraded, and what to do about it. */
  readonly reason?: string;
}

/** What moved between two snapshots of skills and prompts. */
export interface Changes {
  /** Names of skills, in name order. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly SkillChange[];
  /** Ids of shared files that appeared, vanished or changed. */
  readonly references: readonly string[];
  /** Names of prompt files that appeared, vanished or changed. */
  readonly prompts: readonly string[];
}
