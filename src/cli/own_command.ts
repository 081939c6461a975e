/** How this program is started, for whoever is to start it again. */

import { fileURLToPath } from "node:url";

/** Words before a subcommand: the executable, and `main.ts` in source form. */
export function ownCommand(): readonly [string, ...string[]] {
  if (Deno.build.standalone) return [Deno.execPath()];
  return [
    Deno.execPath(),
    "run",
    "-A",
    "--no-prompt",
    fileURLToPath(Deno.mainModule),
  ];
}
