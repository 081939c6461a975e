/** The arguments of `match`, read without a parser of their own. */

import type { Flags } from "../../config/flags.ts";
import { quickServe } from "../quick_serve.ts";

/** What `match` was asked for. */
export interface MatchArguments {
  readonly client: string | undefined;
  readonly stdin: boolean;
  /** Make the index for these directories (absolute) instead of answering. */
  readonly refresh: boolean;
  /** Milliseconds in which to answer, or not at all. */
  readonly withinMs: number;
  readonly flags: Flags;
}

/** What a hook can cost before people notice. */
const WITHIN_MS = 300;
const MOST_MS = 30_000;

/** Reads what follows the word `match`; undefined: not understood. */
export function matchArguments(
  args: readonly string[],
): MatchArguments | undefined {
  const rest: string[] = [];
  let client: string | undefined;
  let stdin = false;
  let refresh = false;
  let within = "";
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!;
    if (word === "--stdin") stdin = true;
    else if (word === "--refresh") refresh = true;
    else if (word === "--client") client = args[++i];
    else if (word.startsWith("--client=")) client = word.slice(9);
    else if (word === "--within") within = args[++i] ?? "";
    else if (word.startsWith("--within=")) within = word.slice(9);
    else rest.push(word);
  }
  // As for `serve`, whose word it would take too.
  const flags = rest[0] === "serve" ? undefined : quickServe(rest);
  if (flags === undefined) return undefined;
  const asked = /^\d{1,6}$/.test(within) ? Number(within) : WITHIN_MS;
  const withinMs = Math.min(asked, MOST_MS);
  return { client, stdin, refresh, withinMs, flags };
}

/** `match` with these flags, as words; for starting it again. */
export function flagWords(
  { skills = [], workspaces = [] }: Flags,
): string[] {
  return [
    ...skills.flatMap((flag) =>
      typeof flag === "string" ? ["--skills", flag] : ["--skill-dir", flag.json]
    ),
    ...workspaces.flatMap((path) => ["--workspace", path]),
  ];
}
