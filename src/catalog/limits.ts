/** How much a scan reads at most. Every bound that is hit is reported. */

/** The bounds of one scan. Counts, except where a name says bytes. */
export interface ScanLimits {
  /** Skills served, over all roots. */
  readonly skills: number;
  /** Files listed per skill. */
  readonly files: number;
  /** Directories walked per skill, its own not counted. */
  readonly directories: number;
  /** Directories between a root and what lies deepest below it. */
  readonly depth: number;
  /** Directory entries looked at per root. */
  readonly entries: number;
  /** Further names for skills, over all roots. */
  readonly aliases: number;
  /** References a skill may declare. */
  readonly references: number;
  /** Different shared files, over all roots. */
  readonly shared: number;
  /** Bytes of a shared file. */
  readonly sharedBytes: number;
  /** Bytes of a SKILL.md that are read. */
  readonly skillFileBytes: number;
  /** Bytes of a `.gitignore` or `.ignore` that are read. */
  readonly ignoreFileBytes: number;
}

/** The bounds of issue and reference; `SKILLFENCE_MAX_SKILLS` sets `skills`. */
export const DEFAULT_LIMITS: ScanLimits = {
  skills: 20_000,
  files: 2_000,
  directories: 2_000,
  depth: 32,
  entries: 1_000_000,
  aliases: 20_000,
  references: 128,
  shared: 20_000,
  sharedBytes: 1024 * 1024,
  skillFileBytes: 256 * 1024,
  ignoreFileBytes: 64 * 1024,
};
