/** The catalogue, once it is known where its roots lie. */

import {
  Catalog,
  type FindOptions,
  type ProgressListener,
  type RescanOptions,
} from "../catalog/catalog.ts";
import type { Result } from "../base/refusal.ts";
import type { NativeSkills } from "../catalog/native.ts";
import type { ScanFs } from "../catalog/scan_fs.ts";
import type { Skill, Snapshot } from "../catalog/types.ts";
import type { Config, SkillRoot } from "../config/types.ts";
import type { Account } from "../os/types.ts";
import type { CacheDir } from "../fence/cache_dir.ts";
import type { Carried } from "../fence/carried.ts";
import { unpackTree } from "../fence/unpack_tree.ts";
import type { CatalogDoor } from "./engine_types.ts";

/** What an executable carries, and where it may unpack it. */
export interface Unpacking {
  readonly carried: Carried | undefined;
  readonly cache: CacheDir;
  /** The account that must be able to read what is unpacked. */
  readonly account: () => Promise<Result<Account | undefined>>;
  /** What scans read through. Default: the disk. */
  readonly fs?: ScanFs;
  /** Looks for skills that the connected client has itself. */
  readonly native?: (() => NativeSkills) | undefined;
  /** Absolute paths of the directories that people work in, at each scan. */
  readonly workspaces?: (() => Promise<readonly string[]>) | undefined;
}

/**
 * A catalogue over the configured roots. Skills that come inside the executable
 * are unpacked first: scripts cannot see into it.
 */
export class RootedCatalog implements CatalogDoor {
  readonly #config: Config;
  readonly #unpacking: Unpacking;
  readonly #notes: string[] = [];
  #opened: Promise<Catalog> | undefined;

  constructor(config: Config, unpacking: Unpacking) {
    this.#config = config;
    this.#unpacking = unpacking;
  }

  /** What did not work on the way, in words. */
  notes(): readonly string[] {
    return this.#notes;
  }

  async snapshot(onProgress?: ProgressListener): Promise<Snapshot> {
    return await (await this.#catalog()).snapshot(onProgress);
  }

  async rescan(options?: RescanOptions): Promise<Snapshot> {
    return await (await this.#catalog()).rescan(options);
  }

  async find(
    name: string,
    options?: FindOptions,
  ): Promise<Result<Skill>> {
    return await (await this.#catalog()).find(name, options);
  }

  /** Names of the skills that match, best first. */
  async rank(query: string): Promise<readonly string[]> {
    return await (await (await this.#catalog()).search()).rank(query);
  }

  #catalog(): Promise<Catalog> {
    return this.#opened ??= this.#open();
  }

  async #open(): Promise<Catalog> {
    return new Catalog({
      roots: await this.#roots(),
      limits: { skills: this.#config.maxSkills },
      ...(this.#unpacking.fs === undefined ? {} : { fs: this.#unpacking.fs }),
      native: this.#unpacking.native,
      workspaces: this.#unpacking.workspaces,
      skipNative: this.#config.skipNative,
    });
  }

  async #roots(): Promise<readonly SkillRoot[]> {
    const { roots, rootsFrom } = this.#config;
    const { carried, cache, account } = this.#unpacking;
    const [bundled] = roots;
    if (rootsFrom !== "bundled" || carried === undefined || !bundled) {
      return roots;
    }
    const scripts = await account();
    const place = await cache.reachable(scripts.ok ? scripts.value : undefined);
    const unpacked = place.ok
      ? await unpackTree(bundled.path, carried.skillsSha256, place.value.path)
      : place;
    if (unpacked.ok) return [{ ...bundled, path: unpacked.value }];
    this.#notes.push(
      `The bundled skills are not served: ${unpacked.message} ${unpacked.hint}`,
    );
    return [];
  }
}
