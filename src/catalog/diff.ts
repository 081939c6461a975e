/** What differs between two snapshots. Pure. */

import { byCodeUnit } from "../base/order.ts";
import { lastSegment } from "../base/place.ts";
import { copiesIn, type Copy } from "./copies.ts";
import { FLAT_ENDING } from "./flat_files.ts";
import { sameStamp } from "./stamps.ts";
import type {
  FileStamp,
  Problem,
  Reference,
  SharedFile,
  Skill,
  Snapshot,
} from "./types.ts";

/** How one skill that stands in both differs. */
export interface SkillChange {
  readonly name: string;
  /** SKILL.md itself: its bytes by stamp, or anything read from it. */
  readonly skillFile: boolean;
  /** Paths below the skill, copies of shared files among them, in path order. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Never `SKILL.md` itself, nor a flat skill's file: `skillFile` says that. */
  readonly changed: readonly string[];
}

/** What moved from one snapshot to the next. */
export interface SnapshotDiff {
  /** Names of skills, in name order. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly SkillChange[];
  /** Ids of shared files that appeared, vanished or changed, in order. */
  readonly references: readonly string[];
}

/**
 * Compares by stamp, by what was read and by what was told, never by content.
 * A nested skill's file is a path of the skills around it too, and so is a copy
 * that the Skills extension serves.
 */
export function diffSnapshots(before: Snapshot, after: Snapshot): SnapshotDiff {
  if (before === after) {
    return { added: [], removed: [], changed: [], references: [] };
  }
  const sides = { before: sideOf(before), after: sideOf(after) };
  const changed: SkillChange[] = [];
  for (const [name, skill] of after.skills) {
    const old = before.skills.get(name);
    if (old === undefined) continue;
    const change = changeOf(old, skill, sides);
    if (change !== undefined) changed.push(change);
  }
  return {
    added: [...after.skills.keys()].filter((name) => !before.skills.has(name)),
    removed: [...before.skills.keys()].filter((name) =>
      !after.skills.has(name)
    ),
    changed,
    references: movedFiles(before.shared, after.shared),
  };
}

/** What is looked up in one snapshot. */
interface Side {
  readonly copies: ReadonlyMap<string, readonly Copy[]>;
  /** By skill: what was told about it, as one text. */
  readonly told: ReadonlyMap<string, string>;
}

function sideOf(snapshot: Snapshot): Side {
  const told = new Map<string, string>();
  for (const { skill, ...problem } of snapshot.problems) {
    if (skill === undefined) continue;
    told.set(skill, `${told.get(skill) ?? ""}${textOf(problem)}\n`);
  }
  return { copies: copiesIn(snapshot), told };
}

function textOf(problem: Omit<Problem, "skill">): string {
  return JSON.stringify(problem);
}

function changeOf(
  old: Skill,
  skill: Skill,
  { before, after }: { readonly before: Side; readonly after: Side },
): SkillChange | undefined {
  const { name } = skill;
  const copies = [before.copies.get(name) ?? [], after.copies.get(name) ?? []];
  const told = before.told.get(name) === after.told.get(name);
  const none = copies.every(({ length }) => length === 0);
  if (old === skill && told && none) return undefined;
  const moved = old.files === skill.files && none
    ? NONE
    : movedPaths(pathsOf(old, copies[0]!), pathsOf(skill, copies[1]!));
  const { added, removed } = moved;
  const own = skill.flat ? lastSegment(skill.name) + FLAT_ENDING : "SKILL.md";
  const changed = moved.changed.filter((path) => path !== own);
  const skillFile = !told || changed.length < moved.changed.length ||
    !sameReading(old, skill);
  const any = skillFile || added.length + removed.length + changed.length > 0;
  return any ? { name, skillFile, added, removed, changed } : undefined;
}

/** Whether SKILL.md is the same and says the same. */
function sameReading(old: Skill, skill: Skill): boolean {
  if (old === skill) return true;
  return sameStamp(old.skillStamp, skill.skillStamp) &&
    old.dir === skill.dir && old.skillFile === skill.skillFile &&
    old.createdMs === skill.createdMs && old.truncated === skill.truncated &&
    old.leftOut === skill.leftOut && old.body === skill.body &&
    (old.frontmatter === skill.frontmatter ||
      JSON.stringify(old.frontmatter) === JSON.stringify(skill.frontmatter)) &&
    old.references.length === skill.references.length &&
    old.references.every((row, index) =>
      sameRow(row, skill.references[index]!)
    );
}

function sameRow(a: Reference, b: Reference): boolean {
  if (a.status === "not-found" || b.status === "not-found") {
    return a.status === b.status && "name" in a && "name" in b &&
      a.name === b.name;
  }
  return a.file.id === b.file.id && a.copy === b.copy;
}

interface Moved {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

const NONE: Moved = { added: [], removed: [], changed: [] };

/** A path of a skill, and what stands there. */
interface Place {
  readonly path: string;
  /** Id of the shared file it is a copy of; undefined: the skill's own. */
  readonly id?: string;
  readonly stamp: FileStamp;
}

function pathsOf(skill: Skill, copies: readonly Copy[]): readonly Place[] {
  const own = skill.files.map((file) => ({ path: file.path, stamp: file }));
  if (copies.length === 0) return own;
  const all: Place[] = [
    ...own,
    ...copies.map(({ path, file }) => ({ path, id: file.id, stamp: file })),
  ];
  return all.sort((a, b) => byCodeUnit(a.path, b.path));
}

/** Two lists in path order, walked side by side. */
function movedPaths(before: readonly Place[], after: readonly Place[]): Moved {
  const added: string[] = [];
  const removed: string[] = [];
  const changed: string[] = [];
  let next = 0;
  for (const { path, id, stamp } of after) {
    while (next < before.length && before[next]!.path < path) {
      removed.push(before[next++]!.path);
    }
    const old = before[next];
    if (old?.path !== path) added.push(path);
    else {
      next += 1;
      if (old.id !== id || !sameStamp(old.stamp, stamp)) changed.push(path);
    }
  }
  for (; next < before.length; next++) removed.push(before[next]!.path);
  return { added, removed, changed };
}

function movedFiles(
  before: ReadonlyMap<string, SharedFile>,
  after: ReadonlyMap<string, SharedFile>,
): string[] {
  const moved = [...before.keys()].filter((id) => !after.has(id));
  for (const [id, file] of after) {
    const old = before.get(id);
    if (old === file) continue;
    if (old === undefined || !sameStamp(old, file)) moved.push(id);
  }
  return moved.sort(byCodeUnit);
}
