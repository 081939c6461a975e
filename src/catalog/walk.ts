/**
 * The one walk of a root: breadth first, in name order, through real
 * directories only. It finds skills and lists their files; what links mean
 * depends on everything found, so it is settled afterwards (`links.ts`).
 */

import { ENTRIES_PER_BREATH } from "../base/pacer.ts";
import { childOf, joined } from "../base/place.ts";
import { counted } from "../base/text.ts";
import { Breath } from "./breath.ts";
import { type Bundle, isUsable } from "./bundle.ts";
import { byName, type Entries, sortEntries } from "./entries.ts";
import { hiddenByName, Hiding } from "./hidden.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import { findFlat, type FlatEffects } from "./flat_files.ts";
import { type ListEffects, listFiles } from "./list_files.ts";
import { Listing } from "./listing.ts";
import { type Report, reporting } from "./problem_log.ts";
import { whyFailed } from "./scan_fs.ts";
import { SkillsFound } from "./skills_found.ts";
import { SubtreeNotes } from "./subtree_notes.ts";
import { type Top, TopLevel } from "./top_level.ts";
import type { Subtree } from "./walk_memory.ts";
import type {
  FoundLink,
  RootFindings,
  Task,
  WalkContext,
} from "./walk_types.ts";

/** Walks the root with this index and real path. Reports, never throws. */
export async function walkRoot(
  root: number,
  rootDir: string,
  context: WalkContext,
): Promise<RootFindings> {
  return await new Walk(root, rootDir, context).run();
}

class Walk {
  readonly #flat: FlatEffects;
  readonly #context: WalkContext;
  readonly #report: Report;
  readonly #breath: Breath;
  readonly #hiding: Hiding;
  readonly #listing: Listing;
  readonly #effects: ListEffects;
  readonly #skills: SkillsFound;
  readonly #links: FoundLink[] = [];
  readonly #open = new Set<string>();
  readonly #tops = new TopLevel();
  readonly #notes = new SubtreeNotes();
  readonly #queue: Task[];
  #entries = 0;

