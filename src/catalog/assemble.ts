/** From settled bundles to skills: read, joined with what they share, judged. */

import { counted } from "../base/text.ts";
import type { Finding } from "../skill/types.ts";
import { makeSkills, type Part } from "./make_skills.ts";
import type { Pacer } from "../base/pacer.ts";
import type { ProblemLog } from "./problem_log.ts";
import {
  findingsOf,
  readBundle,
  type ReadContext,
  type Reading,
} from "./read_skill.ts";
import { citedRows } from "./references.ts";
import type { Named } from "./settle.ts";
import type { MadeOf, ScanMemory } from "./scan_memory.ts";
import { type Cited, type Ground, SharedFiles } from "./shared_files.ts";
import { sameStamp } from "./stamps.ts";
import type { SharedFile, Skill } from "./types.ts";

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
      const { workspace } = ground;
      parts.push({ ...read, reading, bundle, rows, workspace });
    }
    if (!pacer.due()) continue;
    context.onPause(index + 1);
    await pacer.pause();
  }
  const files = sharedFrom(shared.cited, memory.shared);
  const skills = makeSkills(parts, files, memory);
  reportFlat(skills, log);
  for (const [index, { leftOut, flat }] of skills.entries()) {
    if (leftOut === undefined || flat) continue;
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

/** One note a root: what is left out of flat files is the same for all. */
function reportFlat(skills: readonly Skill[], log: ProblemLog): void {
  const roots = Map.groupBy(
    skills.filter(({ flat }) => flat),
    ({ rootIndex }) => rootIndex,
  );
  for (const [root, { length }] of roots) {
    log.add({
      ...LEFT_OUT,
      detail: `the Skills extension and the resources leave out ${
        counted(length)
      } single files: they serve directories with a SKILL.md`,
      root,
      path: "",
    });
  }
}

function leftOutFinding(why: string): Finding {
  return {
    ...LEFT_OUT,
    detail: `the Skills extension and the resources leave it out: ${why}`,
  };
}

const LEFT_OUT = {
  severity: "note",
  reason: "left-out",
  hint: "Tools serve it all the same.",
} as const;
