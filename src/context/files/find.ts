/** From workspaces to the context files of one client. */

import { Pacer } from "../../base/pacer.ts";
import { joined, SEPARATOR } from "../../base/place.ts";
import { diskFs, type ScanFs, whyFailed } from "../../catalog/scan_fs.ts";
import type { ContextFile, ContextFiles, LeftContext } from "../types.ts";
import { loadedBy } from "./clients.ts";
import { readContextFile } from "./read.ts";
import { Stamps } from "./stamps.ts";
import {
  type Candidate,
  WALK_LIMITS,
  type WalkLimits,
  walkWorkspace,
} from "./walk.ts";

/** How context files are looked for. */
export interface FindOptions {
  /** Further dialects, by the words of `SKILLFENCE_CONTEXT`. */
  readonly dialects?: readonly string[];
  /** Stands in for the disk in tests. */
  readonly fs?: ScanFs;
  readonly limits?: WalkLimits;
}

/** One file with the paths that lead to it. */
interface FoundFile {
  readonly file: ContextFile;
  /** Paths below the workspace, the file's own first, with their scopes. */
  readonly ways: { readonly path: string; readonly scope: string }[];
  /** It lies in the workspace that the client works in. */
  readonly isFirst: boolean;
}

/** What lies in the workspaces, whoever asks. */
export interface FoundContext {
  readonly files: readonly FoundFile[];
  readonly skipped: readonly LeftContext[];
  readonly problems: readonly LeftContext[];
  /** Real path of the first workspace; undefined: it has none. */
  readonly first: string | undefined;
  /** What this rests on. */
  readonly stamps: Stamps;
}

/**
 * The context files of `workspaces` (absolute, the first wins) for the client
 * of this name. Never throws for what lies on disk: what cannot be read is a
 * problem. What the client loads by itself is left out and said.
 */
export async function findContextFiles(
  workspaces: readonly string[],
  options: FindOptions & { readonly client?: string | undefined },
): Promise<ContextFiles> {
  const { fs = diskFs() } = options;
  return forClient(await findAll(workspaces, options), options.client, fs);
}

/** All context files of the workspaces, for any client. */
export async function findAll(
  workspaces: readonly string[],
  options: FindOptions,
): Promise<FoundContext> {
  return await new Search(options).run(workspaces);
}

/** Those of them that a client does not load by itself. */
export function forClient(
  { files, skipped, problems, first }: FoundContext,
  client: string | undefined,
  fs: ScanFs,
): ContextFiles {
  const loads = loadedBy(client, (path) => isThere(fs, first, path));
  const kept: ContextFile[] = [];
  const left: LeftContext[] = [...skipped];
  for (const { file, ways, isFirst } of files) {
    // A client loads what lies where it works; other workspaces are ours to tell.
    if (!isFirst || !ways.some(loads)) {
      kept.push(file);
      continue;
    }
    const { path, workspace } = file;
    left.push({ path, workspace, why: `${client} loads it itself` });
  }
  return { files: kept, skipped: left, problems };
}

class Search {
  readonly #fs: ScanFs;
  readonly #options: FindOptions;
  readonly #stamps: Stamps;
  readonly #pacer = new Pacer();
  readonly #files: FoundFile[] = [];
  readonly #seen = new Map<string, FoundFile>();
  readonly #skipped: LeftContext[] = [];
  readonly #problems: LeftContext[] = [];

  constructor(options: FindOptions) {
    this.#options = options;
    this.#fs = options.fs ?? diskFs();
    this.#stamps = new Stamps(this.#fs);
  }

  async run(workspaces: readonly string[]): Promise<FoundContext> {
    const walked = new Set<string>();
    let first: string | undefined;
    for (const [index, workspace] of workspaces.entries()) {
      const real = this.#open(workspace);
      if (index === 0) first = real;
      if (real === undefined || walked.has(real)) continue;
      walked.add(real);
      await this.#workspace(real, real === first);
    }
    return {
      files: this.#files,
      skipped: this.#skipped,
      problems: this.#problems,
      first,
      stamps: this.#stamps,
    };
  }

  #open(workspace: string): string | undefined {
    this.#stamps.note(workspace);
    try {
      const real = this.#fs.realPath(workspace);
      if (this.#fs.stat(real).isDirectory) return real;
      this.#problem("", workspace, "the workspace is not a directory");
    } catch (error) {
      this.#problem("", workspace, `the workspace: ${whyFailed(error)}`);
    }
    return undefined;
  }

  async #workspace(workspace: string, isFirst: boolean): Promise<void> {
    const { dialects = [], limits = WALK_LIMITS } = this.#options;
    const { candidates, unreadable, bound } = await walkWorkspace(workspace, {
      fs: this.#fs,
      dialects,
      limits,
      pacer: this.#pacer,
      stamps: this.#stamps,
    });
    for (const { path, why } of unreadable) {
      this.#problem(path, workspace, why);
    }
    const kinds = new Map<string, string>();
    for (const candidate of candidates) {
      this.#candidate(candidate, workspace, isFirst, kinds);
    }
    if (bound !== undefined) {
      this.#problem("", workspace, `${bound} were looked at`);
    }
  }

  #candidate(
    { abs, path, name, scope, kind }: Candidate,
    workspace: string,
    isFirst: boolean,
    kinds: Map<string, string>,
  ): void {
    this.#stamps.note(abs);
    const read = readContextFile(abs, workspace, this.#fs);
    if (!read.ok) return this.#problem(path, workspace, read.message);
    const { realPath, identity, text } = read.value;
    const same = this.#seen.get(identity);
    if (same !== undefined) {
      if (same.file.workspace === workspace) same.ways.push({ path, scope });
      this.#skipped.push({
        path,
        workspace,
        why: `it is the same file as ${same.file.path}`,
      });
      return;
    }
    const place = `${scope}\0${kind}`;
    const other = kind === undefined ? undefined : kinds.get(place);
    if (other !== undefined) {
      return this.#problem(
        path,
        workspace,
        `${other} beside it comes first: one of a kind counts`,
      );
    }
    kinds.set(place, name);
    const file = { fileName: name, realPath, path, workspace, scope, text };
    const found = { file, ways: [{ path, scope }], isFirst };
    this.#files.push(found);
    this.#seen.set(identity, found);
  }

  #problem(path: string, workspace: string, why: string): void {
    this.#problems.push({ path, workspace, why });
  }
}

function isThere(
  fs: ScanFs,
  workspace: string | undefined,
  path: string,
): boolean {
  if (workspace === undefined) return false;
  try {
    fs.stat(joined(workspace, path.split("/").join(SEPARATOR)));
    return true;
  } catch {
    return false;
  }
}
