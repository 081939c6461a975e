/**
 * The directories under watch, each by itself. Not recursively: that would put
 * a watch on everything below `node_modules` and other passed-over directories,
 * in one call that holds up the server.
 *
 * Facts of Deno 2.9.6 that shape this (measured, Linux): all watches of a
 * process share one descriptor; an event goes to every watcher of which some
 * path is a prefix of the event's, looked for in order, at about 50 us a path;
 * a path is watched once however many watchers name it, and one that was
 * deleted and made again is not watched again until all of them are closed,
 * which takes a moment where somebody listens.
 * So one watcher of the top directories hears of everything, and the others
 * name a top first and are not listened to.
 */

import { dirname } from "node:path";
import type { OpenWatch, WatchEffects, WatchEvent } from "./effects.ts";
import { whyUnwatched } from "./reasons.ts";

/** Directories armed in one go, about 10 ms of work. */
const CHUNK = 128;

/** Milliseconds until a closed watcher has let go of its paths. */
const REST_MS = 50;

/** Who hears of what. */
export interface ArmsEvents {
  onEvent(event: WatchEvent): void;
  /** Watching ended by itself. */
  onLost(reason: string): void;
}

interface Chunk {
  readonly paths: ReadonlySet<string>;
  readonly watch: OpenWatch;
}

/** The watches. */
export class Arms {
  readonly #effects: WatchEffects;
  readonly #events: ArmsEvents;
  #tops: readonly string[] = [];
  #main: OpenWatch | undefined;
  readonly #chunks = new Set<Chunk>();
  /** The identity each directory had when it was armed. */
  readonly #armed = new Map<string, string>();
  /** Directories that went, or whose place was taken. */
  readonly #gone = new Set<string>();
  #closed = false;

  constructor(effects: WatchEffects, events: ArmsEvents) {
    this.#effects = effects;
    this.#events = events;
  }

  /**
   * Watches the top directories (real paths) anew; what lay below them is to be
   * covered again. Returns why it failed, with the ones that are not watched.
   */
  async open(tops: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const failed = new Map<string, string>();
    const opened = this.#main !== undefined;
    this.#release();
    if (opened) await pause(REST_MS);
    this.#tops = tops;
    if (tops.length === 0 || this.#closed) return failed;
    const kept: string[] = [];
    for (const top of tops) {
      // One by one first: one that fails must not take the others with it.
      try {
        this.#effects.watch([top]).close();
        kept.push(top);
      } catch (error) {
        failed.set(top, whyUnwatched(error));
      }
    }
    this.#tops = kept;
    if (kept.length === 0) return failed;
    try {
      this.#main = this.#effects.watch(kept);
    } catch (error) {
      for (const top of kept) failed.set(top, whyUnwatched(error));
      this.#tops = [];
      return failed;
    }
    void this.#listen(this.#main);
    return failed;
  }

  /**
   * Watches exactly these directories besides the tops. Pauses on the way.
   * Returns which are newly watched, and why the rest is not.
   */
  async cover(
    directories: ReadonlySet<string>,
    options: { readonly verify: boolean },
  ): Promise<{ added: string[]; failed: ReadonlyMap<string, string> }> {
    if (options.verify) await this.#verify();
    if (this.#drop(directories)) await pause(REST_MS);
    const tops = new Set(this.#tops);
    const missing = [...directories].filter((path) =>
      !this.#armed.has(path) && !tops.has(path)
    );
    const added: string[] = [];
    const failed = new Map<string, string>();
    if (this.#main === undefined) return { added, failed };
    const main = this.#main;
    for (let at = 0; at < missing.length; at += CHUNK) {
      if (this.#closed || this.#main !== main) break;
      const paths = missing.slice(at, at + CHUNK);
      const reason = this.#arm(paths, added);
      if (reason !== undefined) {
        for (const path of missing.slice(at)) {
          if (!this.#armed.has(path)) failed.set(path, reason);
        }
        break;
      }
      await pause(0);
    }
    return { added, failed };
  }

  /** Notes a directory that went or was replaced, and all below it. */
  gone(path: string): void {
    this.#gone.add(path);
  }

  /** Whether this directory is one of those watched, the tops excepted. */
  has(path: string): boolean {
    return this.#armed.has(path);
  }

  /** Ends all watches, at once. */
  close(): void {
    this.#closed = true;
    this.#release();
  }

  #release(): void {
    this.#main?.close();
    this.#main = undefined;
    for (const { watch } of this.#chunks) watch.close();
    this.#chunks.clear();
    this.#armed.clear();
    this.#gone.clear();
  }

  /** Notes directories that others have replaced without a word. */
  async #verify(): Promise<void> {
    let looked = 0;
    for (const [path, identity] of [...this.#armed]) {
      if (this.#identity(path) !== identity) this.#gone.add(path);
      if (++looked % CHUNK === 0) await pause(0);
    }
  }

  /** Lets go of chunks that hold what is gone or not wanted any more. */
  #drop(wanted: ReadonlySet<string>): boolean {
    const before = this.#chunks.size;
    const gone = new Set(this.#gone);
    this.#gone.clear();
    const stale = (path: string): boolean =>
      !wanted.has(path) || (gone.size > 0 && isBelowAny(path, gone));
    for (const chunk of this.#chunks) {
      if (![...chunk.paths].some(stale)) continue;
      chunk.watch.close();
      this.#chunks.delete(chunk);
      for (const path of chunk.paths) this.#armed.delete(path);
    }
    return this.#chunks.size < before;
  }

  /** Arms what still is a directory; returns why that is not possible. */
  #arm(paths: readonly string[], added: string[]): string | undefined {
    const there = new Map<string, string>();
    for (const path of paths) {
      const identity = this.#identity(path);
      if (identity !== undefined) there.set(path, identity);
    }
    if (there.size === 0) return undefined;
    const top = this.#tops[0]!;
    try {
      const watch = this.#effects.watch([top, ...there.keys()]);
      this.#chunks.add({ paths: new Set(there.keys()), watch });
    } catch (error) {
      // One that went in between must not cost the others their watch.
      if (!(error instanceof Deno.errors.NotFound)) return whyUnwatched(error);
      if (there.size === 1) return undefined;
      const names = [...there.keys()];
      const half = names.length >> 1;
      return this.#arm(names.slice(0, half), added) ??
        this.#arm(names.slice(half), added);
    }
    for (const [path, identity] of there) {
      this.#armed.set(path, identity);
      added.push(path);
    }
    return undefined;
  }

  #identity(path: string): string | undefined {
    try {
      return this.#effects.identity(path);
    } catch {
      return undefined;
    }
  }

  async #listen(watch: OpenWatch): Promise<void> {
    let reason = "the system ended the watch";
    try {
      for await (const event of watch) {
        if (this.#main !== watch) return;
        this.#events.onEvent(event);
      }
    } catch (error) {
      reason = whyUnwatched(error);
    }
    if (this.#main !== watch || this.#closed) return;
    this.#release();
    this.#events.onLost(reason);
  }
}

/** Whether a path, or a directory that it lies in, is one of these. */
function isBelowAny(path: string, directories: ReadonlySet<string>): boolean {
  for (let at = path;;) {
    if (directories.has(at)) return true;
    const parent = dirname(at);
    if (parent === at) return false;
    at = parent;
  }
}

/** Lets everything else that waits have its turn. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
