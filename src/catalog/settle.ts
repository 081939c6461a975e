/** The one decision about which of the skills found are served. */

import { byCodeUnit } from "../base/order.ts";
import { counted, listed } from "../base/text.ts";
import type { Bundle } from "./bundle.ts";
import { lastSegment, SEPARATOR } from "../base/place.ts";
import type { Draft, ProblemLog } from "./problem_log.ts";
import { isWorkspaceName } from "./workspace_roots.ts";

/** A bundle with its name. */
export type Named = Bundle & { readonly name: string };

/** Names shown in one message before the rest is counted. */
const SHOWN = 16;

/**
 * Of the named bundles of all roots, in root order: those served, in name
 * order. Everything left out is reported.
 */
export function settle(
  found: readonly Bundle[],
  log: ProblemLog,
  maxSkills: number,
): Named[] {
  const named = found.filter((bundle): bundle is Named =>
    bundle.name !== undefined
  );
  const once = withoutRepeats(named, log);
  const unique = withoutDuplicates(withoutShadowed(once, log), log);
  const apart = withoutIntruders(unique, log);
  const served = apart.slice(0, maxSkills);
  if (apart.length > maxSkills) {
    log.add({
      root: apart[maxSkills]!.root,
      path: "",
      severity: "error",
      reason: "skill-limit",
      detail: `more than ${counted(maxSkills)} skills: ${
        counted(apart.length - maxSkills)
      } are not served, the first of them ${apart[maxSkills]!.name}`,
      hint: "Raise SKILLFENCE_MAX_SKILLS, or give fewer roots.",
    });
  }
  return served.sort((a, b) => byCodeUnit(a.name, b.name));
}

/** A directory reached through two roots is the earlier root's. */
function withoutRepeats(named: readonly Named[], log: ProblemLog): Named[] {
  const byDir = new Map<string, Named>();
  const repeats = new Map<
    number,
    { first: Named; kept: Named; count: number }
  >();
  for (const bundle of named) {
    const kept = byDir.get(bundle.place);
    if (kept === undefined) byDir.set(bundle.place, bundle);
    else {
      const row = repeats.get(bundle.root) ?? { first: bundle, kept, count: 0 };
      row.count += 1;
      repeats.set(bundle.root, row);
    }
  }
  for (const [root, { first, kept, count }] of repeats) {
    log.add({
      root,
      path: "",
      severity: "note",
      reason: "root-overlap",
      detail: `${counted(count)} skills are served from root ${
        kept.root + 1
      } already and keep their names there (${first.name} is ${kept.name})`,
      hint: "Give each folder once.",
    });
  }
  return [...byDir.values()];
}

/** Of one name in several folders of workspaces, the first folder's stands. */
function withoutShadowed(named: readonly Named[], log: ProblemLog): Named[] {
  const first = new Map<string, Named>();
  return named.filter((bundle) => {
    const { name } = bundle.folded;
    if (!isWorkspaceName(name)) return true;
    const kept = first.get(name);
    if (kept === undefined) first.set(name, bundle);
    if (kept === undefined || kept.root === bundle.root) return true;
    log.add({
      ...refusal(bundle, {
        reason: "shadowed",
        detail: `not served: ${
          placeOf(kept)
        } has the name ${kept.name} and comes before it`,
        hint: "Rename or remove one of the two.",
      }),
      severity: "warning",
    });
    return false;
  });
}

/** Two places with one name: a grant could mean either, so neither. */
function withoutDuplicates(named: readonly Named[], log: ProblemLog): Named[] {
  const groups = repeated(named, ({ folded }) => folded.name);
  for (const group of groups.values()) {
    const what = group.some(({ flat }) => flat) ? "places" : "directories";
    const places = listed(group.map(placeOf), SHOWN);
    for (const bundle of group) {
      log.add(refusal(bundle, {
        reason: "duplicate-name",
        detail:
          `${group.length} ${what} have this name, or one that differs by case only, and none is served: ${places}`,
        hint:
          "Rename all but one of them, or leave them out: --skill-dir takes ignore.",
      }));
    }
  }
  return groups.size === 0
    ? [...named]
    : named.filter(({ folded }) => !groups.has(folded.name));
}

/** A later root's skill that would stand inside an earlier root's skill. */
function withoutIntruders(named: readonly Named[], log: ProblemLog): Named[] {
  const first = named[0]?.root;
  if (named.every(({ root }) => root === first)) return [...named];
  const byName = new Map<string, Named>();
  const byDir = new Map<string, Named>();
  return named.filter((bundle) => {
    const outer = enclosing(bundle.folded.name, "/", byName, bundle.root) ??
      enclosing(bundle.place, SEPARATOR, byDir, bundle.root);
    if (outer !== undefined) {
      log.add(refusal(bundle, {
        reason: "inside-other-skill",
        detail: `not served: it lies inside the skill ${
          placeOf(outer)
        } of an earlier root`,
        hint: isWorkspaceName(bundle.folded.name)
          ? "Rename that skill of the root, or leave it out: --skill-dir takes ignore."
          : "Rename or move it, or change the order of the roots.",
      }));
      return false;
    }
    byName.set(bundle.folded.name, bundle);
    byDir.set(bundle.place, bundle);
    return true;
  });
}

function enclosing(
  path: string,
  separator: string,
  skills: ReadonlyMap<string, Named>,
  root: number,
): Named | undefined {
  let cut = path.lastIndexOf(separator);
  while (cut > 0) {
    const outer = skills.get(path.slice(0, cut));
    if (outer !== undefined && outer.root < root) return outer;
    cut = path.lastIndexOf(separator, cut - 1);
  }
  return undefined;
}

/** Notes on served skills that are easily taken for one another. */
export function noteLookalikes(
  served: readonly Pick<Named, "name" | "root" | "rel" | "folded">[],
  log: ProblemLog,
): void {
  const groups = repeated(served, ({ folded }) => folded.last);
  for (const group of groups.values()) {
    const [first] = group;
    log.add({
      root: first!.root,
      path: first!.rel,
      severity: "note",
      reason: "shared-last-segment",
      detail: `${group.length} skills end in "${lastSegment(first!.name)}": ${
        listed(group.map(({ name }) => name), SHOWN)
      }`,
      hint:
        "Each is served under its whole name; some clients show the last part only.",
    });
  }
}

function refusal(
  bundle: Named,
  words: Pick<Draft, "reason" | "detail" | "hint">,
): Draft {
  return {
    ...words,
    root: bundle.root,
    path: bundle.rel,
    severity: "error",
    owner: bundle,
  };
}

/** A directory by its root's number: no absolute path stands in a message. */
function placeOf(bundle: Named): string {
  return `"${bundle.rel === "" ? "." : bundle.rel}" of root ${bundle.root + 1}`;
}

/** The items that share a key with another, by that key. */
function repeated<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): Map<string, T[]> {
  const first = new Map<string, T>();
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const other = first.get(key);
    if (other === undefined) first.set(key, item);
    else {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [other, item]);
      else group.push(item);
    }
  }
  return groups;
}
