/** Signals to a child and everything it started. */

import process from "node:process";

/** Whether children get a group of their own here. */
export const HAS_GROUPS: boolean = Deno.build.os !== "windows";

/** The process group that a detached child leads. */
export class ProcessGroup {
  readonly #child: Deno.ChildProcess;
  /** Set once the group has no member: its number may then be anyone's. */
  #empty = false;

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
  }

  /** Sends a signal to every member. Never throws. */
  signal(name: "SIGTERM" | "SIGKILL"): void {
    if (this.#empty) return;
    try {
      if (HAS_GROUPS) Deno.kill(-this.#child.pid, name);
      else this.#child.kill(name);
    } catch {
      this.#empty = true;
    }
  }

  /**
   * To be called when the leader has ended: an empty group is never signalled
   * again. While it has members, the system does not reuse its number.
   */
  leaderEnded(): void {
    if (!HAS_GROUPS) {
      this.#empty = true;
      return;
    }
    try {
      process.kill(-this.#child.pid, 0);
    } catch {
      this.#empty = true;
    }
  }
}
