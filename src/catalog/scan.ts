/** One scan of all roots: walk, follow links, name, settle, read. */

import { basename } from "node:path";
import { aliasesOf, type AliasSource } from "./aliases.ts";
import { assemble } from "./assemble.ts";
import type { Bundle } from "./bundle.ts";
import { filterBundles } from "./filter.ts";
import { DEFAULT_LIMITS, type ScanLimits } from "./limits.ts";
import { followLinks } from "./links.ts";
import { nameBundles, Naming } from "./naming.ts";
import { keepBesideNative, type NativeSkills } from "./native.ts";
import {
  noteEmpty,
  type OpenedRoot,
  openRoots,
  type ScannedRoot,
} from "./open_roots.ts";
import { Pacer } from "../base/pacer.ts";
import { ProblemLog } from "./problem_log.ts";
import { diskFs, type ScanFs } from "./scan_fs.ts";
import { type Named, noteLookalikes, settle } from "./settle.ts";
import { ScanMemory } from "./scan_memory.ts";
import type { Ground } from "./shared_files.ts";
import type { TopLevel } from "./top_level.ts";
import type { SharedFile, Snapshot } from "./types.ts";
import { walkRoot } from "./walk.ts";

/** How far a scan is. */
export interface ScanProgress {
  /** Directories walked. */
  readonly directories: number;
  /** Skills read, and to be read; `total` is 0 while the tree is walked. */
  readonly skills: number;
  readonly total: number;
}

/** What a scan may be given besides its roots. */
export interface ScanOptions {
  readonly limits?: Partial<ScanLimits>;
  /** Called at each pause, about every 30 ms of work. */
  readonly onProgress?: ((progress: ScanProgress) => void) | undefined;
  /** What earlier scans of the same roots, with the same options, found. */
  readonly memory?: ScanMemory;
  /** Absolute paths that may have moved since; undefined: any. */
  readonly hints?: readonly string[] | undefined;
  /** Stands in for the disk in tests. */
  readonly fs?: ScanFs;
  /** Looks for skills that the connected client has itself. */
  readonly native?: (() => NativeSkills) | undefined;
  /** Leave those out; otherwise they are noted. */
  readonly skipNative?: boolean;
  /**
   * Absolute paths of the directories that people work in, the first wins;
   * asked for at each scan.
   */
  readonly workspaces?: (() => Promise<readonly string[]>) | undefined;
}

/**
 * Scans `roots`, in order of precedence. Never throws for what lies on disk:
 * whatever is wrong is a problem of the snapshot.
 */
export async function scanRoots(
  roots: readonly ScannedRoot[],
  options: ScanOptions = {},
): Promise<Snapshot> {
  return await new Scan(roots, options).run();
}

class Scan {
  readonly #limits: ScanLimits;
  readonly #fs: ScanFs;
  readonly #log = new ProblemLog();
  readonly #pacer = new Pacer();
  readonly #onProgress: (progress: ScanProgress) => void;
  readonly #roots: readonly ScannedRoot[];
  readonly #asked: Pick<ScanOptions, "native" | "skipNative" | "workspaces">;
  readonly #bundles: Bundle[] = [];
  readonly #links: AliasSource[] = [];
  readonly #grounds = new Map<number, Ground>();
  readonly #tops = new Map<number, TopLevel>();
  readonly #memory: ScanMemory;
  readonly #hints: readonly string[] | undefined;
  #walked = 0;

  constructor(roots: readonly ScannedRoot[], options: ScanOptions) {
    this.#roots = roots;
    this.#asked = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#fs = options.fs ?? diskFs();
    this.#memory = options.memory ?? new ScanMemory();
    this.#hints = options.hints;
    this.#onProgress = options.onProgress ?? (() => {});
  }

  async run(): Promise<Snapshot> {
    const workspaces = await this.#asked.workspaces?.() ?? [];
    const opened = openRoots(this.#roots, workspaces, {
      fs: this.#fs,
      log: this.#log,
    });
    for (const [index, root] of opened.entries()) {
      if (!root.skipped) await this.#walk(index, root);
    }
    const settled = this.#besideNative(
      settle(this.#bundles, this.#log, this.#limits.skills),
    );
    const { skills, shared } = await assemble(settled, {
      fs: this.#fs,
      limits: this.#limits,
      log: this.#log,
      pacer: this.#pacer,
      memory: this.#memory,
      grounds: this.#grounds,
      onPause: (done) => this.#tell(done, settled.length),
    });
    const served = settled.filter(({ name }) => skills.has(name));
    noteLookalikes(served, this.#log);
    const taken = this.#bundles.flatMap(({ name }) => name ?? []);
    const aliases = aliasesOf(
      this.#links,
      { served, taken },
      this.#log,
      this.#limits.aliases,
    );
    this.#noteUseless(shared.values());
    noteEmpty(opened, served, this.#log);
    const roots = opened.map(({ state }) => state);
    const problems = this.#log.close(roots);
    this.#memory.end(shared);
    return { roots, skills, aliases, problems, shared };
  }

  #besideNative(bundles: Named[]): Named[] {
    const { native, skipNative } = this.#asked;
    if (native === undefined) return bundles;
    return keepBesideNative(bundles, {
      native: native(),
      skip: skipNative === true,
      fs: this.#fs,
      log: this.#log,
    });
  }

  #inoOf(rootDir: string): number | null {
    try {
      return this.#fs.stat(rootDir).ino;
    } catch {
      // Gone meanwhile: the walk will say so.
      return null;
    }
  }

  async #walk(root: number, opened: OpenedRoot): Promise<void> {
    const { path, realPath, workspace } = opened.state;
    const rootDir = realPath!;
    const before = this.#walked;
    const ino = this.#inoOf(rootDir);
    const context = {
      root,
      rootDir,
      flat: opened.root.flat,
      fs: this.#fs,
      limits: this.#limits,
      log: this.#log,
      pacer: this.#pacer,
      memory: this.#memory.walkOf(
        root,
        { path, realPath: rootDir, ino, workspace },
        this.#hints,
      ),
      onPause: (directories: number) => {
        this.#walked = before + directories;
        this.#tell(0, 0);
      },
    };
    const findings = await walkRoot(root, rootDir, context);
    const links = await followLinks(findings, context);
    this.#grounds.set(root, { root, rootDir, workspace, findings });
    const naming = new Naming(
      basename(rootDir),
      findings.claims,
      workspace !== undefined,
    );
    const named = nameBundles(findings.bundles, naming, this.#log);
    this.#bundles.push(...filterBundles(named, opened.root, root, this.#log));
    for (const link of [...findings.aliases, ...links]) {
      this.#links.push({ root, naming, link });
    }
    this.#tops.set(root, findings.tops);
  }

  #noteUseless(shared: Iterable<SharedFile>): void {
    const files = [...shared];
    for (const [root, tops] of this.#tops) {
      const here = files.flatMap(({ rootIndex, path }) =>
        rootIndex === root ? path : []
      );
      for (const problem of tops.problems(root, here)) this.#log.add(problem);
    }
  }

  #tell(skills: number, total: number): void {
    this.#onProgress({ directories: this.#walked, skills, total });
  }
}
