/** What a skill declares under `references:`, found and judged. */

import { visible } from "../base/text.ts";
import type { Finding, SkillDocument } from "../skill/types.ts";
import type { Bundle } from "./bundle.ts";
import type { ScanLimits } from "./limits.ts";
import type { ProblemLog } from "./problem_log.ts";
import { resolveDeclared, stemOf } from "./reference_path.ts";
import type { Cited, Ground, SharedFiles } from "./shared_files.ts";

/** One declared reference before its citers are all known. */
export type CitedRow =
  | {
    readonly file: Cited;
    readonly copy: string | undefined;
  }
  | { readonly file: undefined; readonly name: string };

/** What judging references asks, tells and obeys. */
export interface ReferenceContext {
  readonly shared: SharedFiles;
  readonly limits: ScanLimits;
  readonly log: ProblemLog;
}

/**
 * The references of one skill in declared order. What cannot be had keeps its
 * place, and a problem says why. A file declared twice stands once.
 */
export function citedRows(
  bundle: Bundle & { readonly name: string },
  document: SkillDocument,
  ground: Ground,
  context: ReferenceContext,
): readonly CitedRow[] {
  const declared = declaredIn(document);
  if (declared === undefined) return [];
  if (bundle.flat) {
    context.log.add({
      root: bundle.root,
      path: bundle.rel,
      severity: "warning",
      reason: "reference-refused",
      detail: "its references are left out: a single file has none",
      hint: "Make it a directory with a SKILL.md.",
      owner: bundle,
    });
    return [];
  }
  return new Declarations(bundle, ground, context).read(declared);
}

function declaredIn({ frontmatter }: SkillDocument): unknown {
  if (frontmatter === undefined || !Object.hasOwn(frontmatter, "references")) {
    return undefined;
  }
  return frontmatter["references"] ?? undefined;
}

class Declarations {
  readonly #bundle: Bundle & { readonly name: string };
  readonly #ground: Ground;
  readonly #context: ReferenceContext;
  readonly #rows: CitedRow[] = [];
  readonly #files = new Set<Cited>();
  readonly #copies = new Set<string>();

  constructor(
    bundle: Bundle & { readonly name: string },
    ground: Ground,
    context: ReferenceContext,
  ) {
    this.#bundle = bundle;
    this.#ground = ground;
    this.#context = context;
  }

  read(declared: unknown): readonly CitedRow[] {
    const type = (what: string) =>
      this.#report(
        "warning",
        "frontmatter-type",
        `references: ${what} and is left out`,
        "Write a list of paths relative to the skill's directory.",
      );
    if (!Array.isArray(declared)) {
      type("is not a list");
      return [];
    }
    const most = this.#context.limits.references;
    for (const [index, item] of declared.entries()) {
      if (index === most) {
        this.#report(
          "warning",
          "reference-limit",
          `more than ${most} references: the rest is left out`,
          "Split the skill, or join the files.",
        );
        break;
      }
      if (typeof item === "string") this.#one(item);
      else type(`number ${index + 1} is not text`);
    }
    return this.#rows;
  }

  #one(declared: string): void {
    const shown = `the reference "${visible(declared, 120)}"`;
    const absent = (
      { reason, detail, hint }: Pick<Finding, "reason" | "detail" | "hint">,
    ) => {
      this.#report("warning", reason, detail, hint);
      this.#rows.push({ file: undefined, name: stemOf(declared) });
    };
    const refused = (why: string) =>
      absent({
        reason: "reference-refused",
        detail: `${shown} is refused: ${why}`,
        hint:
          "Name a text file of the same root, at most 1 MiB, outside every skill.",
      });
    const path = resolveDeclared(declared, this.#bundle.rel);
    if ("why" in path) return refused(path.why);
    const looked = this.#look(path.rel);
    if (looked.kind === "refused") return refused(looked.why);
    if (looked.kind === "bundled") {
      return refused("it lies inside another skill's directory");
    }
    if (looked.kind === "missing") {
      return absent({
        reason: "reference-missing",
        detail: `${shown} cannot be read: ${looked.why}`,
        hint: "Add the file, or correct the path.",
      });
    }
    this.#found(shown, looked, path.copy);
  }

  #look(rel: string) {
    const { shared } = this.#context;
    const looked = shared.look(rel, this.#ground);
    if (looked.kind !== "bundled") return looked;
    const { rel: own } = this.#bundle;
    const isOwn = (own === "" || looked.rel.startsWith(`${own}/`)) &&
      this.#bundle.lists(this.#bundle.inside(looked.rel));
    return isOwn ? shared.own(looked.rel, looked.real, this.#ground) : looked;
  }

  #found(
    shown: string,
    looked: { readonly file: Cited; readonly straight: boolean },
    copy: string | undefined,
  ): void {
    const { file } = looked;
    if (this.#files.has(file)) {
      return this.#report(
        "note",
        "reference-redundant",
        `${shown} is declared twice and stands once`,
        "Declare it once.",
      );
    }
    this.#files.add(file);
    file.citers.add(this.#bundle.name);
    const why = copy === undefined
      ? undefined
      : this.#whyNoCopy(copy, looked.straight);
    if (copy === undefined) {
      this.#report(
        "note",
        "reference-redundant",
        `${shown} is a file of the skill and needs no declaration`,
        "skill_file reads it by its path.",
      );
    } else if (why !== undefined) {
      this.#report(
        "note",
        "reference-no-copy",
        `${shown} is not served as a file of the skill: ${why}`,
        "It is still served by its id.",
      );
    } else this.#copies.add(copy);
    this.#rows.push({ file, copy: why === undefined ? copy : undefined });
  }

  /** Why no URI of the skill may stand for the file. */
  #whyNoCopy(copy: string, straight: boolean): string | undefined {
    if (!straight) return "a link leads to it";
    const { rel } = this.#bundle;
    for (
      let end = copy.indexOf("/");
      end >= 0;
      end = copy.indexOf("/", end + 1)
    ) {
      const place = copy.slice(0, end);
      const folder = rel === "" ? place : `${rel}/${place}`;
      if (this.#ground.findings.claims.has(folder)) {
        return "its place lies in a nested skill";
      }
    }
    for (const other of this.#copies) {
      if (collide(copy, other)) return "another reference has its place";
    }
    return undefined;
  }

  #report(
    severity: "warning" | "note",
    reason: string,
    detail: string,
    hint: string,
  ): void {
    this.#context.log.add({
      root: this.#bundle.root,
      path: this.#bundle.skillFileRel,
      severity,
      reason,
      detail,
      hint,
      owner: this.#bundle,
    });
  }
}

/** Whether two paths cannot both be files: one is, or lies below, the other. */
export function collide(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
