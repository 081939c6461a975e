/**
 * Skills that the connected client has itself: found in its own folders, by
 * name, by the digest of SKILL.md, or because a link there leads to ours. Only
 * read, bounded, and no link is followed.
 */

import { sha256 } from "../base/digest.ts";
import { counted, listed } from "../base/text.ts";
import { decodeUtf8 } from "../base/utf8.ts";
import { parseFrontmatter, splitFrontmatter } from "../skill/frontmatter.ts";
import { foldName } from "../skill/names.ts";
import type { NativeFolder } from "./native_folders.ts";
import { childOf, joined } from "../base/place.ts";
import type { ProblemLog } from "./problem_log.ts";
import type { ScanFs } from "./scan_fs.ts";
import type { Named } from "./settle.ts";

const SKILL_FILE = "SKILL.md";

/** Bounds of one look at the folders. */
export interface NativeLimits {
  /** Entries looked at per folder. */
  readonly entries: number;
  /** Directories between a folder and a skill's. */
  readonly depth: number;
  /** Bytes of a SKILL.md; of a longer one only the name counts. */
  readonly fileBytes: number;
}

const NATIVE_LIMITS: NativeLimits = {
  entries: 5_000,
  depth: 3,
  fileBytes: 256 * 1024,
};

/** What the folders hold, each with the label of its folder. */
export interface NativeSkills {
  /** Folded names, by directory and by frontmatter. */
  readonly names: ReadonlyMap<string, string>;
  /** Digests of SKILL.md files. */
  readonly digests: ReadonlyMap<string, string>;
  /** Sizes in bytes of those files: no other size can have their digest. */
  readonly sizes: ReadonlySet<number>;
  /** Real paths that links in the folders lead to. */
  readonly linked: ReadonlyMap<string, string>;
}

/** Looks into the folders. Never throws; what cannot be read holds nothing. */
export function findNative(
  folders: readonly NativeFolder[],
  fs: ScanFs,
  limits: NativeLimits = NATIVE_LIMITS,
): NativeSkills {
  const found: Found = {
    names: new Map(),
    digests: new Map(),
    sizes: new Set(),
    linked: new Map(),
  };
  for (const folder of folders) new Look(folder, fs, limits, found).run();
  return found;
}

/** What is found, while it is being found. */
interface Found {
  readonly names: Map<string, string>;
  readonly digests: Map<string, string>;
  readonly sizes: Set<number>;
  readonly linked: Map<string, string>;
}

/** One look into one folder. */
class Look {
  readonly #folder: NativeFolder;
  readonly #fs: ScanFs;
  readonly #limits: NativeLimits;
  readonly #found: Found;
  #entries = 0;

  constructor(
    folder: NativeFolder,
    fs: ScanFs,
    limits: NativeLimits,
    found: Found,
  ) {
    this.#folder = folder;
    this.#fs = fs;
    this.#limits = limits;
    this.#found = found;
  }

  run(): void {
    const real = attempt(() => this.#fs.realPath(this.#folder.path));
    if (real !== undefined) this.#directory(real, "", 0);
  }

  #directory(dir: string, rel: string, depth: number): void {
    const entries = attempt(() => [...this.#bounded(dir)]) ?? [];
    if (rel !== "" && entries.some(isSkillFile)) {
      this.#skill(joined(dir, SKILL_FILE), rel);
      return;
    }
    for (const { name, isDirectory, isSymlink } of entries) {
      if (name.startsWith(".")) continue;
      const path = joined(dir, name);
      if (isSymlink) this.#link(path);
      else if (isDirectory && depth < this.#limits.depth) {
        this.#directory(path, childOf(rel, name), depth + 1);
      }
    }
  }

  *#bounded(dir: string): Iterable<Deno.DirEntry> {
    for (const entry of this.#fs.readDir(dir)) {
      if (++this.#entries > this.#limits.entries) return;
      yield entry;
    }
  }

  /** Where it leads is compared with what is served, and not opened. */
  #link(path: string): void {
    const real = attempt(() => this.#fs.realPath(path));
    if (real !== undefined) set(this.#found.linked, real, this.#folder.label);
  }

  #skill(file: string, rel: string): void {
    const { names, digests, sizes } = this.#found;
    const { label } = this.#folder;
    set(names, foldName(rel), label);
    const start = attempt(() =>
      this.#fs.readStart(file, this.#limits.fileBytes)
    );
    if (start === undefined) return;
    const claimed = claimedName(start.bytes);
    if (claimed !== undefined) set(names, foldName(claimed), label);
    if (start.truncated) return;
    sizes.add(start.bytes.length);
    set(digests, sha256(start.bytes), label);
  }
}

/** What is done with skills that the client has itself. */
export interface NativeRule {
  readonly native: NativeSkills;
  /** Leave them out; otherwise they are served and noted. */
  readonly skip: boolean;
  /** Of the disk that served skills lie on. */
  readonly fs: ScanFs;
  readonly log: ProblemLog;
}

/** The bundles that are served; one note per root tells what is doubled. */
export function keepBesideNative(
  bundles: readonly Named[],
  rule: NativeRule,
): Named[] {
  const doubled = new Map<number, { names: string[]; labels: Set<string> }>();
  const kept: Named[] = [];
  for (const bundle of bundles) {
    const label = labelOf(bundle, rule);
    if (label !== undefined) {
      const row = doubled.get(bundle.root) ?? { names: [], labels: new Set() };
      row.names.push(bundle.name);
      row.labels.add(label);
      doubled.set(bundle.root, row);
    }
    if (label === undefined || !rule.skip) kept.push(bundle);
  }
  for (const [root, { names, labels }] of doubled) {
    const whose = `${counted(names.length)} of its skills ${
      names.length === 1 ? "is" : "are"
    } in the client's own folders too (${[...labels].join(", ")})`;
    rule.log.add({
      root,
      path: "",
      severity: "note",
      reason: "native-skill",
      detail: `${whose}${rule.skip ? ", and left out here" : ""}: ${
        listed(names, 16)
      }`,
      hint: rule.skip
        ? "Start without --skip-native to serve them."
        : "The client shows such a skill twice: --skip-native leaves it out here.",
    });
  }
  return kept;
}

/** The folder that holds a skill too; undefined when none does. */
function labelOf(
  { name, place, skillFile }: Named,
  { native, fs }: NativeRule,
): string | undefined {
  const known = native.names.get(foldName(name)) ?? native.linked.get(place);
  if (known !== undefined || native.sizes.size === 0) return known;
  return attempt(() => {
    if (!native.sizes.has(fs.lstat(skillFile).size)) return undefined;
    const start = fs.readStart(skillFile, NATIVE_LIMITS.fileBytes);
    return start.truncated
      ? undefined
      : native.digests.get(sha256(start.bytes));
  });
}

function claimedName(bytes: Uint8Array): string | undefined {
  const split = splitFrontmatter(decodeUtf8(bytes, { cut: true }).text);
  if (split.kind !== "block") return undefined;
  const read = parseFrontmatter(split.yaml);
  if (!read.ok || !Object.hasOwn(read.values, "name")) return undefined;
  const { name } = read.values;
  return typeof name === "string" ? name.trim() || undefined : undefined;
}

function isSkillFile({ name, isFile }: Deno.DirEntry): boolean {
  return name === SKILL_FILE && isFile;
}

/** The first folder that holds something names it. */
function set(map: Map<string, string>, key: string, label: string): void {
  if (!map.has(key)) map.set(key, label);
}

/** What the file system gives; undefined where it refuses. */
function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
