/** Which skills come up for a message and for files: the door of `triggers/`. */

import { byCodeUnit } from "../base/order.ts";
import { lastSegment, SEPARATOR } from "../base/place.ts";
import { visible } from "../base/text.ts";
import type { Skill } from "../catalog/types.ts";
import { foldKeyword } from "./triggers/fold.ts";
import { MessageTriggers } from "./triggers/message_triggers.ts";
import { checkGlobs, PathRules } from "./triggers/path_rules.ts";
import {
  PATTERN_MARK,
  type PatternMaker,
  patternMaker,
} from "./triggers/patterns.ts";
import { type PathGround, placePath } from "./triggers/touched_paths.ts";
import type {
  Hit,
  MatchRequest,
  MatchResult,
  NearMiss,
  SkillProblem,
  Triggers,
} from "./types.ts";

export {
  digestOf,
  type Excluded,
  extraInfo,
  parseExclude,
  ruleInfo,
} from "./triggers/delivered.ts";
export { inScope, placePath } from "./triggers/touched_paths.ts";

/** Near misses that are told of. */
const MAX_NEAR = 20;

/** Where files lie, and how their paths are read. */
export interface TriggerOptions {
  /** Absolute real paths; relative paths are relative to the first. */
  readonly workspaces: readonly string[];
  /** Globs match whatever the case, as the file system does. */
  readonly caseInsensitivePaths?: boolean;
  /**
   * Real path of an absolute path; undefined: there is no such file. Without it
   * links are not looked at.
   */
  readonly realPath?: (path: string) => Promise<string | undefined>;
  /** Paths are written as on Windows. Default: as on this system. */
  readonly windows?: boolean;
}

/**
 * Compiles what makes `skills` come up. Pure, but for loading the engine of
 * regular expressions when a skill has one. What cannot be compiled or can never
 * match is a problem, and costs that keyword or glob alone.
 */
export async function compileTriggers(
  skills: Iterable<Skill>,
  options: TriggerOptions,
): Promise<Triggers> {
  const compiled = new CompiledTriggers(options);
  // A workspace's patterns may not use up what the owner's need.
  const ordered = [...skills].sort((a, b) =>
    Number(a.workspace !== undefined) - Number(b.workspace !== undefined) ||
    byCodeUnit(a.name, b.name)
  );
  const maker = ordered.some(hasPattern) ? await patternMaker() : undefined;
  for (const skill of ordered) compiled.addWords(skill, maker);
  compiled.addRules(ordered);
  return compiled;
}

function hasPattern({ activation }: Skill): boolean {
  return "keywords" in activation &&
    activation.keywords.some((word) => word.startsWith(PATTERN_MARK));
}

class CompiledTriggers implements Triggers {
  readonly problems: SkillProblem[] = [];
  readonly #words = new MessageTriggers<Skill>();
  readonly #ground: PathGround;
  readonly #ignoreCase: boolean;
  #rules = new PathRules<Skill>([], false);

