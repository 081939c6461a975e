/** Putting a run's own directories where a Plan has placeholders. */

import { DENODIR, SCRATCH } from "./flags.ts";
import type { Scratch } from "./scratch.ts";

/** A placeholder counts only as a whole item, or the start of one. */
const PLACEHOLDER = new RegExp(
  `(?<=^|[=,])(${SCRATCH}|${DENODIR})(?=$|[,/])`,
  "g",
);

/**
 * The command line of a Plan with the two placeholders replaced, and nothing
 * else. The last `argCount` items are the script's own and stay as they are.
 */
export function fillIn(
  flags: readonly string[],
  argCount: number,
  scratch: Pick<Scratch, "scratch" | "denodir">,
): string[] {
  const end = flags.length - argCount;
  return flags.map((flag, at) =>
    at >= end ? flag : flag.replace(
      PLACEHOLDER,
      (mark) => mark === SCRATCH ? scratch.scratch : scratch.denodir,
    )
  );
}
