/** Pausing a walk in time, and telling how far it has come. */

import type { WalkContext } from "./walk_types.ts";

/** Paces one walk. */
export class Breath {
  /** Directories visited or remembered so far. */
  walked = 0;
  readonly #context: Pick<WalkContext, "pacer" | "onPause">;

  constructor(context: Pick<WalkContext, "pacer" | "onPause">) {
    this.#context = context;
  }

  /** Pauses when it is time to, and tells so before. */
  async take(): Promise<void> {
    if (!this.#context.pacer.due()) return;
    this.#context.onPause(this.walked);
    await this.#context.pacer.pause();
  }
}
