/** Names: the path of a skill's real directory below its root. */

import { visible } from "../base/text.ts";
import { foldName, skillNameFrom } from "../skill/names.ts";
import type { Bundle } from "./bundle.ts";
import type { ProblemLog } from "./problem_log.ts";
import { isWorkspaceName, WORKSPACE_PREFIX } from "./workspace_roots.ts";

/** Turns paths below one root into names, usable or not. */
export class Naming {
  readonly #rootName: string;
  readonly #dropsSkills: boolean;
  readonly #prefix: string;

  /**
   * `rootName` is the base name of the root's real directory. A leading
   * `skills/` is dropped unless `<root>/skills` is, or claims to be, a skill:
   * otherwise that skill could name what lies in it after its neighbours. In a
   * workspace nothing is dropped, and all names begin alike.
   */
  constructor(
    rootName: string,
    claims: ReadonlySet<string>,
    ofWorkspace = false,
  ) {
    this.#rootName = rootName;
    this.#dropsSkills = !ofWorkspace && !claims.has("skills");
    this.#prefix = ofWorkspace ? WORKSPACE_PREFIX : "";
  }

  /** The name of the directory `rel`; may hold unusable segments. */
  of(rel: string): string {
    const own = rel === ""
      ? this.#rootName
      : this.#dropsSkills && rel.startsWith("skills/")
      ? rel.slice("skills/".length)
      : rel;
    return this.#prefix + own;
  }

  /** Whether a name is kept for workspaces, and this root is none. */
  isReserved(name: string): boolean {
    return this.#prefix === "" && isWorkspaceName(foldName(name));
  }
}

/** Names the bundles and gives back those that can be named. */
export function nameBundles(
  bundles: readonly Bundle[],
  naming: Naming,
  log: ProblemLog,
): Bundle[] {
  return bundles.filter((bundle) => {
    const wanted = naming.of(bundle.namedAfter);
    // Named so by an earlier scan.
    if (bundle.name === wanted) return true;
    bundle.name = undefined;
    const name = skillNameFrom(wanted);
    if (name.ok && naming.isReserved(wanted)) {
      log.add({
        root: bundle.root,
        path: bundle.rel,
        severity: "error",
        reason: "reserved-name",
        detail:
          `not served: names below "${WORKSPACE_PREFIX}" are those of the skills of a workspace`,
        hint: `Rename the directory, or give it as a root of its own.`,
        owner: bundle,
      });
      return false;
    }
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
