/** Putting a run's own directories, and its server, where a Plan has placeholders. */

import { DENODIR, RUN, SCRATCH, SERVER } from "../plan/placeholders.ts";
import type { Scratch } from "../disk/scratch.ts";

/**
 * A placeholder counts only where an item starts with it, or the value of a
 * flag or variable, or an element of a flag's list. Paths start with a slash,
 * and none that stands in such a list holds a comma.
 */
const PLACEHOLDER = new RegExp(
  `(?<=^|(?:^[\\w-]+=|,)(?:unix:)?)(${RUN}|${SCRATCH}|${DENODIR})(?=$|[,/])`,
  "g",
);

/** No such URL of ours holds a `#` before its fragment. */
const SERVER_AT = new RegExp(`(?<=^data:[^#]*#)${SERVER}$`);

/**
 * A command line of a Plan with the placeholders replaced, and nothing else.
 * The last `argCount` items are the script's own and stay as they are. `server`
 * is the process that starts it.
 */
export function fillIn(
  items: readonly string[],
  argCount: number,
  run: Pick<Scratch, "base" | "scratch" | "denodir">,
  server: number = Deno.pid,
): string[] {
  const end = items.length - argCount;
  const places: Readonly<Record<string, string>> = {
    [RUN]: run.base,
    [SCRATCH]: run.scratch,
    [DENODIR]: run.denodir,
  };
  return items.map((item, at) =>
    at >= end ? item : item
      .replace(PLACEHOLDER, (mark) => places[mark] ?? mark)
      .replace(SERVER_AT, String(server))
  );
}
