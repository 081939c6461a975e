/**
 * One look at every entry of a tree that a script will be let into: what its
 * files are, which links and special files could lead out of it, and which
 * directories have to stay closed for that.
 */

import { IgnoreRules } from "../catalog/ignore_rules.ts";
import { Pacer } from "../catalog/pacer.ts";
import {
  below,
  byCodeUnit,
  childOf,
  isWithin,
  joined,
} from "../catalog/place.ts";
import { type Access, allows } from "../os/account.ts";
import type { Account } from "../os/types.ts";
import { Covers } from "./covers.ts";
import { type FileFact, fileFact } from "./file_fact.ts";
import { leadsTo } from "./link_target.ts";
import { judgeEntry, rulesInside } from "./tree_rules.ts";

export type { FileFact } from "./file_fact.ts";

/** How a tree is looked at. */
export interface InspectOptions {
  /** A script may write here, so it can move what lies in it. */
  readonly writable: boolean;
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** Rules from above, and where the tree lies below the root they belong to. */
  readonly rules?: IgnoreRules;
  readonly rel?: string;
  /** Who has to read all that is below; undefined: we ourselves. */
  readonly account?: Account | undefined;
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
    | "not-utf8"
    | "unseen"
    /** By `account`. */
    | "unreadable";
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
  /** Where it leads below the root. */
  readonly leadsTo: string;
}

/** What the files below one hidden or ignored entry add up to. */
interface Share {
  files: number;
  bytes: number;
}

