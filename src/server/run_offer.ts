/** Why `skill_run` and `skill_preview` are not among the tools. */

import type { Config } from "../config/types.ts";

/** How a server without them was started: `with --no-run`. */
export function startedWithoutRuns({ http }: Config): string {
  // Over HTTP they are off unless the owner asks for them.
  return http === undefined || http.allowRun
    ? "with --no-run"
    : "without --allow-run";
}
