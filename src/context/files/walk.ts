/** One bounded walk of a workspace that finds its context files. */

import { byCodeUnit } from "../../base/order.ts";
import type { Pacer } from "../../base/pacer.ts";
import { childOf, joined, lastSegment, SEPARATOR } from "../../base/place.ts";
import { hiddenByName } from "../../catalog/hidden.ts";
import { IgnoreRules } from "../../catalog/ignore_rules.ts";
import { type ScanFs, whyFailed } from "../../catalog/scan_fs.ts";
import { isAt, kindOf, placesOf } from "./dialects.ts";
import { rulesIn } from "./rules_in.ts";
import type { Stamps } from "./stamps.ts";

/** Bounds of one walk. Counts. */
export interface WalkLimits {
  /** Directories between the workspace and what lies deepest. */
  readonly depth: number;
  readonly directories: number;
  /** Entries looked at. */
  readonly entries: number;
  /** Context files. */
  readonly files: number;
}

/** The bounds as documented. */
export const WALK_LIMITS: WalkLimits = {
  depth: 12,
  directories: 5_000,
  entries: 100_000,
  files: 200,
};

/** Something of a context file's name. */
export interface Candidate {
  /** Absolute, not yet resolved. */
  readonly abs: string;
  /** Below the workspace, `/`-separated. */
  readonly path: string;
  readonly name: string;
  /** Directory below the workspace; `""`: the workspace. */
  readonly scope: string;
  /** Of one kind a directory has one; undefined: it may have many. */
  readonly kind: string | undefined;
}

/** What a walk found. */
export interface Walked {
  /** Shallow ones first, each directory's in code unit order. */
  readonly candidates: readonly Candidate[];
  /** Paths below the workspace that cannot be looked into, and why. */
  readonly unreadable: readonly { readonly path: string; why: string }[];
  /** The bound that ended it early, in words. */
  readonly bound: string | undefined;
}

/** What a walk asks and obeys. */
export interface WalkOptions {
  readonly fs: ScanFs;
  readonly dialects: readonly string[];
  readonly limits: WalkLimits;
  readonly pacer: Pacer;
  /** Hears what the result rests on. */
  readonly stamps: Stamps;
}

interface Place {
  readonly abs: string;
  readonly rel: string;
  readonly depth: number;
  /** In force around it. */
  readonly rules: IgnoreRules;
}

/**
 * Walks the workspace at the real path `root`, breadth first. Links to
 * directories are not followed; hidden and ignored directories, and
 * `node_modules`, are passed over. Files right in the root count even where a
 * rule hides them.
 */
export async function walkWorkspace(
  root: string,
  options: WalkOptions,
): Promise<Walked> {
  return await new Walk(root, options).run();
}

class Walk {
  readonly #root: string;
  readonly #options: WalkOptions;
  readonly #candidates: Candidate[] = [];
  readonly #unreadable: { path: string; why: string }[] = [];
  readonly #queue: Place[] = [];
  #entries = 0;
  #bound: string | undefined;

  constructor(root: string, options: WalkOptions) {
    this.#root = root;
    this.#options = options;
  }

  async run(): Promise<Walked> {
    const { limits, pacer } = this.#options;
    this.#queue.push({
      abs: this.#root,
      rel: "",
      depth: 0,
      rules: IgnoreRules.NONE,
    });
    for (let next = 0; next < this.#queue.length; next++) {
      if (next === limits.directories) {
        this.#bound = `only its first ${limits.directories} directories`;
        break;
      }
      this.#directory(this.#queue[next]!);
      if (next === 0) this.#dialects();
      if (this.#bound !== undefined) break;
      if (pacer.due()) await pacer.pause();
    }
    return {
      candidates: this.#candidates,
      unreadable: this.#unreadable,
      bound: this.#bound,
    };
  }

  #directory({ abs, rel, depth, rules }: Place): void {
    const entries = this.#list(abs, rel);
    const inside = rulesIn({ abs, rel, entries }, rules, this.#options);
    for (const { name, isDirectory } of entries) {
      const path = childOf(rel, name);
      // A directory of such a name is told, since its author meant a file.
      this.#file(path, name, rel, inside);
      if (isDirectory) this.#enter(path, name, depth, inside);
    }
  }

  #enter(rel: string, name: string, depth: number, rules: IgnoreRules): void {
    const { limits } = this.#options;
    if (hiddenByName(name) !== undefined || depth >= limits.depth) return;
    if (this.#queue.length > limits.directories) return;
    const { hiddenBy, inside } = rules.judge(rel, true);
    if (hiddenBy !== undefined) return;
    const abs = this.#abs(rel);
    this.#queue.push({ abs, rel, depth: depth + 1, rules: inside });
  }

  #file(path: string, name: string, scope: string, rules: IgnoreRules): void {
    const kind = kindOf(name);
    if (kind === undefined) return;
    if (scope !== "" && rules.judge(path, false).hiddenBy !== undefined) return;
    this.#add({ abs: this.#abs(path), path, name, scope, kind });
  }

  #add(candidate: Candidate): void {
    const { limits } = this.#options;
    if (this.#candidates.length < limits.files) {
      this.#candidates.push(candidate);
    } else this.#bound = `only its first ${limits.files} context files`;
  }

  /** Dialects have their files at fixed places of the root. */
  #dialects(): void {
    for (const place of placesOf(this.#options.dialects)) {
      const { file, directory, ending = "" } = place;
      if (file !== undefined) this.#at(file);
      if (directory === undefined) continue;
      // A link on the way would lead elsewhere: such a directory is not read.
      const isReal = directory.split("/").every((_, index, names) =>
        this.#stat(names.slice(0, index + 1).join("/"))?.isDirectory === true
      );
      if (!isReal) continue;
      for (const { name } of this.#list(this.#abs(directory), directory)) {
        const path = childOf(directory, name);
        if (isAt(path, `${directory}/*${ending}`)) {
          this.#at(path);
        }
      }
    }
  }

  #at(path: string): void {
    const stat = this.#stat(path);
    if (stat === undefined || stat.isDirectory) return;
    const name = lastSegment(path);
    this.#add({
      abs: this.#abs(path),
      path,
      name,
      scope: "",
      kind: undefined,
    });
  }

  #stat(path: string): ReturnType<ScanFs["lstat"]> | undefined {
    const abs = this.#abs(path);
    this.#options.stamps.note(abs);
    try {
      return this.#options.fs.lstat(abs);
    } catch {
      return undefined;
    }
  }

  #list(abs: string, rel: string): Deno.DirEntry[] {
    const { fs, limits, stamps } = this.#options;
    // Noted before it is read: what comes later then shows.
    stamps.note(abs);
    const entries: Deno.DirEntry[] = [];
    try {
      for (const entry of fs.readDir(abs)) {
        if (++this.#entries > limits.entries) {
          this.#bound = `only its first ${limits.entries} entries`;
          break;
        }
        entries.push(entry);
      }
    } catch (error) {
      this.#unreadable.push({ path: rel, why: whyFailed(error) });
    }
    return entries.sort((a, b) => byCodeUnit(a.name, b.name));
  }

  #abs(rel: string): string {
    return joined(this.#root, rel.split("/").join(SEPARATOR));
  }
}
