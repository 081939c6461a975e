/** Files and directories held open, so that no link can be put in their way. */

import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { KERNEL } from "../os/syscall_numbers.ts";

const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
/** Takes no right to what is opened, and waits for nobody. See open(2). */
const MERELY_HELD = KERNEL.O_PATH | NOFOLLOW;
const DIRECTORY = MERELY_HELD | (constants.O_DIRECTORY ?? 0);

/** Something that is held, whatever happens to its name. */
export interface Held extends Disposable {
  /** Leads to it and to nothing else; below a directory, names can be added. */
  readonly path: string;
  readonly info: Stats;
}

/** Whether this runtime and system can hold anything; asks every time. */
export function canHold(): boolean {
  using root = hold("/", "directory");
  return root !== undefined;
}

/**
 * Holds what is at `path`; the last part of it is not followed. Undefined when
 * it is not there or no directory if it has to be one, and on a system that
 * shows no open files in /proc.
 */
export function hold(
  path: string,
  kind: "directory" | "anything",
): Held | undefined {
  if (Deno.build.os !== "linux") return undefined;
  let fd: number;
  try {
    fd = openSync(path, kind === "directory" ? DIRECTORY : MERELY_HELD);
  } catch {
    return undefined;
  }
  const dispose = () => closeSync(fd);
  try {
    const info = fstatSync(fd);
    const held = `/proc/self/fd/${fd}`;
    const there = Deno.statSync(held);
    // Not every runtime's descriptor is the system's.
    if (there.ino === info.ino && there.dev === info.dev) {
      return { path: held, info, [Symbol.dispose]: dispose };
    }
  } catch {
    // No /proc.
  }
  dispose();
  return undefined;
}