  constructor(options: TriggerOptions) {
    this.#ignoreCase = options.caseInsensitivePaths ?? false;
    this.#ground = {
      workspaces: options.workspaces,
      windows: options.windows ?? SEPARATOR === "\\",
      realPath: options.realPath,
    };
  }

  addWords(skill: Skill, maker: PatternMaker | undefined): void {
    const { activation } = skill;
    if (!("keywords" in activation)) return;
    const { inCode } = activation;
    for (const [rank, written] of wordsOf(skill).entries()) {
      const place = { rank, written, inCode };
      if (!written.startsWith(PATTERN_MARK)) {
        if (this.#words.addKeyword(skill, place)) continue;
        this.#report(skill, "a keyword is empty: it never matches", {
          hint: "Write a word, or leave it out.",
        });
        continue;
      }
      const pattern = maker!.compile(
        written.slice(PATTERN_MARK.length),
        skill.workspace === undefined ? "owner" : "workspace",
      );
      if (typeof pattern !== "string") {
        this.#words.addPattern(skill, pattern, place);
        continue;
      }
      this.#report(skill, `keyword "${visible(written, 120)}": ${pattern}`, {
        hint: "Write it in RE2's syntax, with something it has to hold.",
      });
    }
  }

  addRules(skills: readonly Skill[]): void {
    const rules: { owner: Skill; globs: readonly string[] }[] = [];
    for (const skill of skills) {
      if (skill.activation.kind !== "path") continue;
      const checked = checkGlobs(skill.activation.globs, this.#ignoreCase);
      for (const { glob, why, hint } of checked.complaints) {
        this.#report(skill, `glob "${visible(glob, 120)}": ${why}`, { hint });
      }
      if (checked.globs.length > 0) {
        rules.push({ owner: skill, globs: checked.globs });
      } else {
        this.#report(skill, "no glob can match: the rule never applies", {
          hint: "Write a gitignore pattern that names files, such as src/*.ts.",
        });
      }
    }
    this.#rules = new PathRules(rules, this.#ignoreCase);
  }

  async match({ message, paths }: MatchRequest): Promise<MatchResult> {
    const { hits, near } = await this.#matchMessage(message ?? "");
    const touched = await this.#matchPaths(paths ?? []);
    return {
      hits: [...hits, ...touched.hits],
      near,
      refusedPaths: touched.refusedPaths,
    };
  }

  async #matchMessage(
    message: string,
  ): Promise<{ hits: readonly Hit[]; near: readonly NearMiss[] }> {
    if (message === "") return { hits: [], near: [] };
    const { matched, near } = await this.#words.match(message);
    return {
      hits: matched.toSorted(bySlashAndName).map((one) => ({
        skill: one.owner,
        kind: kindOf(one.owner),
        matched: one.written,
        at: { in: "message", offset: one.offset, text: one.text },
      })),
      near: near.toSorted(bySlashAndName).slice(0, MAX_NEAR).map((one) => ({
        skill: one.owner.name,
        kind: kindOf(one.owner),
        matched: one.written,
        why: one.why(),
      })),
    };
  }

  async #matchPaths(
    paths: readonly string[],
  ): Promise<Pick<MatchResult, "hits" | "refusedPaths">> {
    const hits = new Map<Skill, Hit>();
    const refusedPaths: { path: string; why: string }[] = [];
    for (const given of new Set(paths)) {
      const places = await placePath(given, this.#ground);
      if (typeof places === "string") {
        refusedPaths.push({ path: given, why: places });
        continue;
      }
      for (const { workspace, path } of places) {
        for (const [skill, glob] of this.#rules.match(path)) {
          const own = skill.workspace ?? workspace;
          if (own !== workspace || hits.has(skill)) continue;
          const at = { in: "path", path } as const;
          hits.set(skill, { skill, kind: "path", matched: glob, at });
        }
      }
    }
    return {
      hits: [...hits.values()].toSorted((a, b) =>
        byCodeUnit(a.skill.name, b.skill.name)
      ),
      refusedPaths,
    };
  }

  #report(skill: Skill, detail: string, { hint }: { hint: string }): void {
    this.problems.push({
      skill: skill.name,
      severity: "warning",
      reason: "trigger",
      detail,
      hint,
    });
  }
}

/** A task is called by its own name too. */
function wordsOf({ activation, name }: Skill): readonly string[] {
  if (!("keywords" in activation)) return [];
  const { kind, keywords } = activation;
  if (kind !== "task") return keywords;
  const call = `/${lastSegment(name)}`;
  const known = keywords.some((word) =>
    foldKeyword(word) === foldKeyword(call)
  );
  return known ? keywords : [...keywords, call];
}

function kindOf({ activation }: Skill): Hit["kind"] {
  return activation.kind === "task" ? "task" : "keyword";
}

function bySlashAndName(
  a: { slash: boolean; owner: Skill },
  b: { slash: boolean; owner: Skill },
): number {
  return Number(b.slash) - Number(a.slash) ||
    byCodeUnit(a.owner.name, b.owner.name);
}
