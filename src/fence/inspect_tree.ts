/**
 * One look at every entry of a tree that a script will be let into: what its
 * files are, which links and special files could lead out of it, and which
 * directories have to stay closed for that.
 */

import { IgnoreRules } from "../catalog/ignore_rules.ts";
import { Pacer } from "../catalog/pacer.ts";
import { below, byCodeUnit, isWithin, joined } from "../catalog/place.ts";
import { leadsTo } from "./link_target.ts";
import { judgeEntry, rulesInside } from "./tree_rules.ts";

/** How a tree is looked at. */
export interface InspectOptions {
  /** A script may write here, so it can move what lies in it. */
  readonly writable: boolean;
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** Rules from above, and where the tree lies below the root they belong to. */
  readonly rules?: IgnoreRules;
  readonly rel?: string;
}

/** One regular file. Paths are below the tree's root, `/`-separated. */
export interface FileFact {
  readonly path: string;
  readonly size: number;
  readonly uid: number | null;
  /** Names the file has in the whole file system; null where unknown. */
  readonly names: number | null;
  /** Same key, same bytes; undefined where the system cannot tell. */
  readonly key: string | undefined;
  /** Same value, same file; undefined where the system cannot tell. */
  readonly identity: string | undefined;
  /** When the file last changed in any way, in ms. */
  readonly changedMs: number;
}

/** One symbolic link that stays inside. */
export interface LinkFact {
  readonly path: string;
  readonly target: string;
}

/** Something on account of which the tree is not let to a script. */
export interface Fault {
  readonly path: string;
  readonly kind:
    | "link"
    | "climbing-link"
    | "special"
    | "names"
    | "comma"
    | "not-utf8";
}

/** What a tree holds. Everything is in path order. */
export interface TreeFacts {
  /** Files outside closed directories. */
  readonly files: readonly FileFact[];
  readonly links: readonly LinkFact[];
  /** Hidden or ignored entries that must be unreadable to the script. */
  readonly closed: readonly string[];
  readonly faults: readonly Fault[];
  /** Sum of the sizes of `files`. */
  readonly bytes: number;
  /** The tree is larger than was asked for and was not looked at to its end. */
  readonly over: "files" | "bytes" | "entries" | undefined;
}

interface Dir {
  readonly abs: string;
  /** Below the tree's root. */
  readonly path: string;
  /** Below the root of the rules. */
  readonly rel: string;
  readonly rules: IgnoreRules;
  readonly cover: string | undefined;
}

interface Found {
  readonly path: string;
  /** The outermost hidden or ignored entry on the way, if any. */
  readonly cover: string | undefined;
}

interface FoundLink extends Found {
  readonly target: string;
  /** Where it leads below the root; undefined when it leads out. */
  readonly leadsTo: string | undefined;
}

/** Entries of any kind for one file asked for: directories cost time too. */
const ENTRIES_PER_FILE = 2;

/** Looks at the tree whose real path is `root`. Throws when it is not readable. */
export function inspectTree(
  root: string,
  options: InspectOptions,
): Promise<TreeFacts> {
  return new Inspection(root, options).run();
}

class Inspection {
  readonly #root: string;
  readonly #options: InspectOptions;
  #files: (Found & { readonly fact: FileFact })[] = [];
  readonly #links: FoundLink[] = [];
  readonly #closed = new Set<string>();
  readonly #faults: Fault[] = [];
  readonly #queue: Dir[] = [];
  readonly #pacer = new Pacer();
  #entries = 0;
  #bytes = 0;
  #over: TreeFacts["over"];

  constructor(root: string, options: InspectOptions) {
    this.#root = root;
    this.#options = options;
  }

