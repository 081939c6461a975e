/** The context files, looked for when first needed and kept while they stand. */

import { diskFs, type ScanFs } from "../../catalog/scan_fs.ts";
import type { ContextFiles } from "../types.ts";
import {
  findAll,
  type FindOptions,
  forClient,
  type FoundContext,
} from "./find.ts";

/** What a store needs to know. */
export interface ContextStoreOptions extends FindOptions {
  /** Absolute, the first wins; asked at each use, since a client may change them. */
  readonly workspaces: () => readonly string[] | Promise<readonly string[]>;
}

/** Holds what was found. A use costs one `stat` per directory walked. */
export class ContextStore {
  readonly #options: ContextStoreOptions;
  readonly #fs: ScanFs;
  #known: { readonly of: string; readonly found: FoundContext } | undefined;
  #running: Promise<FoundContext> | undefined;
  #runningOf = "";

  constructor(options: ContextStoreOptions) {
    this.#fs = options.fs ?? diskFs();
    this.#options = { ...options, fs: this.#fs };
  }

  /** The context files as they are on disk now, for the client of this name. */
  async current(client: string | undefined): Promise<ContextFiles> {
    const workspaces = await this.#options.workspaces();
    const of = JSON.stringify(workspaces);
    const known = this.#known;
    const found = known?.of === of && known.found.stamps.stand()
      ? known.found
      : await this.#find(workspaces, of);
    return forClient(found, client, this.#fs);
  }

  /** Looks again at the next use, as after a watcher's word or a reload. */
  forget(): void {
    this.#known = undefined;
    this.#running = undefined;
  }

  /** Uses that come together share one search. */
  async #find(
    workspaces: readonly string[],
    of: string,
  ): Promise<FoundContext> {
    if (this.#running === undefined || this.#runningOf !== of) {
      this.#runningOf = of;
      this.#running = findAll(workspaces, this.#options);
    }
    const running = this.#running;
    try {
      const found = await running;
      // Forgotten meanwhile: it may be older than what forgot it.
      if (this.#running === running) this.#known = { of, found };
      return found;
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }
}
