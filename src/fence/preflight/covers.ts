/** Which hidden or ignored entry of a tree lies around a path. */

/**
 * The covers of a tree: the outermost hidden or ignored entry on the way to
 * each path. Paths are below the tree's root, `/`-separated; `""` is the root.
 */
export class Covers {
  readonly #covers = new Set<string>();
  readonly #listed = new Map<string, string | undefined>();

  /** Tells of a hidden or ignored entry that no other one lies around. */
  add(path: string): void {
    this.#covers.add(path);
  }

  /** Tells of a directory that was listed, and of its cover. */
  listed(path: string, cover: string | undefined): void {
    this.#listed.set(path, cover);
  }

  /** The cover of any path, whether or not something is there. */
  of(path: string): string | undefined {
    const parts = path === "" ? [] : path.split("/");
    const start = (length: number) => parts.slice(0, length).join("/");
    // Whatever lies around a listed directory is listed too, so halving finds
    // the deepest one; paths may have thousands of parts.
    let deepest = 0;
    for (let beyond = parts.length + 1; beyond - deepest > 1;) {
      const middle = (deepest + beyond) >>> 1;
      if (this.#listed.has(start(middle))) deepest = middle;
      else beyond = middle;
    }
    const cover = this.#listed.get(start(deepest));
    if (cover !== undefined || deepest === parts.length) return cover;
    const next = start(deepest + 1);
    return this.#covers.has(next) ? next : undefined;
  }
}
