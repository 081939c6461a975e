/** What the SKILL.md of each directory makes of it, as a walk comes by. */

import { childOf, isWithin } from "../base/place.ts";
import { counted } from "../base/text.ts";
import { Bundle, sortAsWalked } from "./bundle.ts";
import type { Entries } from "./entries.ts";
import { hiddenSkill, type Hiding } from "./hidden.ts";
import type { IgnoreRules } from "./ignore_rules.ts";
import { type Report, reporting } from "./problem_log.ts";
import { isClaimed } from "./shared_files.ts";
import { judgeSkillEntry } from "./skill_entry.ts";
import { type Top, TopLevel } from "./top_level.ts";
import type { Subtree } from "./walk_memory.ts";
import type {
  FoundAlias,
  RootFindings,
  Task,
  WalkContext,
} from "./walk_types.ts";

/** The skills of one root. */
export class SkillsFound {
  /** Directories with a SKILL.md of any kind. */
  readonly claims = new Set<string>();
  readonly #root: number;
  readonly #rootDir: string;
  readonly #hiding: Hiding;
  readonly #context: Pick<WalkContext, "fs" | "log">;
  readonly #report: Report;
  readonly #bundles: Bundle[] = [];
  readonly #aliases: FoundAlias[] = [];
  #isSingle = false;
  /** SKILL.md files below a root that is a skill. */
  #parts = 0;

  constructor(
    root: number,
    rootDir: string,
    hiding: Hiding,
    context: Pick<WalkContext, "fs" | "log">,
  ) {
    this.#root = root;
    this.#rootDir = rootDir;
    this.#hiding = hiding;
    this.#context = context;
    this.#report = reporting(root, context.log);
  }

  /** Whether the root itself is the one skill. */
  get isSingle(): boolean {
    return this.#isSingle;
  }

  /** The bundle a directory opens; "stop" when nothing below is looked at. */
  claim(
    task: Task,
    entries: Entries,
    rules: IgnoreRules,
  ): Bundle | "stop" | undefined {
    const entry = entries.skill;
    if (entry === undefined) return undefined;
    const path = childOf(task.rel, entry.name);
    if (this.#isSingle) {
      this.#parts += 1;
      return undefined;
    }
    const { fs, log } = this.#context;
    const rule = rules.judge(path, entry.isDirectory).hiddenBy;
    if (rule !== undefined) {
      log.add(hiddenSkill(this.#root, path, rule));
      return undefined;
    }
    this.claims.add(task.rel);
    TopLevel.mark(task.top);
    const judged = judgeSkillEntry(entry, {
      root: this.#root,
      rootDir: this.#rootDir,
      abs: task.abs,
      rel: task.rel,
      hiding: this.#hiding,
      fs,
      log,
    });
    if (judged.kind === "alias") {
      const leftovers = entries.files.length + entries.directories.length > 0;
      this.#aliases.push({ rel: task.rel, target: judged.dir, leftovers });
    }
    if (judged.kind === "refused" && task.rel === "" && !entry.isDirectory) {
      return "stop";
    }
    if (judged.kind !== "skill") return undefined;
    if (task.rel === "") this.#isSingle = true;
    const bundle = new Bundle({
      root: this.#root,
      rel: task.rel,
      dir: task.abs,
      skillFile: judged.file,
      skillFileRel: path,
    });
    this.#bundles.push(bundle);
    if (entry.name !== "SKILL.md") {
      this.#report(path, "note", "skill-md-case", {
        detail: `"${entry.name}" is read as SKILL.md`,
        hint: "Rename it to SKILL.md: other programs look for that spelling.",
      }, bundle);
    }
    return bundle;
  }

  /** Whether a directory, or one around it, has a SKILL.md of any kind. */
  isClaimed(rel: string): boolean {
    return isClaimed(rel, this.claims);
  }

  /** Adds the flat skills of one directory. */
  addFlat(top: Top | undefined, bundles: readonly Bundle[]): void {
    if (bundles.length > 0) TopLevel.mark(top);
    for (const bundle of bundles) this.#bundles.push(bundle);
  }

  /** Whether the link in SKILL.md's place has been dealt with altogether. */
  isSettled(rel: string, bundle: Bundle | undefined): boolean {
    if (bundle === undefined) return this.claims.has(rel);
    return !isWithin(bundle.skillFile, bundle.dir);
  }

  /** Takes what the last walk found below one directory. */
  recall(known: Subtree): void {
    for (const bundle of known.bundles) this.#bundles.push(bundle);
    for (const claim of known.claims) this.claims.add(claim);
  }

  /** All there is, once the walk is through. */
  end(): Pick<RootFindings, "bundles" | "aliases" | "claims"> {
    sortAsWalked(this.#bundles);
    if (this.#parts > 0) {
      this.#report("", "note", "nested-in-root", {
        detail: `the root is one skill: ${
          counted(this.#parts)
        } more SKILL.md below it are its files, not skills`,
        hint: "Remove the root's own SKILL.md to serve them as skills.",
      });
    }
    return {
      bundles: this.#bundles,
      aliases: this.#aliases,
      claims: this.claims,
    };
  }
}
