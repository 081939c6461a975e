/** Names: the path of a skill's real directory below its root. */

import { visible } from "../base/text.ts";
import { skillNameFrom } from "../skill/names.ts";
import type { Bundle } from "./bundle.ts";
import type { ProblemLog } from "./problem_log.ts";

/** Turns paths below one root into names, usable or not. */
export class Naming {
  readonly #rootName: string;
  readonly #dropsSkills: boolean;

  /**
   * `rootName` is the base name of the root's real directory. A leading
   * `skills/` is dropped unless `<root>/skills` is, or claims to be, a skill:
   * otherwise that skill could name what lies in it after its neighbours.
   */
  constructor(rootName: string, claims: ReadonlySet<string>) {
    this.#rootName = rootName;
    this.#dropsSkills = !claims.has("skills");
  }

  /** The name of the directory `rel`; may hold unusable segments. */
  of(rel: string): string {
    if (rel === "") return this.#rootName;
    return this.#dropsSkills && rel.startsWith("skills/")
      ? rel.slice("skills/".length)
      : rel;
  }
}

/** Names the bundles and gives back those that can be named. */
export function nameBundles(
  bundles: readonly Bundle[],
  naming: Naming,
  log: ProblemLog,
): Bundle[] {
  return bundles.filter((bundle) => {
    const wanted = naming.of(bundle.rel);
    // Named so by an earlier scan.
    if (bundle.name === wanted) return true;
    bundle.name = undefined;
    const name = skillNameFrom(wanted);
    if (name.ok) bundle.name = name.value;
    else {
      log.add({
        root: bundle.root,
        path: bundle.rel,
        severity: "error",
        reason: "unusable-name",
        detail: `not served: ${visible(name.message, 300)}`,
        hint: name.hint,
        owner: bundle,
      });
    }
    return name.ok;
  });
}
