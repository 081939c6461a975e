/**
 * What a look at a tree found, and which directories have to stay closed to a
 * script on account of it.
 */

import { byCodeUnit } from "../../base/order.ts";
import { Covers } from "./covers.ts";
import type { FileFact } from "./file_fact.ts";

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

/** An entry at a path below the root. */
export interface Found {
  readonly path: string;
  /** The outermost hidden or ignored entry on the way, if any. */
  readonly cover: string | undefined;
}

/** A link that leads to some place below the root. */
export interface FoundLink extends Found {
  readonly target: string;
  /** Where it leads below the root. */
  readonly leadsTo: string;
}

/** What the files below one hidden or ignored entry add up to. */
interface Share {
  files: number;
  bytes: number;
}

/** Collects what is found; `facts` draws the conclusions. */
export class TreeFindings {
  readonly #writable: boolean;
  readonly #files: (Found & { readonly fact: FileFact })[] = [];
  readonly #links: FoundLink[] = [];
  readonly #covers = new Covers();
  readonly #closed = new Set<string>();
  readonly #faults: (Fault & Found)[] = [];
  readonly #shares = new Map<string, Share>();
  /** Files and bytes that are not closed. */
  #count = 0;
  #bytes = 0;

  /** `writable`: a script may write to the tree, so it can move what lies there. */
  constructor(writable: boolean) {
    this.#writable = writable;
  }

  /** Files so far, those in closed directories left out. */
  get count(): number {
    return this.#count;
  }

  /** Bytes of them. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A directory was read. */
  listed({ path, cover }: Found): void {
    this.#covers.listed(path, cover);
  }

  /** The entry at `path` is hidden or ignored, and nothing above it is. */
  covered(path: string): void {
    this.#covers.add(path);
  }

  /** A regular file. */
  file(file: Found & { readonly fact: FileFact }): void {
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

  /** A link that stays inside. */
  link(link: FoundLink): void {
    this.#links.push(link);
  }

  /**
   * Something in the way: the hidden or ignored entry around it is closed. Not
   * where the script may write: it could move the entry out of what is closed.
   */
  close({ path, cover }: Found, kind: Fault["kind"]): void {
    if (cover === undefined || this.#writable) {
      this.fault({ path, cover }, kind);
    } else if (!this.#closed.has(cover)) {
      this.#closed.add(cover);
      this.#count -= this.#shares.get(cover)?.files ?? 0;
      this.#bytes -= this.#shares.get(cover)?.bytes ?? 0;
    }
  }

  /** Something on account of which the tree is refused unless it is closed. */
  fault({ path, cover }: Found, kind: Fault["kind"]): void {
    this.#faults.push({ path, kind, cover });
  }

  /** Whether the entry that covers another is closed. */
  isClosed(cover: string | undefined): boolean {
    return cover !== undefined && this.#closed.has(cover);
  }

  /** All of it, once the look has ended; `over` as in `TreeFacts`. */
  facts(over: TreeFacts["over"]): TreeFacts {
    this.#settleLinks();
    this.#checkNames();
    const byPath = <T extends { readonly path: string }>(a: T, b: T) =>
      byCodeUnit(a.path, b.path);
    const isOpen = ({ cover }: Found) => !this.isClosed(cover);
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
      over,
    };
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
        if (this.isClosed(link.cover)) continue;
        this.close(link, "link");
      }
    }
  }

  /** A file with more names than the tree holds can be read, or written, through. */
  #checkNames(): void {
    const open = this.#files.filter(({ cover }) => !this.isClosed(cover));
    const here = new Map<string, number>();
    for (const { fact } of open) {
      if ((fact.names ?? 1) < 2 || fact.identity === undefined) continue;
      here.set(fact.identity, (here.get(fact.identity) ?? 0) + 1);
    }
    for (const { fact, cover } of open) {
      const held = here.get(fact.identity ?? "") ?? fact.names ?? 1;
      if ((fact.names ?? 1) > held) {
        this.fault({ path: fact.path, cover }, "names");
      }
    }
  }
}

/** The path of the directory that holds the entry at `path`. */
function above(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
