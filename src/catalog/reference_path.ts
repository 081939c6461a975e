/** Where a declared reference leads by its text alone. Pure. */

import { pathComplaint } from "../skill/paths.ts";

/** Longest declaration, in UTF-16 code units. */
const MAX_DECLARED = 1024;

/** A declaration that stays below its root. */
export interface DeclaredPath {
  /** Below the root, `/`-separated. */
  readonly rel: string;
  /** Below the skill, where a copy would lie; undefined: it leads inside. */
  readonly copy: string | undefined;
}

/**
 * Resolves `declared` against the skill's directory `skillRel` (below its root,
 * `""` for the root). A copy lies where the declaration names it without its
 * leading `..`, as a link in SKILL.md resolves against that file's URI. Gives
 * the reason in words for what is no relative path of plain segments or leads
 * out of the root.
 */
export function resolveDeclared(
  declared: string,
  skillRel: string,
): DeclaredPath | { readonly why: string } {
  if (declared.length > MAX_DECLARED) {
    return { why: `it is longer than ${MAX_DECLARED} characters` };
  }
  if (declared.startsWith("/")) return { why: "it is absolute" };
  const rest: string[] = [];
  let up = 0;
  for (const segment of declared.split("/")) {
    if (segment === ".") continue;
    if (segment !== "..") rest.push(segment);
    else if (rest.length > 0) rest.pop();
    else up += 1;
  }
  const path = rest.join("/");
  const why = pathComplaint(path);
  if (why !== undefined) {
    return { why: path === "" ? "it names no file" : why };
  }
  const own = skillRel === "" ? [] : skillRel.split("/");
  if (up > own.length) return { why: "it leads out of the root" };
  const rel = [...own.slice(0, own.length - up), path].join("/");
  const inside = up === 0 || rel.startsWith(`${skillRel}/`);
  return { rel, copy: inside ? undefined : path };
}

/** What to call a file that has no name of its own: without its extension. */
export function stemOf(path: string): string {
  const last = path.slice(path.lastIndexOf("/") + 1);
  const dot = last.lastIndexOf(".");
  return dot > 0 ? last.slice(0, dot) : last;
}
