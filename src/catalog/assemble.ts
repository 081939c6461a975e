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
import {
  type Ground,
  SharedFiles,
  type SharedReading,
} from "./shared_files.ts";
import type { StampedMemory } from "./stamped_memory.ts";
import type { Reference, SharedFile, Skill } from "./types.ts";

/** What assembling asks, tells and obeys. */
export interface AssemblyContext extends ReadContext {
  readonly log: ProblemLog;
  readonly pacer: Pacer;
  readonly sharedReadings: StampedMemory<SharedReading>;
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
  readonly rows: readonly CitedRow[];
}

/** Builds the skills of `bundles`, which are in name order. Reports, never throws. */
export async function assemble(
  bundles: readonly Named[],
  context: AssemblyContext,
): Promise<Assembled> {
  const { limits, log, pacer, grounds } = context;
  const shared = new SharedFiles({
    ...context,
    memory: context.sharedReadings,
  });
  const parts: Part[] = [];
  for (const [index, bundle] of bundles.entries()) {
    const reading = readBundle(bundle, context);
    if ("finding" in reading) report(bundle, [reading.finding], log);
    else {
      report(bundle, findingsOf(bundle, reading, context), log);
      const ground = grounds.get(bundle.root)!;
      const rows = citedRows(bundle, reading.document, ground, {
        shared,
        limits,
        log,
      });
      parts.push({ bundle, reading, rows });
    }
    if (!pacer.due()) continue;
    context.onPause(index + 1);
    await pacer.pause();
  }
  const files = new Map<string, SharedFile>();
  for (const { citers, ...file } of shared.cited.values()) {
    // Skills come in name order, and so do those who cite a file.
    files.set(file.id, { ...file, citedBy: [...citers] });
  }
  const skills = parts.map((part) => skillFrom(part, files));
  const judged = judge(skills);
  for (const [index, skill] of judged.entries()) {
    if (skill.leftOut === undefined) continue;
    report(parts[index]!.bundle, [leftOutFinding(skill.leftOut)], log);
  }
  return {
    skills: new Map(judged.map((skill) => [skill.name, skill])),
    shared: files,
  };
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
  { bundle, reading, rows }: Part,
  shared: ReadonlyMap<string, SharedFile>,
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
    references: rows.map((row) => referenceFrom(row, shared)),
    leftOut: undefined,
  };
}

function referenceFrom(
  row: CitedRow,
  shared: ReadonlyMap<string, SharedFile>,
): Reference {
  if (row.file === undefined) return { status: "not-found", name: row.name };
  const file = shared.get(row.file.id)!;
  return { status: "found", file, copy: row.copy };
}

/** Each skill with its verdict; a nested one's copies count for the outer. */
function judge(skills: readonly Skill[]): Skill[] {
  const enclosing = new Enclosing(skills);
  const copies = new Map<Skill, Copy[]>();
  const verdicts = new Map<Skill, string | undefined>();
  const add = (skill: Skill, more: readonly Copy[]) => {
    const so = copies.get(skill);
    if (so === undefined) copies.set(skill, [...more]);
    else so.push(...more);
  };
  for (const skill of skills) {
    if (skill.references.length > 0) add(skill, ownCopies(skill));
  }
  // Innermost first: the copies of a skill that is left out are nobody's.
  const citing = [...copies.keys()].sort((a, b) => b.dir.length - a.dir.length);
  for (const skill of citing) {
    const why = whyLeftOut(skill, copies.get(skill)!);
    verdicts.set(skill, why);
    const own = ownCopies(skill);
    if (why !== undefined || own.length === 0) continue;
    for (const { outer, prefix } of enclosing.of(skill)) {
      add(outer, nestedAt(own, prefix));
    }
  }
  return skills.map((skill) => {
    const leftOut = verdicts.has(skill)
      ? verdicts.get(skill)
      : whyLeftOut(skill, copies.get(skill) ?? []);
    return leftOut === undefined ? skill : { ...skill, leftOut };
  });
}
