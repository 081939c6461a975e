/**
 * The one walk of a root: breadth first, in name order, through real
 * directories only. It finds skills and lists their files; what links mean
 * depends on everything found, so it is settled afterwards (`links.ts`).
 */

import { counted } from "../base/text.ts";
import {
  Bundle,
  isUsable,
  PLAIN_NAME,
  sortAsWalked,
  SURELY_SHORT,
} from "./bundle.ts";
import { hiddenByName, hiddenSkill, Hiding } from "./hidden.ts";
import type {
  FoundAlias,
  FoundLink,
  RootFindings,
  Task,
  WalkContext,
} from "./walk_types.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import { Listing } from "./listing.ts";
import { childOf, isWithin, joined, SEPARATOR } from "../base/place.ts";
import type { Draft } from "./problem_log.ts";
import { stampOf, whyFailed } from "./scan_fs.ts";
import { byName, type Entries, skillFirst, sortEntries } from "./entries.ts";
import { judgeSkillEntry } from "./skill_entry.ts";
import { type Top, TopLevel } from "./top_level.ts";
import type { FileStamp } from "./types.ts";
import { SubtreeNotes } from "./subtree_notes.ts";
import type { Subtree } from "./walk_memory.ts";

/** Entries of one directory between two looks at the clock. */
const ENTRIES_PER_BREATH = 64;

/** Walks the root with this index and real path. Reports, never throws. */
export async function walkRoot(
  root: number,
  rootDir: string,
  context: WalkContext,
): Promise<RootFindings> {
  const walk = new Walk(root, rootDir, context);
  await walk.run();
  return walk;
}

class Walk implements RootFindings {
  readonly bundles: Bundle[] = [];
  readonly links: FoundLink[] = [];
  readonly aliases: FoundAlias[] = [];
  readonly claims = new Set<string>();
  readonly open = new Set<string>();
  readonly tops = new TopLevel();
  readonly hiding: Hiding;
  readonly listing: Listing;
  readonly #root: number;
  readonly #rootDir: string;
  readonly #context: WalkContext;
  readonly #queue: Task[];
  #entries = 0;
  /** Directories visited, for whoever hears of the pauses. */
  #walked = 0;
  /** The root itself is the one skill. */
  #single = false;
  /** SKILL.md files below a root that is a skill. */
  #parts = 0;
  readonly #notes = new SubtreeNotes();