/** Entries of any kind for one file asked for: directories cost time too. */
const ENTRIES_PER_FILE = 2;
/** Plain entries of one directory between two looks at the clock. */
const ENTRIES_PER_BREATH = 64;

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
  readonly #files: (Found & { readonly fact: FileFact })[] = [];
  readonly #links: FoundLink[] = [];
  readonly #covers = new Covers();
  readonly #closed = new Set<string>();
  readonly #faults: (Fault & Found)[] = [];
  readonly #queue: Dir[] = [];
  readonly #pacer = new Pacer();
  readonly #shares = new Map<string, Share>();
  #entries = 0;
  /** Files and bytes that are not closed. */
  #count = 0;
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
      await this.#look(dir);
      if (this.#over !== undefined) break;
      if (this.#pacer.due()) await this.#pacer.pause();
    }
    this.#settleLinks();
    this.#checkNames();
    return this.#facts();
  }

  async #look(dir: Dir): Promise<void> {
    let entries: Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(dir.abs)];
      const { account } = this.#options;
      // Whether the tree itself can be got to is asked elsewhere.
      if (account !== undefined && dir.path !== "") {
        this.#checkAccess(dir, Deno.lstatSync(dir.abs));
      }
    } catch (error) {
      if (dir.path === "") throw error;
      if (error instanceof Deno.errors.NotFound) return;
      // Whoever knows a name can go through a directory that nobody can list.
      return this.#close(dir.path, dir.cover, "unseen");
    }
    this.#covers.listed(dir.path, dir.cover);
    const regular = new Set(
      entries.filter((entry) => entry.isFile).map((entry) => entry.name),
    );
    const rules = rulesInside(dir, regular, dir.rules);
    // In order, so that what is found first does not depend on the disk.
    entries.sort((a, b) => byCodeUnit(a.name, b.name));
    for (const [at, entry] of entries.entries()) {
      if (this.#isClosed(dir.cover)) return;
      // Two names that are not UTF-8 may read as one, or as one that is there.
      const isOneOfTwo = entry.name === entries[at - 1]?.name ||
        entry.name === entries[at + 1]?.name;
      this.#entry(dir, entry, rules, isOneOfTwo);
      if (this.#over !== undefined) return;
      const breathe = entry.isSymlink || at % ENTRIES_PER_BREATH === 0;
      if (breathe && this.#pacer.due()) await this.#pacer.pause();
    }
  }

  #entry(
    dir: Dir,
    entry: Deno.DirEntry,
    rules: IgnoreRules,
    isOneOfTwo: boolean,
  ): void {
    const { maxFiles, maxBytes, writable } = this.#options;
    if (++this.#entries > maxFiles * ENTRIES_PER_FILE) {
      this.#over = "entries";
      return;
    }
    const path = childOf(dir.path, entry.name);
    const rel = childOf(dir.rel, entry.name);
    const judged = judgeEntry(rules, entry.name, rel, entry.isDirectory);
    const cover = dir.cover ?? (judged.hidden ? path : undefined);
    if (cover === path) this.#covers.add(path);
    const abs = joined(dir.abs, entry.name);
    // What a script wrote itself must not lock it out of its own directory.
    if (!writable && path.includes(",")) this.#fault(path, "comma", cover);
    if (entry.name.includes("\uFFFD") && (isOneOfTwo || !isThere(abs))) {
      // Its real name cannot be said, so only what lies around it can be closed.
      this.#close(path, dir.cover, "not-utf8");
    } else if (entry.isDirectory) {
      const inside = judged.inside;
      this.#queue.push({ abs, path, rel, rules: inside, cover });
    } else if (entry.isSymlink) this.#link(abs, path, cover);
    else if (!entry.isFile) this.#close(path, cover, "special");
    else {
      const fact = fileFact(abs, path);
      if (fact === "gone") return;
      if (fact === "unseen") return this.#close(path, cover, "unseen");
      this.#checkAccess({ path, cover }, { ...fact, isDirectory: false });
      this.#add({ path, cover, fact });
      if (this.#count > maxFiles) this.#over = "files";
      else if (this.#bytes > maxBytes) this.#over = "bytes";
    }
  }

  #checkAccess({ path, cover }: Found, access: Access): void {
    const { account } = this.#options;
    if (account !== undefined && !allows(access, account, "read")) {
      this.#fault(path, "unreadable", cover);
    }
  }

  #add(file: Found & { readonly fact: FileFact }): void {
    const { cover, fact } = file;
    this.#files.push(file);
    this.#count += 1;
    this.#bytes += fact.size;
    if (cover === undefined) return;
    const share = this.#shares.get(cover) ?? { files: 0, bytes: 0 };
    share.files += 1;
    share.bytes += fact.size;
    this.#shares.set(cover, share);
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
      this.#fault(path, "climbing-link", cover);
    }
    this.#links.push({ path, cover, target, leadsTo: leads });
  }

  /**
   * Something in the way: the hidden or ignored entry around it is closed. Not
   * where the script may write: it could move the entry out of what is closed.
   */
  #close(path: string, cover: string | undefined, kind: Fault["kind"]): void {
    if (cover === undefined || this.#options.writable) {
      this.#fault(path, kind, cover);
    } else if (!this.#closed.has(cover)) {
      this.#closed.add(cover);
      this.#count -= this.#shares.get(cover)?.files ?? 0;
      this.#bytes -= this.#shares.get(cover)?.bytes ?? 0;
    }
  }

  /**
   * A link into a closed entry, or to a directory around one, leads out as
   * well. What is closed for that is looked at in turn, each once: a stranger
   * may have made a chain of thousands.
   */
  #settleLinks(): void {
    const into = Map.groupBy(
      this.#links,
      (link) => this.#covers.of(link.leadsTo),
    );
    const to = Map.groupBy(this.#links, (link) => link.leadsTo);
    const around = new Set<string>();
    // A set is walked to its end, what is added on the way included.
    for (const closed of this.#closed) {
      const found = [into.get(closed) ?? []];
      for (let at = closed; at !== "" && !around.has(above(at));) {
        at = above(at);
        around.add(at);
        found.push(to.get(at) ?? []);
      }
      for (const link of found.flat()) {
        if (this.#isClosed(link.cover)) continue;
        this.#close(link.path, link.cover, "link");
      }
    }
  }

  /** A file with more names than the tree holds can be read, or written, through. */
  #checkNames(): void {
    const open = this.#files.filter(({ cover }) => !this.#isClosed(cover));
    const here = new Map<string, number>();
    for (const { fact } of open) {
      if ((fact.names ?? 1) < 2 || fact.identity === undefined) continue;
      here.set(fact.identity, (here.get(fact.identity) ?? 0) + 1);
    }
    for (const { fact, cover } of open) {
      const held = here.get(fact.identity ?? "") ?? fact.names ?? 1;
      if ((fact.names ?? 1) > held) this.#fault(fact.path, "names", cover);
    }
  }

  #fault(
    path: string,
    kind: Fault["kind"],
    cover: string | undefined,
  ): void {
    this.#faults.push({ path, kind, cover });
  }

  #isClosed(cover: string | undefined): boolean {
    return cover !== undefined && this.#closed.has(cover);
  }

  #facts(): TreeFacts {
    const byPath = <T extends { readonly path: string }>(a: T, b: T) =>
      byCodeUnit(a.path, b.path);
    const isOpen = ({ cover }: Found) => !this.#isClosed(cover);
    const faults = new Map(
      this.#faults.filter((fault) => fault.kind === "comma" || isOpen(fault))
        .map(({ path, kind }) => [`${kind} ${path}`, { path, kind }]),
    );
    return {
      files: this.#files.filter(isOpen).map(({ fact }) => fact).sort(byPath),
      links: this.#links.filter(isOpen)
        .map(({ path, target }) => ({ path, target })).sort(byPath),
      closed: [...this.#closed].sort(byCodeUnit),
      faults: [...faults.values()].sort(byPath),
      bytes: this.#bytes,
      over: this.#over,
    };
  }
}

/** The path of the directory that holds the entry at `path`. */
function above(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function isThere(abs: string): boolean {
  try {
    Deno.lstatSync(abs);
    return true;
  } catch {
    return false;
  }
}
