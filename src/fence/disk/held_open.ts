/** Files and directories held open, so that no link can be put in their way. */

import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { KERNEL } from "../../os/syscall_numbers.ts";

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
  const held = pathOfDescriptor(fd);
  if (held === undefined) {
    closeSync(fd);
    return undefined;
  }
  return { ...held, [Symbol.dispose]: () => closeSync(fd) };
}

/**
 * A path that leads to what is open as `fd` and to nothing else, and what that
 * is. Undefined without /proc.
 */
export function pathOfDescriptor(
  fd: number,
): Pick<Held, "path" | "info"> | undefined {
  const path = `/proc/self/fd/${fd}`;
  try {
    const info = fstatSync(fd);
    const there = Deno.statSync(path);
    // Not every runtime's descriptor is the system's.
    return there.ino === info.ino && there.dev === info.dev
      ? { path, info }
      : undefined;
  } catch {
    return undefined;
  }
}
