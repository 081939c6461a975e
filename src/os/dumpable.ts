/** Closing what the kernel shows of this process to others of its account. */

import { Kernel } from "./kernel.ts";
import { KERNEL } from "./syscall_numbers.ts";

/**
 * Makes this process one that no other process of its account can look into:
 * environment, memory, open files (PR_SET_DUMPABLE of prctl(2)). Root can, and
 * a program that is started later is as open as ever. No core is dumped from
 * then on. Returns whether it is so; Linux only.
 */
export function hideFromOwnAccount(): boolean {
  if (Deno.build.os !== "linux") return false;
  try {
    return new Kernel().call("prctl", KERNEL.PR_SET_DUMPABLE, 0, 0, 0, 0) === 0;
  } catch {
    return false;
  }
}
