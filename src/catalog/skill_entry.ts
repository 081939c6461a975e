/** Which entry of a directory is its SKILL.md, and where that leads. */

import { visible } from "../base/text.ts";
import type { Hiding } from "./hidden.ts";
import { below, childOf, isWithin, joined } from "../base/place.ts";
import type { ProblemLog } from "./problem_log.ts";
import { linkText, type ScanFs, whyFailed } from "./scan_fs.ts";

/** What a directory is, by its SKILL.md entry. */
export type SkillEntry =
  /** It holds none. */
  | { readonly kind: "none" }
  /** It is a skill; `file` is the real path of what to read. */
  | { readonly kind: "skill"; readonly file: string }
  /** Its SKILL.md is another skill's, linked: `dir` is that skill's real path. */
  | { readonly kind: "alias"; readonly dir: string }
  /** It claims to be one and cannot be served; the reason is in the log. */
  | { readonly kind: "refused" };

/** Where the directory is and who to ask and tell. */
export interface SkillEntryContext {
  readonly root: number;
  readonly rootDir: string;
  readonly abs: string;
  readonly rel: string;
  readonly fs: ScanFs;
  readonly log: ProblemLog;
  readonly hiding: Hiding;
}

/** Judges the entry that is, or is meant as, SKILL.md. Follows links, reads nothing. */
export function judgeSkillEntry(
  entry: Deno.DirEntry,
  context: SkillEntryContext,
): SkillEntry {
  const path = childOf(context.rel, entry.name);
  const refused = (reason: string, detail: string, hint: string) => {
    context.log.add({
      root: context.root,
      path,
      severity: "error",
      reason,
      detail,
      hint,
    });
    return { kind: "refused" } as const;
  };
  const notAFile = () =>
    refused(
      "unreadable-skill-md",
      entry.isDirectory
        ? "SKILL.md is a directory"
        : "SKILL.md is not a regular file",
      "Make SKILL.md a file with frontmatter and instructions.",
    );
  const file = joined(context.abs, entry.name);
  if (entry.isFile) return { kind: "skill", file };
  if (!entry.isSymlink) return notAFile();
  let real: string;
  try {
    real = context.fs.realPath(file);
    if (!isWithin(real, context.rootDir)) {
      return refused(
        "symlink-escape",
        `SKILL.md is a link out of the root, to ${linkText(context.fs, file)}`,
        "Copy the file into the skill, or serve the folder it lies in as a root.",
      );
    }
    if (!context.fs.stat(real).isFile) return notAFile();
  } catch (error) {
    return refused(
      "symlink-escape",
      `SKILL.md is a broken link: ${whyFailed(error)}`,
      "Point the link at a file inside the root.",
    );
  }
  const target = below(real, context.rootDir);
  const hidden = context.hiding.why(target, false);
  if (hidden !== undefined) {
    return refused(
      "symlink-escape",
      `SKILL.md is a link to "${
        visible(target)
      }", which is not served: ${hidden}`,
      "Point the link at a file that is not hidden.",
    );
  }
  if (isWithin(real, context.abs)) return { kind: "skill", file: real };
  const cut = Math.max(0, real.length - "/SKILL.md".length);
  if (real.slice(cut + 1).toLowerCase() === "skill.md") {
    return { kind: "alias", dir: real.slice(0, cut) || real.slice(0, 1) };
  }
  context.log.add({
    root: context.root,
    path,
    severity: "warning",
    reason: "linked-skill-md",
    detail: `SKILL.md is a link to "${
      visible(target)
    }", outside the skill: its instructions are served, the file is not listed, and no script runs`,
    hint: "Keep SKILL.md inside the skill's own directory.",
  });
  return { kind: "skill", file: real };
}
