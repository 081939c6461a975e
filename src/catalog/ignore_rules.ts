/**
 * What `.gitignore` and `.ignore` files hide, with git's order of precedence:
 * deeper files before shallower ones, later lines before earlier ones, `.ignore`
 * before `.gitignore` beside it, and nothing comes back below a hidden
 * directory. Files above the root are not looked at.
 */

import ignore, { type Ignore } from "ignore";

/** The files that hold rules, weakest first. */
export const IGNORE_FILES: readonly string[] = [".gitignore", ".ignore"];

/** Rules of one file beyond which the rest is left out. */
const MAX_RULES = 500;

/** One rule file, read. */
export interface IgnoreText {
  /** Path below the root, for messages. */
  readonly path: string;
  readonly text: string;
}

/** What the rules say of one entry. */
export interface Verdict {
  /** The rule that hides the entry, in words; undefined when none does. */
  readonly hiddenBy: string | undefined;
  /** The rules in force below the entry, when it is a directory. */
  readonly inside: IgnoreRules;
}

interface Layer {
  /** Directory of the files, below the root. */
  readonly base: string;
  readonly patterns: readonly { pattern: string; mark: string }[];
  readonly matcher: Ignore;
}

/** The rules in force in one directory. Immutable. */
export class IgnoreRules {
  /** No rules at all. */
  static readonly NONE: IgnoreRules = new IgnoreRules([]);

  /** Innermost first. */
  readonly #layers: readonly Layer[];

  /** What is said where no rule says anything. */
  readonly #silent: Verdict = { hiddenBy: undefined, inside: this };

  private constructor(layers: readonly Layer[]) {
    this.#layers = layers;
  }

  /**
   * These rules and, before them, those of the files in the directory `base`.
   * `skipped` hears of each rule that is too costly to match, and why.
   */
  extend(
    base: string,
    files: readonly IgnoreText[],
    skipped: (path: string, line: number, why: string) => void,
  ): IgnoreRules {
    const patterns = files.flatMap((file) => patternsOf(file, skipped));
    if (patterns.length === 0) return this;
    return new IgnoreRules([layerOf(base, patterns), ...this.#layers]);
  }

  /** Judges an entry of the directory these rules are in force in. */
  judge(path: string, isDirectory: boolean): Verdict {
    if (this.#layers.length === 0) return this.#silent;
    for (const [index, layer] of this.#layers.entries()) {
      const found = layer.matcher.test(within(layer.base, path, isDirectory));
      if (found.ignored) {
        const rule = found.rule;
        const words = rule === undefined
          ? "a rule"
          : `${rule.mark} \`${rule.pattern}\``;
        return { hiddenBy: words, inside: this };
      }
      if (!found.unignored) continue;
      return {
        hiddenBy: undefined,
        inside: isDirectory ? this.#reopened(path, index) : this,
      };
    }
    return this.#silent;
  }

  /**
   * The matcher asks about parents too, so an outer layer that hides `path`
   * would go on hiding what lies below although an inner one brought it back.
   */
  #reopened(path: string, by: number): IgnoreRules {
    const layers = this.#layers.map((layer, index) => {
      if (index <= by) return layer;
      if (!layer.matcher.test(within(layer.base, path, true)).ignored) {
        return layer;
      }
      const pattern = `!/${literal(within(layer.base, path, true))}`;
      return layerOf(layer.base, [...layer.patterns, { pattern, mark: "" }]);
    });
    return new IgnoreRules(layers);
  }
}

function layerOf(base: string, patterns: Layer["patterns"]): Layer {
  // As git on the same system: only Linux tells case apart by default.
  const ignorecase = Deno.build.os === "darwin" || Deno.build.os === "windows";
  return {
    base,
    patterns,
    matcher: ignore({ ignorecase }).add(patterns),
  };
}

function within(base: string, path: string, isDirectory: boolean): string {
  const rest = base === "" ? path : path.slice(base.length + 1);
  return isDirectory ? `${rest}/` : rest;
}

function literal(path: string): string {
  return path.replace(/[\\*?[\]!# ]/g, "\\$&");
}

function patternsOf(
  file: IgnoreText,
  skipped: (path: string, line: number, why: string) => void,
): { pattern: string; mark: string }[] {
  const patterns: { pattern: string; mark: string }[] = [];
  const lines = file.text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (const [index, pattern] of lines.entries()) {
    if (pattern.trim() === "" || pattern.startsWith("#")) continue;
    const line = index + 1;
    if (patterns.length === MAX_RULES) {
      skipped(file.path, line, `only ${MAX_RULES} rules of a file are used`);
      break;
    }
    const why = tooCostly(pattern);
    if (why === undefined) {
      patterns.push({ pattern, mark: `${file.path}:${line}` });
    } else skipped(file.path, line, why);
  }
  return patterns;
}

/**
 * A rule becomes a backtracking expression; a stranger's rule of many `**`
 * (measured: nine take six seconds) must not hold up the server.
 */
function tooCostly(pattern: string): string | undefined {
  if (pattern.length > 1024) return "the rule is longer than 1024 characters";
  const doubles = pattern.match(/\*\*/g)?.length ?? 0;
  if (doubles > 3) return "the rule holds more than three `**`";
  const stars = pattern.match(/\*+/g)?.length ?? 0;
  const most = /[[?]/.test(pattern) ? 3 : 16;
  if (stars > most) return `the rule holds more than ${most} wildcards`;
  return undefined;
}
