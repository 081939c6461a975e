/** What differs between two snapshots. Pure. */

/** How one skill that stands in both differs. */
export interface SkillChange {
  readonly name: string;
  /** SKILL.md itself: its bytes by stamp, or anything read from it. */
  readonly skillFile: boolean;
  /** Paths below the skill, copies of shared files among them, in path order. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}
