/** From what was read of bundles to skills, with the verdict on each. */

import type { Finding, SkillDocument } from "../skill/types.ts";
import { type Copy, Enclosing, nestedAt, ownCopies } from "./copies.ts";
import { whyLeftOut } from "./left_out.ts";
import type { Reading } from "./read_skill.ts";
import type { CitedRow } from "./references.ts";
import type { MadeOf, ScanMemory } from "./scan_memory.ts";
import type { Named } from "./settle.ts";
import { sameStamp } from "./stamps.ts";
import type {
  HiddenFromModels,
  Reference,
  SharedFile,
  Skill,
} from "./types.ts";

/** A bundle with what was read of it. */
export interface Part {
  readonly bundle: Named;
  readonly reading: Reading;
  readonly findings: readonly Finding[];
  readonly rows: readonly CitedRow[];
  /** Real path of the workspace it comes from. */
  readonly workspace: string | undefined;
  /** What an earlier scan made of it. */
  readonly made: MadeOf | undefined;
}

function skillFrom(
  { bundle, reading, workspace }: Part,
  references: readonly Reference[],
): Skill {
  const { document } = reading;
  const files = bundle.files();
  return {
    name: bundle.name,
    rootIndex: bundle.root,
    dir: bundle.dir,
    skillFile: bundle.skillFile,
    skillStamp: reading.stamp,
    createdMs: reading.createdMs,
    description: document.description,
    whenToUse: document.whenToUse,
    frontmatter: document.frontmatter,
    declaration: document.declaration,
    activation: document.activation,
    hidden: hiddenFrom(document),
    flat: bundle.flat,
    workspace,
    instructionsOnly: document.frontmatter === undefined,
    body: document.body,
    truncated: reading.truncated,
    files,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    references,
    leftOut: undefined,
  };
}

/** Why models are not offered what a document says. */
function hiddenFrom(
  { activation, modelMayNotInvoke }: SkillDocument,
): HiddenFromModels | undefined {
  if (activation.kind === "path") return "path-rule";
  if (activation.kind === "always") return "always-on";
  return modelMayNotInvoke ? "disable-model-invocation" : undefined;
}

function referencesFrom(
  rows: readonly CitedRow[],
  shared: ReadonlyMap<string, SharedFile>,
): readonly Reference[] {
  return rows.map((row) =>
    row.file === undefined ? { status: "not-found", name: row.name } : {
      status: "found",
      file: shared.get(row.file.id)!,
      copy: row.copy,
    }
  );
}

function sameReferences(
  a: readonly Reference[],
  b: readonly Reference[],
): boolean {
  return a.length === b.length && a.every((row, index) => {
    const other = b[index]!;
    return row.status === "found"
      ? other.status === "found" && row.file === other.file &&
        row.copy === other.copy
      : other.status === "not-found" && row.name === other.name;
  });
}

/**
 * Each skill with its verdict; a nested one's copies count for the outer. A
 * skill that is as before is the same object.
 */
export function makeSkills(
  parts: readonly Part[],
  shared: ReadonlyMap<string, SharedFile>,
  memory: ScanMemory,
): Skill[] {
  const drafts = parts.map((part) => {
    const references = referencesFrom(part.rows, shared);
    const { made } = part;
    return made !== undefined &&
        sameReferences(made.skill.references, references)
      ? made.skill
      : skillFrom(part, references);
  });
  const { verdicts, copies } = judgeCiting(drafts);
  return drafts.map((draft, index) => {
    const { bundle, reading, findings, made } = parts[index]!;
    const own = copies.get(draft);
    const hadCopies = own !== undefined;
    if (made?.skill === draft && !made.hadCopies && !hadCopies) return draft;
    const leftOut = verdicts.has(draft)
      ? verdicts.get(draft)
      : whyLeftOut(draft, own ?? []);
    const skill = leftOut === draft.leftOut ? draft : { ...draft, leftOut };
    // Read after it changed again: the walk would recall what was before.
    const stamp = bundle.stampOf(bundle.skillFile);
    if (stamp !== undefined && sameStamp(stamp, reading.stamp)) {
      const { name } = bundle;
      memory.made.set(bundle, { name, reading, findings, skill, hadCopies });
    } else memory.made.delete(bundle);
    return skill;
  });
}

/** Verdicts on skills that bring copies, and all copies by who has them. */
function judgeCiting(skills: readonly Skill[]): {
  readonly verdicts: ReadonlyMap<Skill, string | undefined>;
  readonly copies: ReadonlyMap<Skill, readonly Copy[]>;
} {
  const copies = new Map<Skill, Copy[]>();
  const verdicts = new Map<Skill, string | undefined>();
  for (const skill of skills) {
    if (skill.references.length === 0) continue;
    const own = ownCopies(skill);
    if (own.length > 0) copies.set(skill, own);
  }
  if (copies.size === 0) return { verdicts, copies };
  const enclosing = new Enclosing(skills);
  // Innermost first: the copies of a skill that is left out are nobody's.
  const citing = [...copies.keys()].sort((a, b) => b.dir.length - a.dir.length);
  for (const skill of citing) {
    const own = ownCopies(skill);
    const why = whyLeftOut(skill, copies.get(skill)!);
    verdicts.set(skill, why);
    if (why !== undefined) continue;
    for (const { outer, prefix } of enclosing.of(skill)) {
      const more = nestedAt(own, prefix);
      const so = copies.get(outer);
      if (so === undefined) copies.set(outer, more);
      else so.push(...more);
    }
  }
  return { verdicts, copies };
}
