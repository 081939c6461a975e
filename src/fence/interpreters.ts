/** The interpreters a script may name. Both run on the fenced Deno runtime. */

import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";

/** One interpreter and what it adds to the command line. */
export interface Interpreter {
  readonly name: "deno" | "node";
  /** Flags beyond those every script gets, in order. */
  readonly flags: readonly string[];
}

/**
 * `node` reads `.js` as Node does and answers the harmless questions that Node
 * programs ask at start; it is the same runtime behind the same fence.
 */
const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map([
  ["deno", { name: "deno", flags: [] }],
  ["node", {
    name: "node",
    flags: [
      "--unstable-detect-cjs",
      "--unstable-sloppy-imports",
      "--allow-sys=cpus,homedir,osRelease",
    ],
  }],
]);

/** Names of the closed set, in order. */
export const INTERPRETER_NAMES: readonly string[] = [...INTERPRETERS.keys()];

/** The interpreter of that name, or `INTERPRETER_UNAVAILABLE` naming the set. */
export function interpreterFor(name: string): Result<Interpreter> {
  const found = INTERPRETERS.get(name);
  if (found !== undefined) return ok(found);
  return refuse(
    "INTERPRETER_UNAVAILABLE",
    `interpreter "${visible(name, 80)}" is not available here`,
    `Available are ${
      INTERPRETER_NAMES.join(" and ")
    }, both on the fenced Deno runtime: no other program can be put behind this fence. The skill's instructions are still served.`,
  );
}

/** Why an interpreter is not available here; undefined when it is. */
export function interpreterProblem(name: string): string | undefined {
  const found = interpreterFor(name);
  return found.ok ? undefined : `${found.message}. ${found.hint}`;
}
