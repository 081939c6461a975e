/** One skill while it is being found: where it is, and what it lists so far. */

import { byCodeUnit } from "../base/order.ts";
import { foldName } from "../skill/names.ts";
import { checkPath } from "../skill/paths.ts";
import { below, isWithin } from "../base/place.ts";
import type { BundleFile, FileStamp } from "./types.ts";

/** Names that pass the string rule without asking it (`node_modules` does not). */
export const PLAIN_NAME = /^(?!node_modules$)[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
/** A directory's path this short leaves room for any name in 1024 characters. */
export const SURELY_SHORT = 700;

/**
 * A directory that holds a SKILL.md, and the files served of it; or a flat
 * skill, which is one file.
 */
export class Bundle {
  /** Index of the root. */
  readonly root: number;
  /**
   * Below the root, `/`-separated: the directory, `""` for the root itself, or
   * the file of a flat skill.
   */
  readonly rel: string;
  /** Real absolute directory; of a flat skill, the one its file lies in. */
  readonly dir: string;
  /** It is the one file `skillFile`. */
  readonly flat: boolean;
  /** Real absolute path of the file that is read as SKILL.md. */
  readonly skillFile: string;
  /** That file's own path below the root, as its directory spells it. */
  readonly skillFileRel: string;
  /** Directories between the root and it, itself counted. */
  readonly depth: number;
  /** Tells the order of bundles of one depth in a walk by name. */
  readonly order: string;
  /** The name it is served under, once it is known. */
  name: string | undefined;
  #folded: { of: string; name: string; last: string } | undefined;
  /** Directories walked below it. */
  directories = 0;
  readonly #files: BundleFile[] = [];
  #paths: Set<string> | undefined;

  constructor(
    place:
      & Pick<Bundle, "root" | "rel" | "dir" | "skillFile" | "skillFileRel">
      & { readonly flat?: boolean },
  ) {
    this.flat = place.flat ?? false;
    this.root = place.root;
    this.rel = place.rel;
    this.dir = place.dir;
    this.skillFile = place.skillFile;
    this.skillFileRel = place.skillFileRel;
    const segments = place.rel === "" ? [] : place.rel.split("/");
    this.depth = segments.length;
    // Sorts before whatever else a name may hold.
    this.order = segments.join("\0");
  }

  /** Real absolute path of all there is: the directory, or the one file. */
  get place(): string {
    return this.flat ? this.skillFile : this.dir;
  }

  /** What it is named after, below the root. */
  get namedAfter(): string {
    return this.flat ? this.rel.slice(0, -3) : this.rel;
  }

  /** Name and last segment as they are compared; `name` is known by now. */
  get folded(): { readonly name: string; readonly last: string } {
    const { name = "" } = this;
    if (this.#folded?.of !== name) {
      const folded = foldName(name);
      const last = folded.slice(folded.lastIndexOf("/") + 1);
      this.#folded = { of: name, name: folded, last };
    }
    return this.#folded;
  }

  /** Files listed so far. */
  get count(): number {
    return this.#files.length;
  }

  /** Path below the skill of a path below the root. */
  inside(rel: string): string {
    return this.rel === "" ? rel : rel.slice(this.rel.length + 1);
  }

  /** Lists a file; the caller has checked path and bound. */
  add(path: string, stamp: FileStamp): void {
    this.#files.push({ path, ...stamp });
  }

  /** Whether a real file is listed; asked when the walk is over. */
  lists(path: string): boolean {
    this.#paths ??= new Set(this.#files.map((file) => file.path));
    return this.#paths.has(path);
  }

  /** The stamp under which a real file is listed. */
  stampOf(realPath: string): FileStamp | undefined {
    if (!isWithin(realPath, this.dir)) return undefined;
    const path = below(realPath, this.dir);
    return this.#files.find((file) => file.path === path);
  }

  /** Everything listed, in path order. */
  files(): readonly BundleFile[] {
    return this.#files.sort((a, b) => byCodeUnit(a.path, b.path));
  }
}

/** Puts bundles of one root in the order of a breadth-first walk by name. */
export function sortAsWalked(bundles: Bundle[]): Bundle[] {
  return bundles.sort((a, b) =>
    a.depth - b.depth || byCodeUnit(a.order, b.order)
  );
}

/** Whether the string rule accepts `path`, which ends in `name`. */
export function isUsable(path: string, name: string): boolean {
  // The directory's path has passed already, so a plain name settles it.
  if (path.length < SURELY_SHORT && PLAIN_NAME.test(name)) return true;
  return checkPath(path).ok;
}
