/** What is neither a skill nor served, and what is said about it. */

import { IGNORE_FILES, IgnoreRules, type IgnoreText } from "./ignore_rules.ts";
import type { ScanLimits } from "./limits.ts";
import { childOf, joined } from "../base/place.ts";
import type { Draft, ProblemLog } from "./problem_log.ts";
import { type ScanFs, whyFailed } from "./scan_fs.ts";
import type { WalkMemory } from "./walk_memory.ts";
import { visible } from "../base/text.ts";

/** The rule by which a name alone hides an entry, in words. */
export function hiddenByName(name: string): string | undefined {
  if (name.startsWith(".")) return "names with a leading dot are hidden";
  return name === "node_modules" ? "`node_modules` is left out" : undefined;
}

/** The rules of one root, by the directory that brought them in. */
export class Hiding {
  readonly #fs: ScanFs;
  readonly #limits: ScanLimits;
  readonly #log: ProblemLog;
  readonly #root: number;
  readonly #memory: WalkMemory | undefined;
  readonly #changed = new Map<string, IgnoreRules>();

  constructor(
    root: number,
    effects: {
      fs: ScanFs;
      limits: ScanLimits;
      log: ProblemLog;
      memory?: WalkMemory | undefined;
    },
  ) {
    this.#root = root;
    this.#fs = effects.fs;
    this.#limits = effects.limits;
    this.#log = effects.log;
    this.#memory = effects.memory;
  }

  /** The rules inside a directory, given its ignore files and those outside. */
  enter(
    place: { abs: string; rel: string },
    entries: readonly Deno.DirEntry[],
    outside: IgnoreRules,
  ): IgnoreRules {
    if (entries.length === 0 && outside === IgnoreRules.NONE) return outside;
    const texts: IgnoreText[] = [];
    for (const name of IGNORE_FILES) {
      const entry = entries.find((entry) => entry.name === name);
      if (entry === undefined) continue;
      const text = this.#read(place, entry);
      if (text !== undefined) texts.push(text);
    }
    const inside = texts.length === 0
      ? outside
      : this.#extended(place.rel, outside, texts);
    if (inside !== IgnoreRules.NONE) this.#changed.set(place.rel, inside);
    return inside;
  }

  #extended(
    rel: string,
    outside: IgnoreRules,
    texts: readonly IgnoreText[],
  ): IgnoreRules {
    const same = this.#memory?.sameRules(rel, outside, texts);
    if (same !== undefined) return same;
    let skipped = 0;
    const inside = outside.extend(rel, texts, (path, line, why) => {
      skipped += 1;
      this.#note(path, `line ${line} is not used: ${why}`, line);
    });
    // What is to be told again is made again.
    if (skipped === 0) this.#memory?.keepRules(rel, { outside, texts, inside });
    return inside;
  }

  /** The rule that hides a path below the root, by any of its segments. */
  why(path: string, isDirectory: boolean): string | undefined {
    if (path === "") return undefined;
    let rules = this.#changed.get("") ?? IgnoreRules.NONE;
    const segments = path.split("/");
    let rel = "";
    for (const [index, name] of segments.entries()) {
      rel = childOf(rel, name);
      const byName = hiddenByName(name);
      if (byName !== undefined) return byName;
      const verdict = rules.judge(
        rel,
        isDirectory || index < segments.length - 1,
      );
      if (verdict.hiddenBy !== undefined) return verdict.hiddenBy;
      rules = this.#changed.get(rel) ?? verdict.inside;
    }
    return undefined;
  }

  /** The note about a hidden entry that holds a SKILL.md, if it does. */
  report(abs: string, rel: string, rule: string): void {
    if (!this.holdsSkill(abs)) return;
    this.#log.add(hiddenSkill(this.#root, rel, rule));
  }

  /** Whether the directory `abs` directly holds a SKILL.md. */
  holdsSkill(abs: string): boolean {
    try {
      return !this.#fs.lstat(joined(abs, "SKILL.md")).isDirectory;
    } catch {
      // Not there, not a directory, not readable: no skill to speak of.
      return false;
    }
  }

  #read(
    place: { abs: string; rel: string },
    entry: Deno.DirEntry,
  ): IgnoreText | undefined {
    const path = childOf(place.rel, entry.name);
    // git reads no linked ignore file either: it could lead anywhere.
    if (!entry.isFile) {
      this.#note(path, "it is not used: it is not a regular file");
      return undefined;
    }
    try {
      const { bytes, truncated } = this.#fs.readStart(
        joined(place.abs, entry.name),
        this.#limits.ignoreFileBytes,
      );
      if (truncated) {
        this.#note(path, `only its first ${bytes.length} bytes are used`);
      }
      return { path, text: new TextDecoder().decode(bytes) };
    } catch (error) {
      this.#note(path, `it is not used: ${whyFailed(error)}`);
      return undefined;
    }
  }

  #note(path: string, detail: string, line?: number): void {
    this.#log.add({
      root: this.#root,
      path,
      severity: "warning",
      reason: "ignore-file",
      detail,
      hint: "What the rule was to hide may be served.",
      ...(line === undefined ? {} : { line }),
    });
  }
}

/** Says that a SKILL.md was passed over because of `rule`. */
export function hiddenSkill(root: number, path: string, rule: string): Draft {
  return {
    root,
    path,
    severity: "note",
    reason: "hidden-skill",
    detail: `holds a SKILL.md and is not served: ${visible(rule)}`,
    hint: rule.includes("`") && !rule.includes("node_modules` is")
      ? "Remove or negate that rule, or give the directory itself as a root (--skills DIR)."
      : "Move or rename it, or give the directory itself as a root (--skills DIR).",
  };
}
