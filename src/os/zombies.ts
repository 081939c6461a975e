/** Children of this process that have ended and were not waited for. Linux. */

import { childrenOf, statFields } from "./children.ts";

/** `WNOHANG` of linux/wait.h. */
const WNOHANG = 1;

/** A child that has ended. */
export interface Zombie {
  readonly pid: number;
  /** Tells it from a later process with the same number. */
  readonly id: string;
}

/** The zombies among our children now; none where nothing can be read. */
export function zombies(): Zombie[] {
  return childrenOf(Deno.pid).flatMap((pid) => {
    const { 0: state, 19: start } = statFields(pid);
    return state === "Z" ? [{ pid, id: `${pid}:${start}` }] : [];
  });
}

/** Ends a zombie for good. Only for a child that nobody else waits for. */
export function takeIn(pid: number): void {
  for (const name of ["libc.so.6", `libc.musl-${Deno.build.arch}.so.1`]) {
    try {
      const libc = Deno.dlopen(name, {
        waitpid: { parameters: ["i32", "pointer", "i32"], result: "i32" },
      });
      libc.symbols.waitpid(pid, null, WNOHANG);
      libc.close();
      return;
    } catch {
      // Another C library.
    }
  }
}
