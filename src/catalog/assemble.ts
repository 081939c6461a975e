/** From settled bundles to skills: read, joined with what they share, judged. */

import type { Finding } from "../skill/types.ts";
import { type Copy, Enclosing, nestedAt, ownCopies } from "./copies.ts";
import { whyLeftOut } from "./left_out.ts";
import type { Pacer } from "./pacer.ts";
import type { ProblemLog } from "./problem_log.ts";
import {
  findingsOf,
  readBundle,
  type ReadContext,
  type Reading,
} from "./read_skill.ts";
import { type CitedRow, citedRows } from "./references.ts";
import type { Named } from "./settle.ts";
import type { MadeOf, ScanMemory } from "./scan_memory.ts";
import { type Cited, type Ground, SharedFiles } from "./shared_files.ts";
import { sameStamp } from "./stamps.ts";
import type { Reference, SharedFile, Skill } from "./types.ts";

/** What assembling asks, tells and obeys. */
export interface AssemblyContext extends ReadContext {
  readonly log: ProblemLog;
  readonly pacer: Pacer;
  readonly memory: ScanMemory;
  /** The walked roots, by index. */
  readonly grounds: ReadonlyMap<number, Ground>;
  /** Called at each pause with the skills read. */
  readonly onPause: (skills: number) => void;
}

/** What is served. */
export interface Assembled {
  /** By name, in the order of the bundles. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly shared: ReadonlyMap<string, SharedFile>;
}

/** A bundle with what was read of it. */
interface Part {
  readonly bundle: Named;
  readonly reading: Reading;
  readonly findings: readonly Finding[];
  readonly rows: readonly CitedRow[];
  /** What an earlier scan made of it. */
  readonly made: MadeOf | undefined;
}

/** Builds the skills of `bundles`, which are in name order. Reports, never throws. */
export async function assemble(
  bundles: readonly Named[],
  context: AssemblyContext,
): Promise<Assembled> {
  const { limits, log, pacer, grounds, memory } = context;
  const shared = new SharedFiles({ ...context, memory: memory.sharedReadings });
  const references = { shared, limits, log };
  const parts: Part[] = [];
  for (const [index, bundle] of bundles.entries()) {
    const read = recalled(bundle, memory) ?? readPart(bundle, context);
    report(bundle, read.findings, log);
    if (read.reading !== undefined) {
      const { reading } = read;
      const ground = grounds.get(bundle.root)!;
      const rows = citedRows(bundle, reading.document, ground, references);
      parts.push({ ...read, reading, bundle, rows });
    }
    if (!pacer.due()) continue;
    context.onPause(index + 1);
    await pacer.pause();
  }
  const files = sharedFrom(shared.cited, memory.shared);
  const skills = judge(parts, files, memory);
  for (const [index, { leftOut }] of skills.entries()) {
    if (leftOut === undefined) continue;
    report(parts[index]!.bundle, [leftOutFinding(leftOut)], log);
  }
  return {
    skills: new Map(skills.map((skill) => [skill.name, skill])),
    shared: files,
  };
}

interface Read {
  /** Undefined: SKILL.md cannot be read, and a finding says why. */
  readonly reading: Reading | undefined;
  readonly findings: readonly Finding[];
  readonly made: MadeOf | undefined;
}

function recalled(bundle: Named, memory: ScanMemory): Read | undefined {
  const made = memory.made.get(bundle);
  if (made === undefined || made.name !== bundle.name) return undefined;
  const { reading, findings } = made;
  memory.readings.carry(bundle.skillFile, reading);
  return { reading, findings, made };
}

function readPart(bundle: Named, context: ReadContext): Read {
  const reading = readBundle(bundle, context);
  return "finding" in reading
    ? { reading: undefined, findings: [reading.finding], made: undefined }
    : {
      reading,
      findings: findingsOf(bundle, reading, context),
      made: undefined,
    };
}

/** The files with their citers; a file that is as before is the same object. */
function sharedFrom(
  cited: ReadonlyMap<string, Cited>,
  before: ReadonlyMap<string, SharedFile>,
): ReadonlyMap<string, SharedFile> {
  const files = new Map<string, SharedFile>();
  for (const [id, { citers, ...file }] of cited) {
    // Skills come in name order, and so do those who cite a file.
    const now = { ...file, citedBy: [...citers] };
    const old = before.get(id);
    files.set(id, old !== undefined && isSameFile(old, now) ? old : now);
  }
  return files;
}

function isSameFile(old: SharedFile, now: SharedFile): boolean {
  return sameStamp(old, now) && old.realPath === now.realPath &&
    old.createdMs === now.createdMs && old.name === now.name &&
    old.metadata === now.metadata &&
    old.citedBy.length === now.citedBy.length &&
    old.citedBy.every((name, index) => name === now.citedBy[index]);
}

function report(
  bundle: Named,
  findings: readonly Finding[],
  log: ProblemLog,
): void {
  for (const finding of findings) {
    log.add({
      ...finding,
      root: bundle.root,
      path: bundle.skillFileRel,
      owner: bundle,
    });
  }
}

function leftOutFinding(why: string): Finding {
  return {
    severity: "note",
    reason: "left-out",
    detail: `the Skills extension and the resources leave it out: ${why}`,
    hint: "Tools serve it all the same.",
  };
}

function skillFrom(
  { bundle, reading }: Part,
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
    instructionsOnly: document.frontmatter === undefined,
    body: document.body,
    truncated: reading.truncated,
    files,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    references,
    leftOut: undefined,
  };
}

function referencesFrom(
  rows: readonly CitedRow[],
  shared: ReadonlyMap<string, SharedFile>,
): readonly Reference[] {
  if (rows.length === 0) return NO_REFERENCES;
  return rows.map((row) =>
    row.file === undefined ? { status: "not-found", name: row.name } : {
      status: "found",
      file: shared.get(row.file.id)!,
      copy: row.copy,
    }
  );
}

const NO_REFERENCES: readonly Reference[] = [];

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
function judge(
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
