/**
 * Notices that something may have moved, and how well it can. What moved is for
 * a rescan and its difference to say.
 */

import { basename } from "node:path";
import { IGNORE_FILES } from "../catalog/ignore_rules.ts";
import { diskFs } from "../catalog/scan_fs.ts";
import { isWithin } from "../base/place.ts";
import { Arms } from "./arms.ts";
import { Beside, type WatchedFiles } from "./beside.ts";
import { Burst } from "./burst.ts";
import { Calm } from "./calm.ts";
import type { WatchEvent } from "./effects.ts";
import { QuietWindow } from "./quiet_window.ts";
import { Grounds } from "./grounds.ts";
import { TOO_BUSY } from "./reasons.ts";
import { Timers } from "./timers.ts";
import type { WatchState } from "./types.ts";
import type { WatcherOptions } from "./watcher_options.ts";

/** Milliseconds between looks at whether roots are still where they were. */
export const LOOK_MS = 1_000;
/** Milliseconds until what could not be watched is tried again; doubles. */
export const RETRY_MS = 5_000;
const MOST_RETRY_MS = 5 * 60_000;
/** Milliseconds between looks at whether a burst is over. */
const CALM_MS = 250;
/** Milliseconds between looks at everything while watches wait for that. */
const BLIND_MS = 5_000;

