/** Other names for served skills: what links to them are called. */

import { byCodeUnit } from "../base/order.ts";
import { foldName, skillNameFrom } from "../skill/names.ts";
import { counted, visible } from "../base/text.ts";
import { FLAT_ENDING } from "./flat_files.ts";
import type { Naming } from "./naming.ts";
import { isWithin, SEPARATOR } from "../base/place.ts";
import type { ProblemLog } from "./problem_log.ts";
import type { Named } from "./settle.ts";
import type { FoundAlias } from "./walk_types.ts";

/** A link of some root, with the naming of that root. */
export interface AliasSource {
  readonly root: number;
  readonly naming: Naming;
  readonly link: FoundAlias;
}

/** What aliases may point at, and which names are taken. */
export interface AliasTargets {
  /** Served skills. */
  readonly served: readonly Pick<Named, "name" | "place" | "flat">[];
  /** Every name a directory has, served or refused. */
  readonly taken: Iterable<string>;
}

/**
 * Link name -> served name. A link to a folder of skills gives each of them a
 * name below the link's. A name that a directory has is never an alias, and a
 * name that two links give to two skills is none either; both are reported.
 */
export function aliasesOf(
  sources: readonly AliasSource[],
  targets: AliasTargets,
  log: ProblemLog,
  most: number,
): Map<string, string> {
  if (sources.length === 0) return new Map();
  const inDirOrder = [...targets.served].sort((a, b) =>
    byCodeUnit(a.place, b.place)
  );
  const taken = new Set([...targets.taken].map(foldName));
  const aliases = new Map<string, string>();
  const byFold = new Map<string, string>();
  const unclear = new Set<string>();
  // Names that come to nothing cost as much time as others.
  let considered = 0;
  for (const source of sources) {
    const { root, naming, link } = source;
    const note = (detail: string, hint: string) =>
      log.add({
        root,
        path: link.rel,
        severity: "note",
        reason: "unusable-alias",
        detail,
        hint,
      });
    const skills = skillsWithin(link.target, inDirOrder);
    for (const skill of skills) {
      considered += 1;
      if (considered > most) {
        note(
          `more than ${counted(most)} further names: the rest is left out`,
          "Remove links between folders of skills.",
        );
        return withoutUnclear(aliases, unclear);
      }
      const rest = restOf(skill, link.target);
      const alias = naming.of(`${link.rel}${rest}`);
      const fold = foldName(alias);
      if (alias === skill.name) continue;
      if (!skillNameFrom(alias).ok || naming.isReserved(alias)) {
        note(
          `"${
            visible(alias)
          }" cannot stand for ${skill.name}: it is no usable name`,
          "Rename the link to letters, digits, dots, underscores and hyphens.",
        );
      } else if (taken.has(fold)) {
        note(
          `"${alias}" does not stand for ${skill.name}: a directory has that name`,
          "Rename the link.",
        );
      } else if ((byFold.get(fold) ?? skill.name) !== skill.name) {
        unclear.add(fold);
        note(
          `"${alias}" stands for nothing: links of that name lead to two skills`,
          "Rename one of the links.",
        );
      } else {
        byFold.set(fold, skill.name);
        aliases.set(alias, skill.name);
      }
    }
    if (link.leftovers && skills.length > 0) {
      log.add({
        root,
        path: link.rel,
        severity: "note",
        reason: "linked-skill-md",
        detail: `its SKILL.md is that of ${
          skills[0]!.name
        }, linked: the files beside the link are not served`,
        hint: "Give the directory a SKILL.md of its own to serve them.",
      });
    }
  }
  return withoutUnclear(aliases, unclear);
}

function withoutUnclear(
  aliases: Map<string, string>,
  unclear: ReadonlySet<string>,
): Map<string, string> {
  if (unclear.size === 0) return aliases;
  return new Map(
    [...aliases].filter(([alias]) => !unclear.has(foldName(alias))),
  );
}

/** Where a skill lies below a link's target, as names say it. */
function restOf(
  { place, flat }: Pick<Named, "place" | "flat">,
  target: string,
): string {
  const rest = place.slice(target.length).split(SEPARATOR).join("/");
  return flat && rest !== "" ? rest.slice(0, -FLAT_ENDING.length) : rest;
}

/** The skills in or below `dir`, from a list in the order of their places. */
function skillsWithin<T extends { readonly place: string }>(
  dir: string,
  inDirOrder: readonly T[],
): T[] {
  let low = 0;
  let high = inDirOrder.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (inDirOrder[middle]!.place < dir) low = middle + 1;
    else high = middle;
  }
  const found: T[] = [];
  // Between `a` and `a/b` may stand `a-b`: same start, other directory.
  for (; low < inDirOrder.length; low++) {
    const each = inDirOrder[low]!;
    if (!each.place.startsWith(dir)) break;
    if (isWithin(each.place, dir)) found.push(each);
  }
  return found;
}
