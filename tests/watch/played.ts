/** A system whose watches a test plays. */

import type { OpenWatch, WatchEvent } from "../../src/watch/effects.ts";
import { Watcher } from "../../src/watch/watcher.ts";
import { FakeTime } from "./fake_time.ts";

/** A watch whose events the test makes. */
export class FakeWatch implements OpenWatch {
  readonly #events: WatchEvent[] = [];
  #wake: () => void = () => {};
  #ended = false;
  #error: unknown;
  constructor(readonly paths: readonly string[]) {}

  /** Whether it was closed. */
  get ended(): boolean {
    return this.#ended;
  }

  tell(event: WatchEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  fail(error: unknown): void {
    this.#error = error;
    this.close();
  }

  close(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else if (this.#error !== undefined) throw this.#error;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}

/** Such a system, and the watcher that it belongs to. */
export interface Played {
  readonly time: FakeTime;
  /** All that were ever opened. */
  readonly open: readonly FakeWatch[];
  readonly wakes: readonly (readonly string[] | undefined)[];
  readonly watcher: Watcher;
  readonly system: Room;
  /** The one that is listened to. */
  listened(): FakeWatch;
}

/** How much the system takes. */
export interface Room {
  /** Paths of one watch. */
  room: number;
  /** Milliseconds that opening one takes. */
  watchMs?: number;
}

/** A watcher over one root whose system the test plays. */
export function played(options: Room): Played {
  const time = new FakeTime();
  const open: FakeWatch[] = [];
  const wakes: (readonly string[] | undefined)[] = [];
  const system: Room = { ...options };
  const watcher = new Watcher({
    targets: [{ path: "/root", root: 1, watch: true }],
    effects: {
      now: time.now,
      after: time.after,
      realPath: (path) => path,
      identity: (path) => path,
      touched: () => 0,
      watch: (paths) => {
        if (paths.length > system.room) {
          throw new Error('OS file watch limit reached. about ["/root/x"]');
        }
        time.pass(system.watchMs ?? 0);
        const watch = new FakeWatch(paths);
        open.push(watch);
        return watch;
      },
    },
    onWake: (hints) => wakes.push(hints),
  });
  watcher.start();
  return {
    time,
    open,
    wakes,
    watcher,
    system,
    listened: () => open[1]!,
  };
}
