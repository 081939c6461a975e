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
  if (args[0] === "match" && !args.some(isHelp)) {
    const { match } = await import("./match.ts");
    return await match(host, args.slice(1));
  }
  const flags = quickServe(args);
  if (flags !== undefined) {
    const { serve } = await import("./serve.ts");
    return await serve(host, flags);
  }
  const { runProgram } = await import("./program.ts");
  return await runProgram(args, host);
}

function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}
