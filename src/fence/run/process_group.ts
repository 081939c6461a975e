/** Signals to a child and everything it started. */

import process from "node:process";
import { childrenOf, statFields } from "../../os/children.ts";
import { catchesTerm } from "./proc_status.ts";

/** Whether children get a group of their own here. */
export const HAS_GROUPS: boolean = Deno.build.os !== "windows";

/** So long, in milliseconds, a holder may take to stand still. */
const STAND_STILL_MS = 20;

/** The process group that a detached child leads. */
export class ProcessGroup {
  readonly #child: Deno.ChildProcess;
  readonly #inner: (() => number | undefined) | undefined;
  /** Set once the group has no member: its number may then be anyone's. */
  #empty = false;

  /**
   * `inner` is given where the child may hold a sandbox, and tells the sandbox's
   * first process once there is one: it is in no group of ours.
   */
  constructor(
    child: Deno.ChildProcess,
    inner?: () => number | undefined,
  ) {
    this.#child = child;
    this.#inner = inner;
  }

  /** The leader's number, which is the group's. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Ends every member and what a sandbox holds, at once. Never throws. */
  kill(): void {
    this.#killHeld();
    this.#signal("SIGKILL");
  }

  /**
   * Asks the members to end. The holder of a sandbox would take the sandbox
   * with it at once, so a program in there that can be asked is asked alone.
   */
  ask(): void {
    const inner = this.#empty ? undefined : this.#inner?.();
    if (inner !== undefined) {
      if (this.#askHeld(inner)) return;
      this.#killHeld();
    }
    this.#signal("SIGTERM");
    // Whoever stands still gets the one signal when it may go on.
    this.#signal("SIGCONT");
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

  #askHeld(pid: number): boolean {
    if (!catchesTerm(pid, this.#child.pid)) return false;
    try {
      Deno.kill(pid, "SIGTERM");
      return true;
    } catch {
      // Gone by itself, or not ours to ask.
      return false;
    }
  }

  /**
   * A sandbox is to die with its holder, but only asks for that some moments
   * after it has begun (prctl(2), PR_SET_PDEATHSIG): a holder that is killed
   * before leaves it running. So the holder is made to stand still, and what it
   * has started is killed first.
   */
  #killHeld(): void {
    if (this.#inner === undefined || this.#empty) return;
    const { pid } = this.#child;
    this.#signal("SIGSTOP");
    const end = performance.now() + STAND_STILL_MS;
    while (!standsStill(pid) && performance.now() < end) pause();
    for (const held of childrenOf(pid)) {
      try {
        Deno.kill(held, "SIGKILL");
      } catch {
        // Gone by itself.
      }
    }
  }

  #signal(name: "SIGTERM" | "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    if (this.#empty) return;
    try {
      if (HAS_GROUPS) Deno.kill(-this.#child.pid, name);
      else this.#child.kill(name);
    } catch {
      this.#empty = true;
    }
  }
}

/** Stopped, dead or gone: it starts nothing any more. */
function standsStill(pid: number): boolean {
  const [state = "X"] = statFields(pid);
  return "TtZX".includes(state);
}

/** A millisecond without turning to anything else: signal handlers may not. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}
