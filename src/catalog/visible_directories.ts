/**
 * Directories of a skill as they are on disk now, empty ones among them. A scan
 * lists files only; this looks at one directory when somebody asks.
 */

import { byCodeUnit } from "../base/order.ts";
import { checkPath } from "../skill/paths.ts";
import { isUsable } from "./bundle.ts";
import { hiddenByName, Hiding } from "./hidden.ts";
import { IGNORE_FILES, IgnoreRules } from "./ignore_rules.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { below, childOf, joined } from "../base/place.ts";
import { ProblemLog } from "./problem_log.ts";
import { diskFs, type ScanFs } from "./scan_fs.ts";
import type { Skill } from "./types.ts";

/** Entries of one directory that are looked at. */
const MAX_ENTRIES = 10_000;

/** What is asked of a skill here. */
export type DirectoryOwner = Pick<Skill, "dir" | "rootIndex">;

/**
 * Names of the directories right in `path` below the skill (`""` for its own),
 * in order, by the rules of the scan: not hidden, not ignored, no links.
 * Undefined when `path` is no such directory itself. `rootDir` is the real path
 * of the skill's root.
 */
export function visibleDirectories(
  rootDir: string,
  skill: DirectoryOwner,
  path: string,
  fs: ScanFs = diskFs(),
): string[] | undefined {
  if (path !== "" && !checkPath(path).ok) return undefined;
  const inside = below(skill.dir, rootDir);
  const rel = path === "" ? inside : childOf(inside, path);
  try {
    const place = new Descent(skill.rootIndex, rootDir, fs);
    for (const name of rel === "" ? [] : rel.split("/")) {
      if (!place.enter(name)) return undefined;
    }
    // A link put on the way meanwhile would lead elsewhere.
    if (fs.realPath(place.abs) !== place.abs) return undefined;
    return place.directories(path);
  } catch {
    // Gone, or closed to us: nothing to see.
    return undefined;
  }
}

/** One way down from a root, with the rules that hold on it. */
class Descent {
  abs: string;
  #rel = "";
  #depth = 0;
  #rules: IgnoreRules;
  readonly #fs: ScanFs;
  readonly #hiding: Hiding;

  constructor(root: number, rootDir: string, fs: ScanFs) {
    this.abs = rootDir;
    this.#fs = fs;
    this.#hiding = new Hiding(root, {
      fs,
      limits: DEFAULT_LIMITS,
      log: new ProblemLog(),
    });
    this.#rules = this.#open(IgnoreRules.NONE);
  }

  /** Steps into a directory; false when it is none, or hidden. */
  enter(name: string): boolean {
    const rel = childOf(this.#rel, name);
    const verdict = this.#judge(rel, name);
    const abs = joined(this.abs, name);
    if (verdict === undefined || !this.#fs.lstat(abs).isDirectory) return false;
    this.#depth += 1;
    this.abs = abs;
    this.#rel = rel;
    this.#rules = this.#open(verdict);
    return this.#depth <= DEFAULT_LIMITS.depth;
  }

  /** Directories right here; `path` is where the skill has this one. */
  directories(path: string): string[] {
    const names: string[] = [];
    let looked = 0;
    for (const { name, isDirectory } of this.#fs.readDir(this.abs)) {
      if (++looked > MAX_ENTRIES) break;
      if (!isDirectory || !isUsable(childOf(path, name), name)) continue;
      if (this.#judge(childOf(this.#rel, name), name) !== undefined) {
        names.push(name);
      }
    }
    if (this.#depth >= DEFAULT_LIMITS.depth) return [];
    return names.sort(byCodeUnit);
  }

  /** The rules inside a directory; undefined when it is not served. */
  #judge(rel: string, name: string): IgnoreRules | undefined {
    // A directory in SKILL.md's place holds nothing that is served.
    if (name === "SKILL.md" || hiddenByName(name) !== undefined) {
      return undefined;
    }
    const { hiddenBy, inside } = this.#rules.judge(rel, true);
    return hiddenBy === undefined ? inside : undefined;
  }

  #open(outside: IgnoreRules): IgnoreRules {
    const entries = IGNORE_FILES.flatMap((name) => this.#entry(name) ?? []);
    return this.#hiding.enter(
      { abs: this.abs, rel: this.#rel },
      entries,
      outside,
    );
  }

  #entry(name: string): Deno.DirEntry | undefined {
    try {
      const { isFile, isDirectory, isSymlink } = this.#fs.lstat(
        joined(this.abs, name),
      );
      return { name, isFile, isDirectory, isSymlink };
    } catch {
      return undefined;
    }
  }
}
