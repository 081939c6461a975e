/** The first module of every start: decides how much more is loaded. */

import type { CliHost } from "./host.ts";
import { quickServe } from "./quick_serve.ts";

/**
 * Runs the command line. Returns the exit code.
 */
export async function runCli(
  args: readonly string[],
  host: CliHost,
): Promise<number> {
  const flags = quickServe(args);
  if (flags !== undefined) {
    const { serve } = await import("./serve.ts");
    return await serve(host, flags);
  }
  const { runProgram } = await import("./program.ts");
  return await runProgram(args, host);
}
