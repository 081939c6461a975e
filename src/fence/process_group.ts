/** Signals to a child and everything it started. */

import process from "node:process";
import { catchesTerm } from "./proc_status.ts";

/** Whether children get a group of their own here. */
export const HAS_GROUPS: boolean = Deno.build.os !== "windows";

/** The process group that a detached child leads. */
export class ProcessGroup {
  readonly #child: Deno.ChildProcess;
  readonly #inner: () => number | undefined;
  /** Set once the group has no member: its number may then be anyone's. */
  #empty = false;

  /**
   * `inner` tells the first process of the sandbox that the child holds, if it
   * holds one: it is in no group of ours and dies with the child.
   */
  constructor(
    child: Deno.ChildProcess,
    inner: () => number | undefined = () => undefined,
  ) {
    this.#child = child;
    this.#inner = inner;
  }

  /** The leader's number, which is the group's. */
  get pid(): number {
    return this.#child.pid;
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
   * Asks the members to end. The holder of a sandbox would take the sandbox
   * with it at once, so a program in there that can be asked is asked alone.
   */
  ask(): void {
    const inner = this.#empty ? undefined : this.#inner();
    if (inner !== undefined && catchesTerm(inner, this.#child.pid)) {
      try {
        Deno.kill(inner, "SIGTERM");
        return;
      } catch {
        // Gone by itself, or not ours to ask.
      }
    }
    this.signal("SIGTERM");
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