/** The watcher. Armed by `start`, told of directories by `cover`. */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #calm: Calm;
  readonly #arms: Arms;
  readonly #window: QuietWindow;
  readonly #grounds: Grounds;
  readonly #beside: Beside;
  readonly #timers: Timers;
  #directories: ReadonlySet<string> = new Set();
  readonly #burst: Burst;
  /** A root went, or something took its place, since the watches were opened. */
  #replaced = false;
  #retryMs = RETRY_MS;
  /** The watches are to be opened anew once a burst is over. */
  #reopen = false;
  #opening: Promise<void> = Promise.resolve();
  #started = false;
  #closed = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#grounds = new Grounds(
      options.targets,
      options.effects,
      options.fs ?? diskFs(),
    );
    this.#beside = new Beside(options.effects);
    this.#timers = new Timers(options.effects);
    this.#burst = new Burst(
      this.#timers,
      () => this.#window.note(undefined),
    );
    this.#calm = new Calm(options.effects);
    this.#arms = new Arms(options.effects, {
      onEvent: (event) => this.#event(event),
      onLost: (reason) => this.#lost(reason),
    }, this.#calm);
    this.#window = new QuietWindow(options.effects, (hints) => {
      if (this.#moved()) this.#open();
      else options.onWake(hints);
    });
  }

  /** Arms the roots themselves; their directories follow with `cover`. */
  start(): void {
    if (this.#started || this.#closed) return;
    this.#started = true;
    this.#grounds.look();
    this.#opening = this.#arm();
    this.#timers.every("look", LOOK_MS, () => {
      if (this.#moved()) this.#open();
      else if (this.#beside.came()) this.#options.onWake(undefined);
    });
    const { pollMs } = this.#options;
    if (pollMs !== undefined) {
      this.#timers.every("poll", pollMs, () => this.#options.onWake(undefined));
    }
  }

  /** Where a root really lies, when that is not where it was configured. */
  relocate(root: number, path: string): void {
    if (!this.#grounds.relocate(root, path) || !this.#started) return;
    this.#grounds.look();
    this.#opening = this.#opening.then(() => this.#arm());
  }

  /**
   * Watches the folders of these workspaces (absolute) instead of those before;
   * true when they are others. What moves in them from then on is heard.
   */
  async workspaces(paths: readonly string[]): Promise<boolean> {
    if (!this.#grounds.workspaces(paths)) return false;
    if (this.#started && !this.#closed) {
      this.#grounds.look();
      this.#opening = this.#opening.then(() => this.#arm());
      await this.#opening;
    }
    return true;
  }

  /** These files count besides; before `workspaces`, in which they lie. */
  files(files: WatchedFiles): void {
    this.#beside.set(files);
  }

  /**
   * Watches the directories that a scan read, and lets go of others. Returns
   * the newly watched ones: what moved in them before is yet to be seen. With
   * `verify`, directories that another has replaced are found too.
   */
  async cover(
    directories: ReadonlySet<string>,
    options: { readonly verify: boolean } = { verify: false },
  ): Promise<readonly string[]> {
    if (!this.#started || this.#closed) return [];
    await this.#opening;
    this.#grounds.forget();
    const tops = this.#grounds.rootTops();
    const below = [...directories].filter((path) =>
      tops.some((top) => isWithin(path, top))
    );
    this.#directories = new Set([...below, ...this.#beside.there()]);
    const { added, failed, postponed } = await this.#arms.cover(
      this.#directories,
      options,
    );
    const later = [...postponed].map((path) => [path, TOO_BUSY] as const);
    this.#grounds.below(new Map([...later, ...failed]));
    if (postponed.size > 0) this.#wait();
    if (failed.size > 0) this.#retry();
    else if (!this.#grounds.failing()) this.#retryMs = RETRY_MS;
    return added;
  }

  /** How well each target is watched. */
  states(): readonly WatchState[] {
    return this.#grounds.states(this.#started && !this.#closed);
  }

  /** Ends everything, at once. */
  closeSync(): void {
    this.#closed = true;
    this.#window.cancel();
    this.#timers.close();
    this.#arms.close();
  }

  /** Opens the watches anew; then everything may have moved. */
  #open(): void {
    this.#replaced = false;
    this.#opening = this.#opening.then(() => this.#arm()).then(() => {
      if (!this.#closed) this.#options.onWake(undefined);
    });
  }

  async #arm(): Promise<void> {
    this.#reopen = this.#arms.opened && !await this.#calm.comes();
    if (this.#reopen) {
      this.#grounds.lost(TOO_BUSY);
      return this.#wait();
    }
    const tops = [...this.#grounds.tops(), ...this.#beside.tops()];
    const failed = await this.#arms.open([...new Set(tops)]);
    this.#grounds.opened(failed);
    this.#beside.opened(failed);
    if (failed.size > 0) this.#retry();
  }

  #event({ kind, paths, flag }: WatchEvent): void {
    if (this.#closed) return;
    this.#burst.count();
    if (flag === "rescan") return this.#window.note(undefined);
    if (kind === "access") return;
    const moved = paths.filter((path) => {
      const armed = this.#arms.has(path);
      if (kind !== "modify") {
        if (armed) this.#arms.gone(path);
        else if (this.#grounds.isTop(path) || this.#beside.isTop(path)) {
          this.#replaced = true;
        }
      }
      return armed || this.#grounds.matters(path) ||
        this.#beside.matters(path);
    });
    if (moved.length === 0) return;
    // Other rules may read other directories: all are told anew.
    const rules = moved.some((path) => IGNORE_FILES.includes(basename(path)));
    this.#window.note(rules ? undefined : moved);
  }

  #lost(reason: string): void {
    this.#grounds.lost(reason);
    this.#retry();
    this.#window.note(undefined);
  }

  /** Whether a root is not what it was. */
  #moved(): boolean {
    return !this.#closed &&
      (this.#grounds.look() || this.#beside.moved() || this.#replaced);
  }

  /** Tries again what could not be watched, ever more rarely. */
  #retry(): void {
    if (this.#timers.has("retry")) return;
    const ms = this.#retryMs;
    this.#retryMs = Math.min(ms * 2, MOST_RETRY_MS);
    this.#timers.once("retry", ms, () => {
      if (this.#grounds.topsFailing() || this.#beside.failing) this.#open();
      // A look at everything covers the directories again.
      else this.#options.onWake(undefined);
    });
  }

  /** Goes on when the burst is over, and looks now and then until it is. */
  #wait(blindMs = 0): void {
    if (this.#timers.has("calm")) return;
    this.#timers.once("calm", CALM_MS, () => {
      const ms = blindMs + CALM_MS;
      if (this.#calm.ready()) {
        if (this.#reopen) this.#open();
        else this.#options.onWake(undefined);
      } else if (ms < BLIND_MS) this.#wait(ms);
      else {
        this.#options.onWake(undefined);
        this.#wait();
      }
    });
  }
}
