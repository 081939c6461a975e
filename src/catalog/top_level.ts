/** Which direct children of a root hold files and no skill. */

import type { Draft } from "./problem_log.ts";

/** A direct child of a root, or of its `skills/`. */
export interface Top {
  /** Below the root. */
  readonly rel: string;
  /** The `skills/` that holds it. */
  readonly outer?: Top;
  /** `skills/` itself: only files right in it count. */
  readonly isSkillsFolder: boolean;
  holdsFiles: boolean;
  /** A SKILL.md of any kind, or a link to a skill, lies in or below it. */
  holdsSkill: boolean;
}

/** Keeps the tops of one root. */
export class TopLevel {
  readonly #tops: Top[] = [];

  /** The top that the directory `rel` is or lies in. */
  of(rel: string, inside: Top | undefined): Top | undefined {
    const depth = rel.split("/").length;
    const isNew = depth === 1 ||
      (depth === 2 && inside?.isSkillsFolder === true);
    if (!isNew) return inside;
    const top: Top = {
      rel,
      ...(inside === undefined ? {} : { outer: inside }),
      isSkillsFolder: rel === "skills",
      holdsFiles: false,
      holdsSkill: false,
    };
    this.#tops.push(top);
    return top;
  }

  /** Marks a top, and what it lies in, as holding a skill. */
  static mark(top: Top | undefined): void {
    for (let each = top; each !== undefined; each = each.outer) {
      each.holdsSkill = true;
    }
  }

  /**
   * One problem for each top with files and no skill. `shared` are the paths
   * below the root that skills refer to: a top that holds one has its use.
   */
  problems(root: number, shared: Iterable<string>): Draft[] {
    const used = new Set<string>();
    for (const path of shared) {
      const [first, second] = path.split("/");
      used.add(`${first}`).add(`${first}/${second}`);
    }
    return this.#tops
      .filter(({ rel, holdsFiles, holdsSkill }) =>
        holdsFiles && !holdsSkill && !used.has(rel)
      )
      .map((top) => ({
        root,
        path: top.rel,
        severity: "warning",
        reason: "no-skill-md",
        detail: "holds files and no SKILL.md at any depth",
        hint: "Add a SKILL.md, or move the directory out of the root.",
      }));
  }
}