  constructor(root: number, rootDir: string, context: WalkContext) {
    this.#root = root;
    this.#rootDir = rootDir;
    this.#context = context;
    this.hiding = new Hiding(root, context);
    this.listing = new Listing(root, context);
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

  async run(): Promise<void> {
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
      this.#walked += 1;
      await this.#visit(this.#queue[next]!);
      await this.#breathe();
    }
    sortAsWalked(this.bundles);
    const { memory } = this.#context;
    memory?.end(this.#notes, this.#entries, limits.entries);
    if (this.#parts > 0) {
      this.#report("", "note", "nested-in-root", {
        detail: `the root is one skill: ${
          counted(this.#parts)
        } more SKILL.md below it are its files, not skills`,
        hint: "Remove the root's own SKILL.md to serve them as skills.",
      });
    }
  }

  /** Pauses when it is time to. */
  async #breathe(): Promise<void> {
    if (!this.#context.pacer.due()) return;
    this.#context.onPause(this.#walked);
    await this.#context.pacer.pause();
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
    const rules = this.hiding.enter(task, entries.ignoring, task.rules);
    const bundle = entries.skill && this.#claim(task, entries, rules);
    if (bundle === "stop") return;
    const chain = bundle === undefined ? task.chain : [...task.chain, bundle];
    if (chain.length === 0) this.open.add(task.rel);
    this.#notes.note(task, entries, bundle, this.claims.has(task.rel));
    await this.#files(task, entries, rules, chain);
    for (const [index, name] of entries.directories.sort().entries()) {
      if (index % ENTRIES_PER_BREATH === ENTRIES_PER_BREATH - 1) {
        await this.#breathe();
      }
      this.#directory(task, name, rules, chain);
    }
    for (const entry of byName(entries.others)) {
      if (entry !== entries.skill || !this.#settled(task, bundle)) {
        this.#other(task, entry, rules, chain);
      }
    }
  }

  /** Takes what the last walk found in place of walking. */
  #recall(rel: string, known: Subtree, top: Top | undefined): void {
    this.#notes.recalled.set(rel, known);
    for (const bundle of known.bundles) this.bundles.push(bundle);
    for (const claim of known.claims) this.claims.add(claim);
    this.#entries += known.entries;
    this.#walked += known.walked;
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

  /** The bundle a directory opens; "stop" when nothing below is looked at. */
  #claim(
    task: Task,
    entries: Entries,
    rules: IgnoreRules,
  ): Bundle | "stop" | undefined {
    const entry = entries.skill!;
    const path = childOf(task.rel, entry.name);
    if (this.#single) {
      this.#parts += 1;
      return undefined;
    }
    const rule = rules.judge(path, entry.isDirectory).hiddenBy;
    if (rule !== undefined) {
      this.#context.log.add(hiddenSkill(this.#root, path, rule));
      return undefined;
    }
    this.claims.add(task.rel);
    TopLevel.mark(task.top);
    const { fs, log } = this.#context;
    const judged = judgeSkillEntry(entry, {
      root: this.#root,
      rootDir: this.#rootDir,
      abs: task.abs,
      rel: task.rel,
      hiding: this.hiding,
      fs,
      log,
    });
    if (judged.kind === "alias") {
      const leftovers = entries.files.length + entries.directories.length > 0;
      this.aliases.push({ rel: task.rel, target: judged.dir, leftovers });
    }
    if (judged.kind === "refused" && task.rel === "" && !entry.isDirectory) {
      return "stop";
    }
    if (judged.kind !== "skill") return undefined;
    if (task.rel === "") this.#single = true;
    const bundle = new Bundle({
      root: this.#root,
      rel: task.rel,
      dir: task.abs,
      skillFile: judged.file,
      skillFileRel: path,
    });
    this.bundles.push(bundle);
    if (entry.name !== "SKILL.md") {
      this.#report(path, "note", "skill-md-case", {
        detail: `"${entry.name}" is read as SKILL.md`,
        hint: "Rename it to SKILL.md: other programs look for that spelling.",
      }, bundle);
    }
    return bundle;
  }

  /** Whether the link in SKILL.md's place has been dealt with altogether. */
  #settled(task: Task, bundle: Bundle | undefined): boolean {
    if (bundle === undefined) return this.claims.has(task.rel);
    return !isWithin(bundle.skillFile, bundle.dir);
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
    if (rule !== undefined) return this.hiding.report(abs, rel, rule);
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
      return this.listing.unusable(rel, owner);
    }
    if (owner === undefined) {
      const known = this.#context.memory?.recall(rel, verdict.inside);
      if (known !== undefined) return this.#recall(rel, known, task.top);
    }
    const open = chain.length === 0
      ? chain
      : chain.filter((bundle) => this.listing.enter(bundle));
    if (owner !== undefined && open.at(-1) !== owner) return;
    this.#queue.push({
      abs,
      rel,
      depth: task.depth + 1,
      rules: verdict.inside,
      chain: open,
      top: this.#single ? undefined : this.tops.of(rel, task.top),
      subtree: this.#notes.current,
    });
  }

  /** The hot loop: one `lstat` for each served file, and little else. */
  async #files(
    task: Task,
    entries: Entries,
    rules: IgnoreRules,
    chain: readonly Bundle[],
  ): Promise<void> {
    const { listing } = this;
    const owner = chain.at(-1);
    // Order matters only where a bound cuts; skills sort their list at the end.
    const mayFill = listing.mayFill(chain, entries.files.length);
    const names = mayFill ? skillFirst(entries) : entries.files;
    const bare = rules === IgnoreRules.NONE;
    const quick = bare && !mayFill && task.rel.length < SURELY_SHORT;
    const prefix = task.rel === "" ? "" : `${task.rel}/`;
    const below = task.abs.endsWith(SEPARATOR)
      ? task.abs
      : task.abs + SEPARATOR;
    let visible = false;
    let seen = 0;
    for (const name of names) {
      if (++seen % ENTRIES_PER_BREATH === 0) await this.#breathe();
      const plain = quick && PLAIN_NAME.test(name);
      if (!plain && name === "node_modules") continue;
      const rel = prefix + name;
      if (!bare && rules.judge(rel, false).hiddenBy !== undefined) continue;
      visible = true;
      if (owner === undefined) continue;
      if (plain) {
        const stamp = this.#stamp(below + name, rel, owner);
        if (stamp === undefined) continue;
        for (const bundle of chain) bundle.add(bundle.inside(rel), stamp);
      } else if (!isUsable(owner.inside(rel), name)) {
        listing.unusable(rel, owner);
      } else {
        // Reported by now: the rest could only take time.
        if (listing.allFull(chain)) break;
        const stamp = this.#stamp(below + name, rel, owner);
        if (stamp !== undefined) listing.add(chain, rel, name, stamp);
      }
    }
    const { top } = task;
    if (visible && top && (!top.isSkillsFolder || top.rel === task.rel)) {
      top.holdsFiles = true;
    }
  }

  #stamp(abs: string, rel: string, owner: Bundle): FileStamp | undefined {
    try {
      return stampOf(this.#context.fs.lstat(abs));
    } catch (error) {
      this.#report(rel, "warning", "unreadable-file", {
        detail: `not listed: ${
          rel.includes("\uFFFD") ? "its name is not UTF-8" : whyFailed(error)
        }`,
        hint: "Rename it, or make it readable by the server's user.",
      }, owner);
      return undefined;
    }
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
      if (entry.isSymlink) this.hiding.report(abs, rel, rule);
      return;
    }
    if (entry.isSymlink) {
      const { name } = entry;
      this.links.push({ abs, rel, name, chain, top: task.top });
    } else if (chain.length > 0) {
      this.#report(rel, "note", "special-file", {
        detail: "not listed: it is not a regular file",
        hint:
          "Pipes, sockets and devices are not served; a skill that holds one does not run.",
      }, chain.at(-1));
    }
  }

  #report(
    path: string,
    severity: Draft["severity"],
    reason: string,
    words: { detail: string; hint: string },
    owner?: Bundle,
  ): void {
    this.#context.log.add({
      root: this.#root,
      path,
      severity,
      reason,
      ...words,
      ...(owner === undefined ? {} : { owner }),
    });
  }
}
