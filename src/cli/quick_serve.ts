/** Recognises the call that clients make, without loading a parser for it. */

import type { Flags } from "../config/read_config.ts";

/**
 * The flags of a plain `[serve] [--skills DIR]... [--no-run]`. Undefined for
 * everything else, mistakes included: those are the real parser's business.
 */
export function quickServe(args: readonly string[]): Flags | undefined {
  const rest = args[0] === "serve" ? args.slice(1) : [...args];
  const skills: string[] = [];
  let noRun = false;
  for (let i = 0; i < rest.length; i++) {
    const arg = rest[i]!;
    if (arg === "--no-run") noRun = true;
    else if (arg.startsWith("--skills=")) skills.push(arg.slice(9));
    else if (arg === "--skills") {
      const value = rest[++i];
      if (value === undefined || value.startsWith("-")) return undefined;
      skills.push(value);
    } else return undefined;
  }
  return { skills, noRun };
}
