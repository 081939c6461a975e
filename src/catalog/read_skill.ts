/** What a found directory says of itself: its SKILL.md, read and checked. */

import { readSkillDocument } from "../skill/document.ts";
import type { Finding, SkillDocument } from "../skill/types.ts";
import { visible } from "../base/text.ts";
import type { ScanLimits } from "./limits.ts";
import {
  below,
  isWithin,
  joined,
  lastSegment,
  SEPARATOR,
} from "../base/place.ts";
import { type ScanFs, stampOf, whyFailed } from "./scan_fs.ts";
import type { Named } from "./settle.ts";
import type { StampedMemory } from "./stamped_memory.ts";
import type { BundleFile, FileStamp } from "./types.ts";

/** A SKILL.md, read. */
export interface Reading {
  /** Of the open file. */
  readonly stamp: FileStamp;
  readonly createdMs: number | null;
  readonly document: SkillDocument;
  /** It is longer than what was read. */
  readonly truncated: boolean;
}

/** What reading skills asks, and what it remembers. */
export interface ReadContext {
  readonly fs: ScanFs;
  readonly limits: ScanLimits;
  readonly memory: { readonly readings: StampedMemory<Reading> };
}

/**
 * Reads the SKILL.md of a bundle, unless the one remembered still stands; or
 * gives the finding that says why it cannot be read.
 */
export function readBundle(
  bundle: Named,
  { fs, limits, memory }: ReadContext,
): Reading | { readonly finding: Finding } {
  const { skillFile } = bundle;
  try {
    const stamp = bundle.stampOf(skillFile) ?? stampOf(fs.lstat(skillFile));
    const { readings } = memory;
    const known = readings.get(skillFile, stamp);
    if (known !== undefined) return known;
    const start = fs.readStart(skillFile, limits.skillFileBytes);
    const { truncated, stat } = start;
    // Another file by now: a link put on the way could lead anywhere.
    if (stat.ino !== stamp.ino && fs.realPath(skillFile) !== skillFile) {
      throw new TypeError("it was replaced while it was read");
    }
    return readings.keep(skillFile, {
      stamp: stampOf(stat),
      createdMs: stat.birthtime?.getTime() ?? null,
      document: readSkillDocument(start.bytes, {
        truncated,
        flat: bundle.flat,
      }),
      truncated,
    });
  } catch (error) {
    return {
      finding: {
        severity: "error",
        reason: "unreadable-skill-md",
        detail: `${fileOf(bundle)} cannot be read: ${whyFailed(error)}`,
        hint: "Make it readable by the server's user.",
      },
    };
  }
}

/** What messages call the file that is read. */
function fileOf({ flat }: Named): string {
  return flat ? "the file" : "SKILL.md";
}

/** Everything worth telling about a bundle as it was read. */
export function findingsOf(
  bundle: Named,
  { document, truncated }: Reading,
  { fs, limits }: ReadContext,
): readonly Finding[] {
  const findings = [...document.findings];
  if (truncated) {
    findings.push({
      severity: "warning",
      reason: "skill-md-limit",
      detail: `${fileOf(bundle)} is longer than ${
        limits.skillFileBytes / 1024
      } KiB: only its start is served`,
      hint: bundle.flat
        ? "Make it a directory with a SKILL.md, and move the rest into files beside that."
        : "Move the rest into files beside it; skill_file reads those.",
    });
  }
  checkName(document, bundle, findings);
  checkScripts(document, bundle, fs, findings);
  return findings;
}

function checkName(
  { claimedName }: SkillDocument,
  bundle: Named,
  findings: Finding[],
): void {
  if (claimedName === undefined || claimedName === bundle.name) return;
  const own = lastSegment(bundle.name);
  if (claimedName === own) return;
  const what = bundle.flat ? "file" : "directory";
  findings.push({
    severity: "warning",
    reason: "name-mismatch",
    detail: `the frontmatter says "${
      visible(claimedName)
    }"; the skill is served as ${bundle.name}, after its ${what}`,
    hint: `Write name: ${own}, or rename the ${what}.`,
  });
}

function checkScripts(
  { declaration }: SkillDocument,
  bundle: Named,
  fs: ScanFs,
  findings: Finding[],
): void {
  if (declaration.scripts.length === 0) return;
  const listed = new Set(bundle.files().map(({ path }: BundleFile) => path));
  for (const { script } of declaration.scripts) {
    if (listed.has(script)) continue;
    if (leadsTo(script, bundle, listed, fs)) continue;
    findings.push({
      severity: "error",
      reason: "declared-script-missing",
      detail: `the declared script "${
        visible(script)
      }" is not among the skill's files`,
      hint:
        "Add it, correct the path under mcp-host.run, or see why it is hidden.",
    });
  }
}

/** Whether a path through a linked directory ends at a listed file. */
function leadsTo(
  script: string,
  bundle: Named,
  listed: ReadonlySet<string>,
  fs: ScanFs,
): boolean {
  try {
    const real = fs.realPath(
      joined(bundle.dir, script.split("/").join(SEPARATOR)),
    );
    return isWithin(real, bundle.dir) && listed.has(below(real, bundle.dir));
  } catch {
    // Missing, or a broken link: either way no script.
    return false;
  }
}