  constructor(root: number, rootDir: string, context: WalkContext) {
    this.#context = context;
    this.#report = reporting(root, context.log);
    this.#breath = new Breath(context);
    this.#hiding = new Hiding(root, context);
    this.#listing = new Listing(root, context);
    this.#effects = {
      fs: context.fs,
      listing: this.#listing,
      breath: this.#breath,
      report: this.#report,
    };
    this.#skills = new SkillsFound(root, rootDir, this.#hiding, context);
    const { fs, memory, flat } = context;
    const [breath, report, skills] = [this.#breath, this.#report, this.#skills];
    this.#flat = { root, fs, memory, flat, breath, report, skills };
    this.#queue = [{
      abs: rootDir,
      rel: "",
      depth: 0,
      rules: IgnoreRules.NONE,
      chain: [],
      top: undefined,
      subtree: undefined,
    }];
  }

  async run(): Promise<RootFindings> {
    const { limits } = this.#context;
    for (let next = 0; next < this.#queue.length; next++) {
      if (this.#entries > limits.entries) {
        this.#report("", "error", "walk-limit", {
          detail: `more than ${
            counted(limits.entries)
          } directory entries: the rest is not looked at`,
          hint: "Give the folders that hold skills as roots, not one above.",
        });
        break;
      }
      this.#breath.walked += 1;
      await this.#visit(this.#queue[next]!);
      await this.#breath.take();
    }
    const { bundles, aliases, claims } = this.#skills.end();
    const { memory } = this.#context;
    memory?.end(this.#notes, this.#entries, limits.entries);
    return {
      bundles,
      aliases,
      claims,
      links: this.#links,
      open: this.#open,
      tops: this.#tops,
      hiding: this.#hiding,
      listing: this.#listing,
    };
  }

  async #visit(task: Task): Promise<void> {
    const { log } = this.#context;
    const { told } = log;
    this.#notes.enter(task.subtree);
    await this.#look(task);
    this.#notes.leave(log.told !== told);
  }

  async #look(task: Task): Promise<void> {
    const entries = this.#list(task);
    if (entries === undefined) return;
    const rules = this.#hiding.enter(task, entries.ignoring, task.rules);
    const bundle = this.#skills.claim(task, entries, rules);
    if (bundle === "stop") return;
    const chain = bundle === undefined ? task.chain : [...task.chain, bundle];
    if (chain.length === 0) this.#open.add(task.rel);
    this.#notes.note(task, entries, bundle, this.#skills.claims.has(task.rel));
    const inside = { ...task, rules, chain };
    await listFiles(inside, entries, this.#effects);
    await findFlat(inside, entries, this.#flat);
    for (const [index, name] of entries.directories.sort().entries()) {
      if (index % ENTRIES_PER_BREATH === ENTRIES_PER_BREATH - 1) {
        await this.#breath.take();
      }
      this.#directory(task, name, rules, chain);
    }
    for (const entry of byName(entries.others)) {
      if (
        entry !== entries.skill || !this.#skills.isSettled(task.rel, bundle)
      ) {
        this.#other(task, entry, rules, chain);
      }
    }
  }

  /** Takes what the last walk found in place of walking. */
  #recall(rel: string, known: Subtree, top: Top | undefined): void {
    this.#notes.recalled.set(rel, known);
    this.#skills.recall(known);
    this.#entries += known.entries;
    this.#breath.walked += known.walked;
    TopLevel.mark(top);
  }

  #list(task: Task): Entries | undefined {
    try {
      const { fs, memory } = this.#context;
      const read = () => fs.readDir(task.abs);
      const outside = task.chain.length === 0 ? memory : undefined;
      const entries = sortEntries(outside?.listed(task.rel, read) ?? read());
      // What a skill holds is remembered as a whole.
      if (entries.skill !== undefined) outside?.unlist(task.rel);
      this.#entries += entries.count;
      return entries;
    } catch (error) {
      this.#report(task.rel, "error", "unreadable-directory", {
        detail: `the directory cannot be read: ${whyFailed(error)}`,
        hint: "Make it readable by the server's user, or move it out.",
      }, task.chain.at(-1));
      return undefined;
    }
  }

  #directory(
    task: Task,
    name: string,
    rules: IgnoreRules,
    chain: readonly Bundle[],
  ): void {
    // A directory in SKILL.md's place was reported and holds nothing we serve.
    if (name === "SKILL.md") return;
    const rel = childOf(task.rel, name);
    const abs = joined(task.abs, name);
    const verdict = rules.judge(rel, true);
    const rule = hiddenByName(name) ?? verdict.hiddenBy;
    if (rule !== undefined) return this.#hiding.report(abs, rel, rule);
    const { limits } = this.#context;
    const owner = chain.at(-1);
    if (task.depth >= limits.depth) {
      return this.#report(rel, "warning", "depth-limit", {
        detail:
          `lies more than ${limits.depth} directories deep: not looked at`,
        hint: "Move it up, or give a folder further down as a root.",
      }, owner);
    }
    if (owner !== undefined && !isUsable(owner.inside(rel), name)) {
      return this.#listing.unusable(rel, owner);
    }
    if (owner === undefined) {
      const known = this.#context.memory?.recall(rel, verdict.inside);
      if (known !== undefined) return this.#recall(rel, known, task.top);
    }
    const open = chain.length === 0
      ? chain
      : chain.filter((bundle) => this.#listing.enter(bundle));
    if (owner !== undefined && open.at(-1) !== owner) return;
    this.#queue.push({
      abs,
      rel,
      depth: task.depth + 1,
      rules: verdict.inside,
      chain: open,
      top: this.#skills.isSingle ? undefined : this.#tops.of(rel, task.top),
      subtree: this.#notes.current,
    });
  }

  #other(
    task: Task,
    entry: Deno.DirEntry,
    rules: IgnoreRules,
    chain: readonly Bundle[],
  ): void {
    const rel = childOf(task.rel, entry.name);
    const abs = joined(task.abs, entry.name);
    const rule = hiddenByName(entry.name) ?? rules.judge(rel, false).hiddenBy;
    if (rule !== undefined) {
      if (entry.isSymlink) this.#hiding.report(abs, rel, rule);
      return;
    }
    if (entry.isSymlink) {
      const { name } = entry;
      this.#links.push({ abs, rel, name, chain, top: task.top });
    } else if (chain.length > 0) {
      this.#report(rel, "note", "special-file", {
        detail: "not listed: it is not a regular file",
        hint:
          "Pipes, sockets and devices are not served; a skill that holds one does not run.",
      }, chain.at(-1));
    }
  }
}