  async run(): Promise<TreeFacts> {
    this.#queue.push({
      abs: this.#root,
      path: "",
      rel: this.#options.rel ?? "",
      rules: this.#options.rules ?? IgnoreRules.NONE,
      cover: undefined,
    });
    // A plain index: shift() would copy the queue each time.
    for (let at = 0; at < this.#queue.length; at++) {
      const dir = this.#queue[at]!;
      if (this.#isClosed(dir.cover)) continue;
      this.#look(dir);
      if (this.#over !== undefined) break;
      if (this.#pacer.due()) await this.#pacer.pause();
    }
    this.#settleLinks();
    this.#checkNames();
    return this.#facts();
  }

  #look(dir: Dir): void {
    let entries: Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(dir.abs)];
    } catch (error) {
      // The script runs as this account: what we cannot list, it cannot.
      if (dir.path !== "") return;
      throw error;
    }
    const regular = new Set(
      entries.filter((entry) => entry.isFile).map((entry) => entry.name),
    );
    const rules = rulesInside(dir, regular, dir.rules);
    // In order, so that what is found first does not depend on the disk.
    entries.sort((a, b) => byCodeUnit(a.name, b.name));
    for (const entry of entries) {
      if (this.#isClosed(dir.cover)) return;
      this.#entry(dir, entry, rules);
      if (this.#over !== undefined) return;
    }
  }

  #entry(dir: Dir, entry: Deno.DirEntry, rules: IgnoreRules): void {
    const { maxFiles, maxBytes, writable } = this.#options;
    if (++this.#entries > maxFiles * ENTRIES_PER_FILE) {
      this.#over = "entries";
      return;
    }
    const path = dir.path === "" ? entry.name : `${dir.path}/${entry.name}`;
    const rel = dir.rel === "" ? entry.name : `${dir.rel}/${entry.name}`;
    const judged = judgeEntry(rules, entry.name, rel, entry.isDirectory);
    const cover = dir.cover ?? (judged.hidden ? path : undefined);
    const abs = joined(dir.abs, entry.name);
    // What a script wrote itself must not lock it out of its own directory.
    if (!writable && path.includes(",")) this.#fault(path, "comma");
    if (entry.name.includes("\uFFFD") && !isThere(abs)) {
      // Its real name cannot be said, but a link could still lead to it.
      this.#close(path, cover, "not-utf8");
    } else if (entry.isDirectory) {
      const inside = judged.inside;
      this.#queue.push({ abs, path, rel, rules: inside, cover });
    } else if (entry.isSymlink) this.#link(abs, path, cover);
    else if (!entry.isFile) this.#close(path, cover, "special");
    else {
      const fact = fileFact(abs, path);
      if (fact === undefined) return;
      this.#files.push({ path, cover, fact });
      this.#bytes += fact.size;
      if (this.#files.length > maxFiles) this.#over = "files";
      else if (this.#bytes > maxBytes) this.#over = "bytes";
    }
  }

  #link(abs: string, path: string, cover: string | undefined): void {
    let target: string;
    try {
      target = Deno.readLinkSync(abs);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      // Its target is not UTF-8, or may not be read: nobody can tell.
      return this.#close(path, cover, "link");
    }
    const real = leadsTo(abs, target);
    const leads = real !== undefined && isWithin(real, this.#root)
      ? below(real, this.#root)
      : undefined;
    if (leads === undefined) return this.#close(path, cover, "link");
    // Moved to another depth, such a link leads elsewhere.
    if (this.#options.writable && /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(target)) {
      this.#fault(path, "climbing-link");
    }
    this.#links.push({ path, cover, target, leadsTo: leads });
  }

  /**
   * Something in the way: the hidden or ignored entry around it is closed. Not
   * where the script may write: it could move the entry out of what is closed.
   */
  #close(path: string, cover: string | undefined, kind: Fault["kind"]): void {
    if (cover === undefined || this.#options.writable) this.#fault(path, kind);
    else if (!this.#closed.has(cover)) {
      this.#closed.add(cover);
      this.#files = this.#files.filter((file) => file.cover !== cover);
      this.#bytes = this.#files.reduce((sum, { fact }) => sum + fact.size, 0);
    }
  }

  /** A link into a closed directory, or to one around it, leads out as well. */
  #settleLinks(): void {
    for (let settled = false; !settled;) {
      settled = true;
      for (const link of this.#links) {
        if (this.#isClosed(link.cover)) continue;
        if (!this.#touchesClosed(link.leadsTo ?? "")) continue;
        const before = this.#closed.size;
        this.#close(link.path, link.cover, "link");
        if (this.#closed.size > before) settled = false;
      }
    }
  }

  #touchesClosed(path: string): boolean {
    for (const closed of this.#closed) {
      if (
        path === "" || path === closed || path.startsWith(`${closed}/`) ||
        closed.startsWith(`${path}/`)
      ) return true;
    }
    return false;
  }

  /** A file with more names than the tree holds can be read, or written, through. */
  #checkNames(): void {
    const here = new Map<string, number>();
    for (const { fact } of this.#files) {
      if ((fact.names ?? 1) < 2 || fact.identity === undefined) continue;
      here.set(fact.identity, (here.get(fact.identity) ?? 0) + 1);
    }
    for (const { fact } of this.#files) {
      const held = here.get(fact.identity ?? "") ?? fact.names ?? 1;
      if ((fact.names ?? 1) > held) this.#fault(fact.path, "names");
    }
  }

  #fault(path: string, kind: Fault["kind"]): void {
    this.#faults.push({ path, kind });
  }

  #isClosed(cover: string | undefined): boolean {
    return cover !== undefined && this.#closed.has(cover);
  }

  #facts(): TreeFacts {
    const byPath = <T extends { readonly path: string }>(a: T, b: T) =>
      byCodeUnit(a.path, b.path);
    const isOpen = ({ path }: { readonly path: string }) =>
      ![...this.#closed].some((closed) =>
        path === closed || path.startsWith(`${closed}/`)
      );
    const faults = new Map(
      this.#faults.filter((fault) => fault.kind === "comma" || isOpen(fault))
        .map((fault) => [`${fault.kind} ${fault.path}`, fault]),
    );
    return {
      files: this.#files.map(({ fact }) => fact).sort(byPath),
      links: this.#links.filter((link) => !this.#isClosed(link.cover))
        .map(({ path, target }) => ({ path, target })).sort(byPath),
      closed: [...this.#closed].sort(byCodeUnit),
      faults: [...faults.values()].sort(byPath),
      bytes: this.#bytes,
      over: this.#over,
    };
  }
}

function isThere(abs: string): boolean {
  try {
    Deno.lstatSync(abs);
    return true;
  } catch {
    return false;
  }
}

function fileFact(abs: string, path: string): FileFact | undefined {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(abs);
  } catch {
    // Gone since the directory was read.
    return undefined;
  }
  const { dev, ino, size, mtime, ctime } = info;
  const identity = ino === null || ino === 0 ? undefined : `${dev}:${ino}`;
  return {
    path,
    size,
    uid: info.uid,
    names: info.nlink,
    identity,
    key: identity === undefined || ctime === null || mtime === null
      ? undefined
      : `${identity}:${size}:${mtime.getTime()}:${ctime.getTime()}`,
    changedMs: ctime?.getTime() ?? Infinity,
  };
}
