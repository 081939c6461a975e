/** What is served, kept up to date: one look at a time, and what it moved. */

import type { ProgressListener, RescanOptions } from "../catalog/catalog.ts";
import type { Snapshot } from "../catalog/types.ts";
import type { PromptSnapshot } from "../prompt/types.ts";
import type { Changes, WatchState } from "../watch/types.ts";
import type { Watcher } from "../watch/watcher.ts";
import { announce, type Announcement, CONTEXT_MOVED } from "./announce.ts";
import type { LiveDoor } from "./engine_types.ts";
import type { LiveParts } from "./live_parts.ts";
import { changesBetween, movedNothing, NOTHING_MOVED } from "./live_changes.ts";

/** Looks that follow one another because they find new directories. */
const MOST_FOLLOWING = 8;

/** Skills and prompts at one moment. */
interface Seen {
  readonly skills: Snapshot;
  readonly prompts: PromptSnapshot;
}

type Listener = (changes: Changes, announcement: Announcement) => void;

/** The live catalogue. */
export class Live implements LiveDoor {
  readonly #parts: LiveParts;
  readonly #watcher: Watcher;
  readonly #listeners = new Set<Listener>();
  #seen: Seen | undefined;
  /** Ends when all looks asked for so far have. */
  #turn: Promise<unknown> = Promise.resolve();
  /** A look that waits for its turn, and what it is told. */
  #waiting: { hints: readonly string[] | undefined } | undefined;
  #started = false;
  #closed = false;
  /** Directories are watched, or it is their turn. */
  #settling = false;
  #keepFromSettling: () => void = () => {};

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#watcher = parts.watcher((hints) => this.#wake(hints));
  }

  start(): void {
    if (this.#started || this.#closed) return;
    this.#started = true;
    this.#watcher.start();
    this.#next(() => this.#first()).catch(this.#parts.onError);
  }

  states(): readonly WatchState[] {
    return this.#watcher.states();
  }

  async ready(): Promise<void> {
    await this.#next(() => Promise.resolve());
    this.#settle();
    await this.#next(() => Promise.resolve());
  }

  async reload(onProgress?: ProgressListener): Promise<Changes> {
    return await this.#next(async () => {
      await this.#known();
      return await this.#look({ hints: undefined, onProgress });
    });
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  closeSync(): void {
    this.#closed = true;
    this.#keepFromSettling();
    this.#listeners.clear();
    this.#watcher.closeSync();
  }

  /** Tells that the context is no longer what clients know. */
  contextMoved(): void {
    if (!this.#closed) this.#tell(NOTHING_MOVED, CONTEXT_MOVED);
  }

  /** Context files lie in other directories than before: those are watched. */
  contextFound(): void {
    // Whoever watches for the first time asks for them then.
    if (this.#settling && !this.#closed) this.#recover();
  }

  /** Runs after every look that was asked for before. */
  #next<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(run);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #wake(hints: readonly string[] | undefined): void {
    if (this.#closed) return;
    if (this.#waiting !== undefined) {
      const before = this.#waiting.hints;
      this.#waiting.hints = before === undefined || hints === undefined
        ? undefined
        : [...before, ...hints];
      return;
    }
    const waiting = this.#waiting = { hints };
    this.#next(async () => {
      this.#waiting = undefined;
      if (this.#closed) return;
      await this.#known();
      await this.#look(waiting);
    }).catch(this.#parts.onError);
  }

  /** The first scan announces nothing: nobody has seen anything before it. */
  async #first(): Promise<void> {
    await this.#known();
    if (this.#closed) return;
    this.#keepFromSettling = this.#parts.later(() => this.#settle());
  }

  /** Watches what the first scan read, and looks once more at all of that. */
  #settle(): void {
    if (this.#settling || !this.#started || this.#closed) return;
    this.#settling = true;
    this.#keepFromSettling();
    this.#recover();
    this.#next(() => Promise.resolve(this.#hear(false)))
      .catch(this.#parts.onError);
  }

  /** Looks at everything once more, as when something may have moved. */
  lookAgain(): void {
    this.#wake(undefined);
  }

  /** Tells of a look; before everything is watched nobody hears of it. */
  #hear(moved: boolean): void {
    if (!this.#settling || this.#closed) return;
    this.#parts.looked?.(this.#seen!.skills, moved);
  }

  /** Watches what is to be watched now, and looks at what is new of it. */
  #recover(): void {
    this.#next(async () => await this.#follow(await this.#cover(false)))
      .catch(this.#parts.onError);
  }

  async #known(): Promise<Seen> {
    if (this.#seen !== undefined) return this.#seen;
    await this.#aim();
    const [skills, prompts] = await Promise.all([
      this.#parts.catalog.snapshot(),
      this.#parts.prompts.snapshot(),
    ]);
    return this.#seen = { skills, prompts };
  }

  async #look(options: RescanOptions): Promise<Changes> {
    const changes = await this.#rescan(options);
    // A reload's answer is what it found itself; what follows is announced.
    const added = await this.#cover(options.hints === undefined);
    if (added.length > 0 && !this.#closed) {
      this.#next(() => this.#follow(added)).catch(this.#parts.onError);
    }
    return changes;
  }

  /** What moved in directories before they were watched. */
  async #follow(added: readonly string[]): Promise<void> {
    let hints = added;
    for (let n = 0; n < MOST_FOLLOWING && hints.length > 0; n++) {
      if (this.#closed) return;
      await this.#rescan({ hints });
      hints = await this.#cover(false);
    }
    if (hints.length > 0) this.#wake(hints);
  }

  async #rescan(options: RescanOptions): Promise<Changes> {
    const before = await this.#known();
    // Watches opened anew tell nothing of what moved meanwhile.
    const hints = await this.#aim() ? undefined : options.hints;
    const { onProgress } = options;
    if (hints === undefined) this.#parts.walked.reset();
    const [skills, prompts] = await Promise.all([
      this.#parts.catalog.rescan({ hints, onProgress }),
      this.#parts.prompts.rescan(),
    ]);
    this.#seen = { skills, prompts };
    const changes = changesBetween(before, this.#seen);
    await this.#parts.lookAtContext?.(skills, hints);
    const moved = !movedNothing(changes);
    this.#hear(moved);
    if (!moved) return NOTHING_MOVED;
    this.#tell(changes, announce(changes, before.skills, skills));
    return changes;
  }

  #tell(changes: Changes, announcement: Announcement): void {
    for (const listener of this.#listeners) {
      try {
        listener(changes, announcement);
      } catch (error) {
        this.#parts.onError(error);
      }
    }
  }

  /** Watches the workspaces as they are now; true when those are others. */
  async #aim(): Promise<boolean> {
    const { workspaces } = this.#parts;
    if (workspaces === undefined || !this.#started || this.#closed) {
      return false;
    }
    await this.#placeFiles();
    return await this.#watcher.workspaces(await workspaces());
  }

  async #cover(verify: boolean): Promise<readonly string[]> {
    if (!this.#started || this.#closed) return [];
    for (const [index, { path }] of this.#seen!.skills.roots.entries()) {
      this.#watcher.relocate(index + 1, path);
    }
    await this.#placeFiles();
    return await this.#watcher.cover(this.#parts.walked.paths, { verify });
  }

  async #placeFiles(): Promise<void> {
    const files = await this.#parts.contextPlaces?.();
    if (files !== undefined) this.#watcher.files(files);
  }
}
