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
 * name a top first and are not listened to. Opening and closing can take as
 * long as a burst of events (`calm.ts`): in one, what is to be done waits.
 */

import { Armed } from "./armed.ts";
import type { Calm } from "./calm.ts";
import type { OpenWatch, WatchEffects, WatchEvent } from "./effects.ts";
import { pause } from "../base/pause.ts";
import { whyUnwatched } from "./reasons.ts";

/** Directories armed in one go, about 10 ms of work. */
const CHUNK = 128;

/** Milliseconds until a closed watcher has let go of its paths. */
const REST_MS = 50;

/** Milliseconds between looks at whether watches can be closed at last. */
const CLOSE_MS = 500;

/** Who hears of what. */
export interface ArmsEvents {
  onEvent(event: WatchEvent): void;
  /** Watching ended by itself. */
  onLost(reason: string): void;
}

/** What came of covering directories. */
export interface Covered {
  /** Newly watched. */
  readonly added: readonly string[];
  /** Not watched, and why. */
  readonly failed: ReadonlyMap<string, string>;
  /** Left for when events come less thick: to be watched, or let go of. */
  readonly postponed: ReadonlySet<string>;
}

/** The watches. */
export class Arms {
  readonly #effects: WatchEffects;
  readonly #events: ArmsEvents;
  readonly #calm: Calm;
  #tops: readonly string[] = [];
  #main: OpenWatch | undefined;
  readonly #armed = new Armed();
  #closed = false;

  constructor(effects: WatchEffects, events: ArmsEvents, calm: Calm) {
    this.#effects = effects;
    this.#calm = calm;
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
        this.#end(this.#watch([top]));
        kept.push(top);
      } catch (error) {
        failed.set(top, whyUnwatched(error));
      }
    }
    this.#tops = kept;
    if (kept.length === 0) return failed;
    try {
      this.#main = this.#watch(kept);
    } catch (error) {
      for (const top of kept) failed.set(top, whyUnwatched(error));
      this.#tops = [];
      return failed;
    }
    void this.#listen(this.#main);
    return failed;
  }

  /**
   * Watches exactly these directories besides the tops. Pauses on the way, and
   * leaves for later what a burst of events would make take long.
   */
  async cover(
    directories: ReadonlySet<string>,
    options: { readonly verify: boolean },
  ): Promise<Covered> {
    if (options.verify) await this.#verify();
    const added: string[] = [];
    const failed = new Map<string, string>();
    const main = this.#main;
    const missing = () => this.#armed.missing(directories, this.#tops);
    const todo = () =>
      new Set([...missing(), ...this.#armed.stale(directories)]);
    const done = { added, failed, postponed: new Set<string>() };
    if (main === undefined || todo().size === 0) return done;
    const before = new Map(
      missing().map((path) => [path, this.#touched(path)]),
    );
    if (!await this.#calm.comes()) return { ...done, postponed: todo() };
    const stale = this.#armed.drop(directories);
    for (const watch of stale) this.#end(watch);
    if (stale.length > 0) await pause(REST_MS);
    // What is in a burst begins to be heard amid the call, which then waits.
    const hot = new Set(
      [...before].filter(([path, at]) => this.#touched(path) !== at).map((
        [path],
      ) => path),
    );
    const wanted = missing().filter((path) => !hot.has(path));
    for (let at = 0; at < wanted.length; at += CHUNK) {
      if (this.#closed || this.#main !== main) break;
      if (!this.#calm.ready()) return { ...done, postponed: todo() };
      const paths = wanted.slice(at, at + CHUNK);
      const reason = this.#arm(paths, added);
      if (reason !== undefined) {
        for (const path of wanted.slice(at)) {
          if (!this.#armed.has(path)) failed.set(path, reason);
        }
        break;
      }
      await pause(0);
    }
    return { ...done, postponed: hot };
  }

  /** Whether the tops are watched. */
  get opened(): boolean {
    return this.#main !== undefined;
  }

  /** Notes a directory that went or was replaced, and all below it. */
  gone(path: string): void {
    this.#armed.gone(path);
  }

  /** Whether this directory is one of those watched, the tops excepted. */
  has(path: string): boolean {
    return this.#armed.has(path);
  }

  /** Ends all watches, at once; in a burst nobody hears of them, and soon. */
  close(): void {
    this.#closed = true;
    if (this.#calm.busy()) this.#effects.after(CLOSE_MS, () => this.close());
    else this.#release();
  }

  #watch(paths: readonly string[]): OpenWatch {
    return this.#calm.timed(() => this.#effects.watch(paths));
  }

  #end(watch: OpenWatch): void {
    this.#calm.timed(() => watch.close());
  }

  #release(): void {
    if (this.#main !== undefined) this.#end(this.#main);
    this.#main = undefined;
    for (const watch of this.#armed.clear()) this.#end(watch);
  }

  /** Notes directories that others have replaced without a word. */
  async #verify(): Promise<void> {
    let looked = 0;
    for (const [path, identity] of this.#armed.identities()) {
      if (this.#identity(path) !== identity) this.#armed.gone(path);
      if (++looked % CHUNK === 0) await pause(0);
    }
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
      this.#armed.add(this.#watch([top, ...there.keys()]), there);
    } catch (error) {
      // One that went in between must not cost the others their watch.
      if (!(error instanceof Deno.errors.NotFound)) return whyUnwatched(error);
      if (there.size === 1) return undefined;
      const names = [...there.keys()];
      const half = names.length >> 1;
      return this.#arm(names.slice(0, half), added) ??
        this.#arm(names.slice(half), added);
    }
    added.push(...there.keys());
    return undefined;
  }

  #touched(path: string): number | undefined {
    try {
      return this.#effects.touched(path);
    } catch {
      return undefined;
    }
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
        this.#calm.heard();
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
