/**
 * What the symbolic links of a root mean, once its real directories are known:
 * one more file of a skill, another name for a skill, or a way out.
 */

import { visible } from "../base/text.ts";
import type { Pacer } from "../base/pacer.ts";
import { below, isWithin } from "../base/place.ts";
import { FLAT_ENDING, isFlatName } from "./flat_files.ts";
import type { ProblemLog } from "./problem_log.ts";
import { linkText, type ScanFs, stampOf, whyFailed } from "./scan_fs.ts";
import type { FileStamp } from "./types.ts";
import { TopLevel } from "./top_level.ts";
import type { FoundAlias, FoundLink, RootFindings } from "./walk_types.ts";

/** What following the links of one root asks, tells and obeys. */
export interface LinkContext {
  readonly root: number;
  readonly rootDir: string;
  readonly fs: ScanFs;
  readonly log: ProblemLog;
  readonly pacer: Pacer;
}

/**
 * Lists linked files in their skills, reports links that leave, and gives back
 * the directory links that stay inside the root, for `aliases.ts`.
 */
export async function followLinks(
  findings: RootFindings,
  context: LinkContext,
): Promise<FoundAlias[]> {
  const follower = new Follower(findings, context);
  for (const link of findings.links) {
    follower.follow(link);
    if (context.pacer.due()) await context.pacer.pause();
  }
  return follower.aliases;
}

class Follower {
  readonly aliases: FoundAlias[] = [];
  readonly #findings: RootFindings;
  readonly #context: LinkContext;
  readonly #skillDirs: ReadonlySet<string>;

  constructor(findings: RootFindings, context: LinkContext) {
    this.#findings = findings;
    this.#context = context;
    this.#skillDirs = new Set(findings.bundles.map(({ place }) => place));
  }

  follow(link: FoundLink): void {
    const { fs, rootDir } = this.#context;
    let real: string;
    let stat: ReturnType<ScanFs["stat"]>;
    try {
      real = fs.realPath(link.abs);
      stat = fs.stat(real);
    } catch (error) {
      return this.#escape(link, `broken link: ${whyFailed(error)}`);
    }
    if (!isWithin(real, rootDir)) {
      const what = stat.isDirectory ? "directory" : "file";
      return this.#escape(link, `link to a ${what} outside the root`);
    }
    if (stat.isDirectory) this.#directory(link, real);
    else if (stat.isFile) this.#file(link, real, stampOf(stat));
    else if (link.chain.length > 0) {
      this.#report(
        link,
        "note",
        "special-file",
        "not listed: it links to something that is not a regular file",
        "Pipes, sockets and devices are not served.",
      );
    }
  }

  #directory(link: FoundLink, real: string): void {
    const { rootDir } = this.#context;
    const target = below(real, rootDir);
    const owner = link.chain.at(-1);
    const stays = owner !== undefined && isWithin(real, owner.dir);
    // A link to what it lies in is a circle, not another name.
    if (!isWithin(link.abs, real)) {
      const hidden = this.#findings.hiding.why(target, true);
      if (hidden !== undefined) {
        return this.#hidden(link, real, hidden);
      }
      this.aliases.push({ rel: link.rel, target: real, leftovers: false });
      if (this.#skillDirs.has(real)) return TopLevel.mark(link.top);
    }
    if (owner !== undefined && !stays) {
      this.#escape(link, "link to a directory outside the skill");
    }
  }

  #file(link: FoundLink, real: string, stamp: FileStamp): void {
    const owner = link.chain.at(-1);
    if (owner === undefined) return this.#flat(link, real);
    const hidden = this.#findings.hiding.why(
      below(real, this.#context.rootDir),
      false,
    );
    if (!isWithin(real, owner.dir)) {
      this.#escape(link, "link to a file outside the skill");
    } else if (hidden !== undefined) {
      this.#report(
        link,
        "note",
        "hidden-file",
        `not listed: it links to a file that is not served: ${visible(hidden)}`,
        "Point the link at a file that is served.",
      );
    }
    // What no list holds, hidden or over a bound, no link brings in.
    const within = link.chain.filter((bundle) =>
      isWithin(real, bundle.dir) && bundle.lists(below(real, bundle.dir))
    );
    this.#findings.listing.add(within, link.rel, link.name, stamp);
  }

  /** A link to a flat skill is another name for it. */
  #flat(link: FoundLink, real: string): void {
    if (!isFlatName(link.name) || !this.#skillDirs.has(real)) return;
    const rel = link.rel.slice(0, -FLAT_ENDING.length);
    this.aliases.push({ rel, target: real, leftovers: false });
    TopLevel.mark(link.top);
  }

  #hidden(link: FoundLink, real: string, rule: string): void {
    if (!this.#findings.hiding.holdsSkill(real)) return;
    this.#report(
      link,
      "note",
      "hidden-skill",
      `links to a directory that holds a SKILL.md and is not served: ${
        visible(rule)
      }`,
      "Move that directory, or give it as a root of its own (--skills DIR).",
    );
  }

  #escape(link: FoundLink, what: string): void {
    const { fs } = this.#context;
    this.#report(
      link,
      link.chain.length > 0 || !what.includes("file") ? "error" : "warning",
      "symlink-escape",
      `${what} (${linkText(fs, link.abs)}), not followed`,
      "Replace the link by what it leads to, or point it inside.",
    );
  }

  #report(
    link: FoundLink,
    severity: "error" | "warning" | "note",
    reason: string,
    detail: string,
    hint: string,
  ): void {
    const owner = link.chain.at(-1);
    const { root, log } = this.#context;
    log.add({
      root,
      path: link.rel,
      severity,
      reason,
      detail,
      hint,
      ...(owner === undefined ? {} : { owner }),
    });
  }
}
