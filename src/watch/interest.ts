/**
 * Whether an event may be about something served. What a scan passes over
 * (hidden names, `node_modules`, ignored paths) never wakes one.
 */

import { hiddenByName } from "../catalog/hidden.ts";
import { IGNORE_FILES, IgnoreRules } from "../catalog/ignore_rules.ts";
import { DEFAULT_LIMITS } from "../catalog/limits.ts";
import { below, childOf, isWithin, joined } from "../base/place.ts";
import type { ScanFs } from "../catalog/scan_fs.ts";

/** Judges the paths of one root. */
export class Interest {
  readonly #rootDir: string;
  readonly #fs: ScanFs;
  /** Rules in force inside a directory; undefined: it is passed over. */
  #rules = new Map<string, IgnoreRules | undefined>();

  /** `rootDir` is the root's real path. */
  constructor(rootDir: string, fs: ScanFs) {
    this.#rootDir = rootDir;
    this.#fs = fs;
  }

  /** Whether an absolute path is the root, or below it and not passed over. */
  matters(path: string): boolean {
    if (path === this.#rootDir) return true;
    if (!isWithin(path, this.#rootDir)) return false;
    const segments = below(path, this.#rootDir).split("/");
    const name = segments.pop()!;
    const directory = segments.join("/");
    const rules = this.#inside(directory);
    if (rules === undefined) return false;
    if (IGNORE_FILES.includes(name)) return true;
    if (hiddenByName(name) !== undefined) return false;
    const verdict = rules.judge(
      childOf(directory, name),
      this.#isDirectory(path),
    );
    return verdict.hiddenBy === undefined;
  }

  /** Reads ignore files again; called when a rescan reads them too. */
  forget(): void {
    this.#rules = new Map();
  }

  #inside(rel: string): IgnoreRules | undefined {
    if (this.#rules.has(rel)) return this.#rules.get(rel);
    const rules = this.#read(rel);
    this.#rules.set(rel, rules);
    return rules;
  }

  #read(rel: string): IgnoreRules | undefined {
    let outside = IgnoreRules.NONE;
    if (rel !== "") {
      const at = rel.lastIndexOf("/");
      const around = this.#inside(at < 0 ? "" : rel.slice(0, at));
      if (around === undefined) return undefined;
      if (hiddenByName(rel.slice(at + 1)) !== undefined) return undefined;
      const verdict = around.judge(rel, true);
      if (verdict.hiddenBy !== undefined) return undefined;
      outside = verdict.inside;
    }
    const texts = IGNORE_FILES.flatMap((name) => {
      const path = childOf(rel, name);
      const text = this.#text(joined(this.#rootDir, path));
      return text === undefined ? [] : [{ path, text }];
    });
    return texts.length === 0 ? outside : outside.extend(rel, texts, () => {});
  }

  #text(path: string): string | undefined {
    try {
      const { bytes } = this.#fs.readStart(
        path,
        DEFAULT_LIMITS.ignoreFileBytes,
      );
      return new TextDecoder().decode(bytes);
    } catch {
      // Most directories have none; the scan reports one that is unreadable.
      return undefined;
    }
  }

  #isDirectory(path: string): boolean {
    try {
      return this.#fs.lstat(path).isDirectory;
    } catch {
      // Gone: a file's rules wake a scan too often rather than too rarely.
      return false;
    }
  }
}
