/** Skills that come up for files: gitignore patterns, by npm's `ignore`. */

import ignore, { type Ignore } from "ignore";
import { complaintOf, type GlobComplaint } from "./glob_complaints.ts";
import { GlobIndex } from "./glob_index.ts";

/** Paths of which a matcher remembers the answer before it is made anew. */
const MAX_REMEMBERED = 1_000;

/** One skill's globs, checked. */
export interface CheckedGlobs {
  /** As written, in order; empty: the rule can match nothing. */
  readonly globs: readonly string[];
  readonly complaints: readonly (GlobComplaint & { readonly glob: string })[];
}

/** Leaves out globs that match nothing, and says why. */
export function checkGlobs(
  written: readonly string[],
  ignoreCase: boolean,
): CheckedGlobs {
  const globs: string[] = [];
  const complaints: (GlobComplaint & { glob: string })[] = [];
  const complain = (glob: string, found: GlobComplaint) =>
    complaints.push({ glob, ...found });
  for (const glob of written) {
    const found = complaintOf(glob);
    if (found !== undefined) complain(glob, found);
    if (found?.dropped === true) continue;
    if (glob.startsWith("!") && globs.length === 0) {
      complain(glob, {
        why: "nothing before it matches what it would take out",
        hint: "Write it after the globs it makes an exception to.",
        dropped: true,
      });
    } else globs.push(glob);
  }
  for (const glob of uselessExceptions(globs, ignoreCase)) {
    complain(glob, {
      why: "what it would take out still matches, by the directory it lies in",
      hint: "Match what lies in the directory (dir/*), not the directory.",
      dropped: false,
    });
  }
  return { globs, complaints };
}

/** Exceptions that name one file, and do not take it out. */
function uselessExceptions(
  globs: readonly string[],
  ignoreCase: boolean,
): string[] {
  const plain = globs.filter((glob) => /^![^*?[\\]*[^*?[\\ ]$/.test(glob));
  if (plain.length === 0) return [];
  const matcher = matcherOf(globs, ignoreCase);
  return plain.filter((glob) =>
    matcher.test(glob.slice(1).replace(/^\//, "").normalize("NFC")).ignored
  );
}

function matcherOf(globs: readonly string[], ignoreCase: boolean): Ignore {
  return ignore({ ignorecase: ignoreCase }).add(
    globs.map((glob, index) => ({
      pattern: glob.normalize("NFC"),
      mark: String(index),
    })),
  );
}

/** The globs of one skill, compiled when a path first comes near them. */
class Rule<Owner> {
  readonly #ignoreCase: boolean;
  #matcher: Ignore | undefined;
  #asked = 0;

  constructor(
    readonly owner: Owner,
    readonly globs: readonly string[],
    ignoreCase: boolean,
  ) {
    this.#ignoreCase = ignoreCase;
  }

  decide(path: string): string | undefined {
    // It keeps every answer; a server lives long.
    if (++this.#asked % MAX_REMEMBERED === 0) this.#matcher = undefined;
    this.#matcher ??= matcherOf(this.globs, this.#ignoreCase);
    const { ignored, rule } = this.#matcher.test(path);
    return ignored ? this.globs[Number(rule?.mark)] : undefined;
  }
}

/** All path rules. */
export class PathRules<Owner> {
  readonly #index: GlobIndex<Rule<Owner>>;

  /** `rules` hold globs past `checkGlobs`. */
  constructor(
    rules: readonly { owner: Owner; globs: readonly string[] }[],
    ignoreCase: boolean,
  ) {
    const keyed = rules.flatMap(({ owner, globs }) => {
      const rule = new Rule(owner, globs, ignoreCase);
      return globs.filter((glob) => !glob.startsWith("!"))
        .map((glob) => [glob.normalize("NFC"), rule] as const);
    });
    this.#index = new GlobIndex(keyed, ignoreCase);
  }

  /**
   * The owners of the rules that match, each with the glob that decided. `path`
   * is below a workspace, `/`-separated, with a `/` at the end of a directory.
   */
  *match(path: string): Iterable<readonly [owner: Owner, glob: string]> {
    const composed = path.normalize("NFC");
    for (const rule of this.#index.candidates(composed)) {
      const glob = rule.decide(composed);
      if (glob !== undefined) yield [rule.owner, glob];
    }
  }
}
