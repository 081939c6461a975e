/** Copies of shared files: where the skills that cite them serve them. Pure. */

import { byCodeUnit } from "../base/order.ts";
import { below, SEPARATOR } from "../base/place.ts";
import type { SharedFile, Skill, Snapshot } from "./types.ts";

/** A shared file as a file of a skill. */
export interface Copy {
  /** Below the skill, `/`-separated; its URI is the skill's and this. */
  readonly path: string;
  readonly file: SharedFile;
}

/** The copies that a skill's own declarations bring, in declared order. */
export function ownCopies(skill: Pick<Skill, "references">): Copy[] {
  const copies: Copy[] = [];
  for (const row of skill.references) {
    if (row.status !== "found" || row.copy === undefined) continue;
    copies.push({ path: row.copy, file: row.file });
  }
  return copies;
}

/**
 * By name of each skill that the Skills extension serves and that has any: its
 * copies in path order, its own and those of the skills nested in it.
 */
export function copiesIn(
  { skills }: Pick<Snapshot, "skills">,
): ReadonlyMap<string, readonly Copy[]> {
  const found = new Map<string, Copy[]>();
  let enclosing: Enclosing<Skill> | undefined;
  for (const skill of skills.values()) {
    if (skill.references.length === 0 || skill.leftOut !== undefined) continue;
    const copies = ownCopies(skill);
    if (copies.length === 0) continue;
    add(found, skill.name, copies);
    enclosing ??= new Enclosing(skills.values());
    for (const { outer, prefix } of enclosing.of(skill)) {
      if (outer.leftOut !== undefined) continue;
      add(found, outer.name, nestedAt(copies, prefix));
    }
  }
  for (const copies of found.values()) {
    copies.sort((a, b) => byCodeUnit(a.path, b.path));
  }
  return found;
}

/** `copies` as seen from a skill that has theirs at `prefix`. */
export function nestedAt(copies: readonly Copy[], prefix: string): Copy[] {
  return copies.map(({ path, file }) => ({ path: `${prefix}/${path}`, file }));
}

/** Which skills lie around which, in one root each. */
export class Enclosing<
  T extends Pick<Skill, "dir" | "rootIndex" | "flat">,
> {
  readonly #byDir = new Map<string, T>();

  constructor(skills: Iterable<T>) {
    for (const skill of skills) {
      // Nothing lies in a single file.
      if (!skill.flat) this.#byDir.set(skill.dir, skill);
    }
  }

  /** The skills around one, innermost first, and where it lies in each. */
  of(skill: T): { readonly outer: T; readonly prefix: string }[] {
    const found: { outer: T; prefix: string }[] = [];
    const { dir } = skill;
    for (
      let cut = dir.lastIndexOf(SEPARATOR);
      cut > 0;
      cut = dir.lastIndexOf(SEPARATOR, cut - 1)
    ) {
      const outer = this.#byDir.get(dir.slice(0, cut));
      if (outer === undefined || outer.rootIndex !== skill.rootIndex) continue;
      found.push({ outer, prefix: below(dir, outer.dir) });
    }
    return found;
  }
}

function add(found: Map<string, Copy[]>, name: string, copies: Copy[]): void {
  const so = found.get(name);
  if (so === undefined) found.set(name, [...copies]);
  else so.push(...copies);
}
