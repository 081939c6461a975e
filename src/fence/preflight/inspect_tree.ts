/**
 * One look at every entry of a tree that a script will be let into: what its
 * files are, and which links and special files could lead out of it.
 */

import { byCodeUnit } from "../../base/order.ts";
import { IgnoreRules } from "../../catalog/ignore_rules.ts";
import { ENTRIES_PER_BREATH, Pacer } from "../../base/pacer.ts";
import { below, childOf, isWithin, joined } from "../../base/place.ts";
import { type Access, allows } from "../../os/account.ts";
import type { Account } from "../../os/types.ts";
import { fileFact } from "./file_fact.ts";
import { leadsTo } from "./link_target.ts";
import { type Found, type TreeFacts, TreeFindings } from "./tree_findings.ts";
import { judgeEntry, rulesInside } from "./tree_rules.ts";

export type { FileFact } from "./file_fact.ts";
export type { Fault, LinkFact, TreeFacts } from "./tree_findings.ts";

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

interface Dir {
  readonly abs: string;
  /** Below the tree's root. */
  readonly path: string;
  /** Below the root of the rules. */
  readonly rel: string;
  readonly rules: IgnoreRules;
  readonly cover: string | undefined;
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
  readonly #findings: TreeFindings;
  readonly #queue: Dir[] = [];
  readonly #pacer = new Pacer();
  #entries = 0;
  #over: TreeFacts["over"];

  constructor(root: string, options: InspectOptions) {
    this.#root = root;
    this.#options = options;
    this.#findings = new TreeFindings(options.writable);
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
      if (this.#findings.isClosed(dir.cover)) continue;
      await this.#look(dir);
      if (this.#over !== undefined) break;
      if (this.#pacer.due()) await this.#pacer.pause();
    }
    return this.#findings.facts(this.#over);
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
      return this.#findings.close(dir, "unseen");
    }
    this.#findings.listed(dir);
    const regular = new Set(
      entries.filter((entry) => entry.isFile).map((entry) => entry.name),
    );
    const rules = rulesInside(dir, regular, dir.rules);
    // In order, so that what is found first does not depend on the disk.
    entries.sort((a, b) => byCodeUnit(a.name, b.name));
    for (const [at, entry] of entries.entries()) {
      if (this.#findings.isClosed(dir.cover)) return;
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
    if (cover === path) this.#findings.covered(path);
    const found = { path, cover };
    const abs = joined(dir.abs, entry.name);
    // What a script wrote itself must not lock it out of its own directory.
    if (!writable && path.includes(",")) this.#findings.fault(found, "comma");
    if (entry.name.includes("\uFFFD") && (isOneOfTwo || !isThere(abs))) {
      // Its real name cannot be said, so only what lies around it can be closed.
      this.#findings.close({ path, cover: dir.cover }, "not-utf8");
    } else if (entry.isDirectory) {
      const inside = judged.inside;
      this.#queue.push({ abs, path, rel, rules: inside, cover });
    } else if (entry.isSymlink) this.#link(abs, found);
    else if (!entry.isFile) this.#findings.close(found, "special");
    else {
      const fact = fileFact(abs, path);
      if (fact === "gone") return;
      if (fact === "unseen") return this.#findings.close(found, "unseen");
      this.#checkAccess(found, { ...fact, isDirectory: false });
      this.#findings.file({ ...found, fact });
      if (this.#findings.count > maxFiles) this.#over = "files";
      else if (this.#findings.bytes > maxBytes) this.#over = "bytes";
    }
  }

  #checkAccess(found: Found, access: Access): void {
    const { account } = this.#options;
    if (account !== undefined && !allows(access, account, "read")) {
      this.#findings.fault(found, "unreadable");
    }
  }

  #link(abs: string, found: Found): void {
    let target: string;
    try {
      target = Deno.readLinkSync(abs);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      // Its target is not UTF-8, or may not be read: nobody can tell.
      return this.#findings.close(found, "link");
    }
    const real = leadsTo(abs, target);
    const leads = real !== undefined && isWithin(real, this.#root)
      ? below(real, this.#root)
      : undefined;
    if (leads === undefined) return this.#findings.close(found, "link");
    // Moved to another depth, such a link leads elsewhere.
    if (this.#options.writable && /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(target)) {
      this.#findings.fault(found, "climbing-link");
    }
    this.#findings.link({ ...found, target, leadsTo: leads });
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
